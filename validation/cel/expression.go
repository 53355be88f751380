package cel

import (
	"errors"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
)

// Compiling one expression.
//
// The way that cel-go offers is to extend an environment with the variables
// self and oldSelf and to let it compile. We take apart the steps that this
// consists of. The parser is our own, and so is what finds types where that is
// plain. Where it is not, a checker of cel-go that knows the two variables is
// copied from one that knows all functions, which costs a fraction of an
// environment. What comes after types is left out where it can have nothing to
// say. What all these accept is the same, and whatever they do not goes the way
// of cel-go once more, for its words.

// expressions compiles the expressions of one schema. It is for one goroutine.
type expressions struct {
	base    *base
	limit   uint64            // cost units of one call
	plain   bool              // leave everything to cel-go
	parsed  map[string]parsed // by cel-go
	regexes map[string]bool   // as of certain
}

func newExpressions(base *base, limit uint64, plain bool) expressions {
	return expressions{base: base, limit: limit, plain: plain, parsed: make(map[string]parsed), regexes: make(map[string]bool)}
}

// A parsed expression is a tree, or says why it is none.
type parsed struct {
	tree *cel.Ast
	why  string
}

// A scope is what the rules of one node can refer to.
type scope struct {
	types  *provider
	self   *cel.Type
	from   *typ    // of which self was made
	origin *origin // of its expressions, nil until needed

	plain, optional *checker.Env // by what oldSelf is; nil until needed
}

// scope returns the scope of rules on values of type self.
func (x *expressions) scope(self *typ) *scope {
	p := x.base.newProvider()
	return &scope{types: p, self: p.adopt(selfTypeName, self).cel, from: self}
}

func (s *scope) checker(b *base, optional bool) (*checker.Env, error) {
	c, old := &s.plain, s.self
	if optional {
		c, old = &s.optional, types.NewOptionalType(s.self)
	}
	if *c != nil {
		return *c, nil
	}
	env, err := checker.NewEnv(b.env.Container, s.types,
		checker.ValidatedDeclarations(b.checker), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	if err := env.AddIdents(decls.NewVariable(selfName, s.self), decls.NewVariable(oldSelfName, old)); err != nil {
		return nil, err
	}
	*c = env
	return env, nil
}

// An origin is what the expressions of one node have in common. It makes their
// programs anew, from the text.
type origin struct {
	base  *base
	self  *typ
	limit uint64
}

// origin returns that of the expressions of s.
func (x *expressions) origin(s *scope) *origin {
	if s.origin == nil {
		s.origin = &origin{base: x.base, self: s.from, limit: x.limit}
	}
	return s.origin
}

// program compiles an expression that was accepted before to a program of cel-go.
func (o *origin) program(text string, optional bool) (cel.Program, error) {
	x := newExpressions(o.base, o.limit, false)
	tree, why := x.tree(x.scope(o.self), text, optional)
	if tree == nil {
		return nil, errors.New(readable(why))
	}
	return x.plan(tree)
}

// The texts that say what is wrong with an expression begin alike for rules
// and for messageExpressions.
type wording struct{ compilation, result, instantiation, estimation string }

var (
	ruleWording = wording{
		compilation:   "compilation failed: ",
		result:        "cel expression must evaluate to a bool",
		instantiation: "program instantiation failed: ",
		estimation:    "cost estimation failed: ",
	}
	messageWording = wording{
		compilation:   "messageExpression compilation failed: ",
		result:        "messageExpression must evaluate to a string",
		instantiation: "messageExpression instantiation failed: ",
		estimation:    "cost estimation failed for messageExpression: ",
	}
)

// accept makes a tree of text, whose result has to be of the type want, or says
// why the server does not. A tree with a reason is of a text that is right and
// cannot be run all the same.
func (x *expressions) accept(s *scope, text string, optional bool, want *cel.Type, w *wording) (*ast.AST, string) {
	if checked := x.quick(s, text, optional); checked != nil && x.isCertain(checked) {
		if checked.GetType(checked.Expr().ID()) != want {
			return nil, w.result
		}
		return checked, ""
	}
	checked, why := x.full(s, text, optional)
	if why != "" {
		return nil, w.compilation + readable(why)
	}
	if checked.GetType(checked.Expr().ID()) != want {
		return nil, w.result
	}
	if _, err := x.plan(checked); err != nil {
		return checked, w.instantiation + err.Error()
	}
	return checked, ""
}

// tree makes a tree of a text that was accepted before.
func (x *expressions) tree(s *scope, text string, optional bool) (*ast.AST, string) {
	if checked := x.quick(s, text, optional); checked != nil {
		return checked, ""
	}
	return x.full(s, text, optional)
}

func (x *expressions) plan(checked *ast.AST) (cel.Program, error) {
	return x.base.planner.plan(checked, cel.CostLimit(x.limit))
}

func mentionsOldSelf(checked *ast.AST) bool {
	for _, r := range checked.ReferenceMap() {
		if r.Name == oldSelfName {
			return true
		}
	}
	return false
}

// quick parses text and finds the types of all its parts. It returns nil if
// anything is wrong or the text is not one that we parse. The tree has no places
// for errors.
func (x *expressions) quick(s *scope, text string, optional bool) *ast.AST {
	if x.plain {
		return nil
	}
	tree := x.base.syntax.parse(text)
	if tree == nil {
		return nil
	}
	if checked := x.base.signatures.typed(tree, s, optional); checked != nil {
		return checked
	}
	env, err := s.checker(x.base, optional)
	if err != nil {
		return nil
	}
	checked, errs := checker.Check(tree, nil, env)
	if len(errs.GetErrors()) > 0 {
		return nil
	}
	return checked
}

// full does the same with cel-go's parser, applies what else an environment
// demands of text, and says what is wrong.
func (x *expressions) full(s *scope, text string, optional bool) (*ast.AST, string) {
	p := x.parse(text)
	if p.tree == nil {
		return nil, p.why
	}
	env, err := s.checker(x.base, optional)
	if err != nil {
		errs := common.NewErrors(p.tree.Source())
		errs.ReportErrorString(common.NoLocation, err.Error())
		return nil, errs.ToDisplayString()
	}
	// Checking changes the tree.
	checked, errs := checker.Check(ast.Copy(p.tree.NativeRep()), p.tree.Source(), env)
	issues := cel.NewIssuesWithSourceInfo(errs, checked.SourceInfo())
	if issues.Err() != nil {
		return nil, issues.String()
	}
	for _, v := range x.base.env.Validators() {
		v.Validate(x.base.env, x.base.validators, checked, issues)
	}
	if issues.Err() != nil {
		return nil, issues.String()
	}
	return checked, ""
}

func (x *expressions) parse(text string) parsed {
	if p, ok := x.parsed[text]; ok {
		return p
	}
	var p parsed
	tree, issues := x.base.env.Parse(text)
	if issues.Err() != nil {
		p.why = issues.String()
	} else {
		p.tree = tree
	}
	x.parsed[text] = p
	return p
}

// isBlank reports whether a rule says nothing. The server runs no such rule.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }
