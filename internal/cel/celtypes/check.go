package celtypes

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
)

// A Checker checks the expressions of one schema. It belongs to one goroutine.
type Checker struct {
	Language  *Language
	limit     uint64 // cost limit of one evaluation
	Reference bool   // use only cel-go
}

// NewChecker returns a Checker. limit is the cost limit of one evaluation. If reference is true,
// it uses only cel-go.
func NewChecker(language *Language, limit uint64, reference bool) Checker {
	return Checker{Language: language, limit: limit, Reference: reference}
}

// A Scope holds the names that rules of one node can use.
type Scope struct {
	types  *Provider
	self   *cel.Type
	from   *Type   // type from which the type of self is made
	origin *Origin // of all expressions of the node; built lazily

	required, optional *checker.Env // for a plain and an optional oldSelf; built lazily
}

func (x *Checker) Scope(self *Type) *Scope {
	p := x.Language.NewProvider()
	return &Scope{types: p, self: p.adopt(SelfType, self).cel, from: self}
}

func (s *Scope) checker(b *Language, optional bool) (*checker.Env, error) {
	c, old := &s.required, s.self
	if optional {
		c, old = &s.optional, types.NewOptionalType(s.self)
	}
	if *c != nil {
		return *c, nil
	}
	env, err := checker.NewEnv(b.Env.Container, s.types,
		checker.ValidatedDeclarations(b.checker), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	if err := env.AddIdents(decls.NewVariable(Self, s.self), decls.NewVariable(OldSelf, old)); err != nil {
		return nil, err
	}
	*c = env
	return env, nil
}

// An Origin compiles programs of cel-go for the expressions of a node. It is safe for concurrent
// use.
type Origin struct {
	language *Language
	self     *Type
	limit    uint64
}

func (x *Checker) Origin(s *Scope) *Origin {
	if s.origin == nil {
		s.origin = &Origin{language: x.Language, self: s.from, limit: x.limit}
	}
	return s.origin
}

// Program returns the program of an expression that [Checker.Check] accepted.
func (o *Origin) Program(text string, optional bool) (_ cel.Program, err error) {
	defer Recover(func(p error) { err = p })
	x := NewChecker(o.language, o.limit, false)
	s := x.Scope(o.self)
	tree := x.fast(s, text, optional)
	if tree == nil {
		var why string
		if tree, why = x.reference(x.Language.Env, s, text, optional); tree == nil {
			return nil, errors.New(readable(why))
		}
	}
	return x.plan(tree)
}

// Recover recovers from a panic and calls fail with it. Functions that call cel-go defer it,
// because the parser, checker, validators, planner and estimator of cel-go panic on some
// expressions.
func Recover(fail func(error)) {
	if p := recover(); p != nil {
		fail(fmt.Errorf("internal error: %v", p))
	}
}

// A Wording has the prefixes of errors about rules or messageExpressions.
type Wording struct{ compilation, result, instantiation, Estimation string }

var (
	RuleWording = Wording{
		compilation:   "compilation failed: ",
		result:        "cel expression must evaluate to a bool",
		instantiation: "program instantiation failed: ",
		Estimation:    "cost estimation failed: ",
	}
	MessageWording = Wording{
		compilation:   "messageExpression compilation failed: ",
		result:        "messageExpression must evaluate to a string",
		instantiation: "messageExpression instantiation failed: ",
		Estimation:    "cost estimation failed for messageExpression: ",
	}
)

// Check parses and checks an expression of type want. It returns the tree, or the server's reason
// to refuse the expression. If there is a reason, the tree cannot be planned.
func (x *Checker) Check(s *Scope, text string, optional bool, want *cel.Type, w *Wording) (tree *ast.AST, why string) {
	defer Recover(func(err error) { tree, why = nil, w.compilation+err.Error() })
	if !x.Reference {
		if tree := x.fast(s, text, optional); tree != nil && tree.GetType(tree.Expr().ID()) == want && x.isPlain(tree) {
			return tree, ""
		}
	}
	tree, why = x.reference(x.Language.Env, s, text, optional)
	if tree == nil {
		return nil, w.compilation + readable(why)
	}
	if tree.GetType(tree.Expr().ID()) != want {
		return nil, w.result
	}
	if _, err := x.plan(tree); err != nil {
		return tree, w.instantiation + err.Error()
	}
	return tree, ""
}

func (x *Checker) plan(checked *ast.AST) (cel.Program, error) {
	return x.Language.planner.plan(checked, cel.CostLimit(x.limit))
}

func MentionsOldSelf(checked *ast.AST) bool {
	for _, r := range checked.ReferenceMap() {
		if r.Name == OldSelf {
			return true
		}
	}
	return false
}

// fast parses and checks an expression without cel-go. The tree has no source positions. fast
// returns nil if something may be wrong, or for a rare expression.
func (x *Checker) fast(s *Scope, text string, optional bool) *ast.AST {
	tree := x.Language.syntax.Parse(text)
	if tree == nil {
		return nil
	}
	return x.Language.signatures.typed(tree, s, optional)
}

// reference parses, checks and validates with cel-go. It returns the tree, or the reason to refuse
// the expression.
func (x *Checker) reference(env *cel.Env, s *Scope, text string, optional bool) (*ast.AST, string) {
	parsed, issues := env.Parse(text)
	if len(issues.Errors()) > 0 {
		return nil, textOf(issues, text)
	}
	// An expression that x.fast accepts is never refused for its size.
	if why := oversized(parsed.NativeRep()); why != "" && (!x.Reference || x.fast(s, text, optional) == nil) {
		return nil, why
	}
	types, err := s.checker(x.Language, optional)
	if err != nil {
		errs := common.NewErrors(parsed.Source())
		errs.ReportErrorString(common.NoLocation, err.Error())
		return nil, errs.ToDisplayString()
	}
	tree, errs := checker.Check(parsed.NativeRep(), parsed.Source(), types)
	if len(errs.GetErrors()) > 0 {
		return nil, textOf(cel.NewIssues(errs), text)
	}
	issues = cel.NewIssuesWithSourceInfo(common.NewErrors(nil), tree.SourceInfo())
	for _, v := range env.Validators() {
		v.Validate(env, x.Language.validators, tree, issues)
	}
	if len(issues.Errors()) > 0 {
		return nil, textOf(issues, text)
	}
	return tree, ""
}

const (
	maxShownLine = 16384 // bytes; longer lines are not shown
	maxErrors    = 100   // further errors are only counted
	truncated    = " more errors were truncated"
)

// textOf returns the text of issues.String: each error, its line and a mark below the column.
// cel-go would need quadratic time for that. textOf sorts the issues and drops their locations.
func textOf(issues *cel.Issues, text string) string {
	list, source := issues.Errors(), common.NewTextSource(text)
	slices.SortStableFunc(list, func(a, b *cel.Error) int {
		return cmp.Or(cmp.Compare(a.Location.Line(), b.Location.Line()), cmp.Compare(a.Location.Column(), b.Location.Column()))
	})
	var b strings.Builder
	for i, e := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "ERROR: <input>:%d:%d: %s", e.Location.Line(), e.Location.Column()+1, e.Message)
		rest, ok := source.Snippet(e.Location.Line())
		if !ok || len(rest) > maxShownLine {
			continue
		}
		b.WriteString("\n | " + strings.ReplaceAll(rest, "\t", " ") + "\n | ")
		mark := func(narrow, wide string) {
			_, size := utf8.DecodeRuneInString(rest)
			if rest = rest[size:]; size > 1 {
				narrow = wide
			}
			b.WriteString(narrow)
		}
		for n := e.Location.Column(); n > 0 && rest != ""; n-- {
			mark(".", "\uff0e")
		}
		mark("^", "\uff3e")
	}
	if len(list) >= maxErrors {
		for _, e := range list {
			e.Location = common.NoLocation
		}
		short := issues.String()
		if last := short[strings.LastIndexByte(short, '\n')+1:]; strings.HasSuffix(last, truncated) {
			b.WriteString("\n" + last)
		}
	}
	return b.String()
}

// A Tracer plans parts of a checked expression, to observe their values. It belongs to one
// goroutine.
type Tracer struct {
	Tree  *ast.AST // made by cel-go, with the calls of macros
	limit uint64
	plans planner
}

// NewTracer checks an expression with cel-go, or returns the reason why [Checker.Check] refuses it.
// It is slower than Check, because it has its own environment, which records macro calls.
func (x *Checker) NewTracer(s *Scope, text string, optional bool) (_ *Tracer, err error) {
	defer Recover(func(p error) { err = p })
	env, err := x.Language.Env.Extend(cel.EnableMacroCallTracking())
	if err != nil {
		return nil, err
	}
	tree, why := x.reference(env, s, text, optional)
	if tree == nil {
		return nil, errors.New(readable(why))
	}
	return &Tracer{Tree: tree, limit: x.limit, plans: x.Language.planner}, nil
}

// Plan returns the program of a part. The details of an evaluation have the values of all evaluated
// parts. The variables of macros around the part are variables of the program.
func (t *Tracer) Plan(part ast.Expr) (cel.Program, error) {
	tree := ast.NewCheckedAST(ast.NewAST(part, t.Tree.SourceInfo()), t.Tree.TypeMap(), t.Tree.ReferenceMap())
	return t.plans.plan(tree, cel.CostLimit(t.limit), cel.EvalOptions(cel.OptTrackState), cel.InterruptCheckFrequency(100))
}
