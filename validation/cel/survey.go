package cel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/schema"
)

// Surveying the rules of a definition that is about to be written.
//
// The survey goes over the schema as the server does when it validates a
// definition: to the schemas below first, and to each with what it takes to
// judge a rule there: the type of self, how often self can occur, and whether
// old and new values correspond. That is another walk than the one that builds
// a [Program], because the server takes types from another place: below a
// schema with rules the type of self is a part of the type above, and elsewhere
// it is made from the schema as if that stood alone.

// A spot is a schema on the survey.
type spot struct {
	parent *spot
	node   *schema.Node
	path   *field.Path // of the schema, for errors
	place  place       // of self

	inScope bool   // rules are here or above
	typ     *typ   // of self; nil if there is none, or nobody asks
	broken  string // why there is no type, as the server puts it
	lost    bool   // p is below what should have a type and has none; the server panics

	uncorrelated *field.Path // schema below which old and new values do not correspond, nil if they do
	order        int         // in which spots are entered
}

// A finding is what the survey says about one rule.
type finding struct {
	*compiled
	spot  *spot
	index int
	rule  *schema.Rule
}

// path returns the path of the rule.
func (f *finding) path() *field.Path {
	return f.spot.path.Child("x-kubernetes-validations").Index(f.index)
}

// values returns the path of the values of the rule, as [ExpressionCost.Path].
func (f *finding) values() string { return f.spot.place.path }

// ordered returns the findings in the order of the schema.
func (s *survey) ordered() []*finding {
	out := make([]*finding, len(s.findings))
	for i := range s.findings {
		out[i] = &s.findings[i]
	}
	slices.SortStableFunc(out, func(a, b *finding) int { return cmp.Compare(a.spot.order, b.spot.order) })
	return out
}

// A compiled rule is the same for equal schemas with equal types.
type compiled struct {
	condition, message outcome
	usesOldSelf        bool
}

// An outcome is what becomes of an expression: a tree and its cost, or why not.
type outcome struct {
	tree *ast.AST // nil if there is no cost
	why  string   // of what compiles not
	cost uint64   // of one evaluation at most
}

type compiledKey struct {
	node *schema.Node
	root bool
}

// A survey is the state of one Check or Estimate.
type survey struct {
	options       checkOptions
	fresh, stored *expressions // new rules and those that are stored
	types         *provider
	sizes         *sizes
	scratch       *cel.Ast
	memo          map[compiledKey][]compiled
	spots         int

	findings []finding // in the order of the server
	syntax   field.ErrorList
	errs     field.ErrorList
}

// newSurvey surveys the rules of n and below. There is an error only if there is
// no language to survey them in.
func newSurvey(n *schema.Node, o checkOptions) (*survey, error) {
	s := &survey{options: o, sizes: newSizes(), memo: make(map[compiledKey][]compiled)}
	for _, l := range []struct {
		minor int
		to    **expressions
	}{{o.minor - 1, &s.fresh}, {o.minor, &s.stored}} {
		base, err := language(l.minor)
		if err != nil {
			return nil, err
		}
		x := newExpressions(base, o.perCall, o.reference)
		*l.to = &x
	}
	s.types = s.fresh.base.newProvider()
	scratch, issues := s.fresh.base.env.Parse("true")
	if s.scratch = scratch; issues.Err() != nil {
		return nil, issues.Err()
	}
	root := &spot{node: n, path: o.path, place: place{node: n, root: !o.fragment}}
	root.inScope = len(n.Rules()) > 0
	if root.inScope {
		s.alone(root)
	}
	s.visit(root)
	return s, nil
}

// visit surveys what is below p, then p, and reports whether rules there may be
// compiled.
func (s *survey) visit(p *spot) bool {
	p.order = s.spots
	s.spots++
	sound := true
	if values, _ := p.node.AdditionalProperties(); hasRules(values) {
		sound = s.elements(p, values, "additionalProperties") && sound
	}
	for name, child := range p.node.Properties() {
		if hasRules(child) {
			sound = s.property(p, child, name) && sound
		}
	}
	if items := p.node.Items(); hasRules(items) {
		sound = s.elements(p, items, "items") && sound
	}
	if len(p.node.Rules()) == 0 {
		return sound
	}
	if !s.options.syntaxChecked {
		wrong := checkSyntax(p.node.Rules(), p.node, p.path)
		s.syntax = append(s.syntax, wrong...)
		sound = sound && len(wrong) == 0
	}
	if sound && !s.options.faulty[p.path.String()] {
		s.rules(p)
	}
	return sound
}

func (s *survey) property(p *spot, n *schema.Node, name string) bool {
	c := p.child(n, p.path.Child("properties").Key(name))
	c.place.path = joinPath(p.place.path, name)
	if c.uncorrelated == nil && !correlates(p.node) {
		c.uncorrelated = p.path
	}
	escaped, ok := apiservercel.Escape(name)
	if ok && p.typ != nil {
		if c.typ = s.types.field(p.typ, escaped); c.typ != nil {
			c.place, _ = p.place.field(escaped)
		}
	}
	return s.typed(c, c.typ != nil)
}

// elements surveys the items of a list or the values of a map. If the values of
// p have a type, theirs is a part of it or missing, but never made of n alone.
func (s *survey) elements(p *spot, n *schema.Node, keyword string) bool {
	c := p.child(n, p.path.Child(keyword))
	c.place.path = p.place.path + "[*]"
	if listType, _ := p.node.ListType(); keyword == "items" && c.uncorrelated == nil && listType != "map" {
		c.uncorrelated = p.path
	}
	if p.typ != nil {
		c.typ = p.typ.elem
		if elem, ok := p.place.elem(); ok {
			c.place = elem
		}
	}
	return s.typed(c, p.inScope)
}

func (p *spot) child(n *schema.Node, path *field.Path) *spot {
	return &spot{
		parent:       p,
		node:         n,
		path:         path,
		place:        place{node: n, root: n.EmbeddedResource()},
		inScope:      p.inScope || len(n.Rules()) > 0,
		broken:       p.broken,
		lost:         p.lost || p.inScope && p.typ == nil && p.broken == "",
		uncorrelated: p.uncorrelated,
	}
}

// typed gives p a type of its own, unless it has got one from above, and
// surveys it.
func (s *survey) typed(p *spot, given bool) bool {
	if p.inScope && !given && p.broken == "" {
		s.alone(p)
	}
	return s.visit(p)
}

func (s *survey) alone(p *spot) {
	p.typ = s.types.typ(selfTypeName, p.node, p.place.root)
	if p.typ == nil {
		p.broken = "unable to convert structural schema to CEL declarations"
	}
}

// rules judges the rules of p itself.
func (s *survey) rules(p *spot) {
	path := p.path.Child("x-kubernetes-validations")
	switch {
	case p.lost:
		s.report(field.Forbidden(path, "are not possible below items or additionalProperties of a value that has none by its type"))
		return
	case p.broken != "":
		s.report(field.InternalError(path, fmt.Errorf(
			"internal error: failed to construct type information for x-kubernetes-validations rules: %s", p.broken)))
		return
	case p.typ == nil:
		s.report(field.InternalError(path, errors.New("failed to convert to declType for CEL validation rules")))
		return
	}
	rules := p.node.Rules()
	for i, c := range s.compiled(p, rules) {
		f := finding{compiled: &c, spot: p, index: i, rule: &rules[i]}
		s.findings = append(s.findings, f)
		s.judge(&f)
	}
}

func (s *survey) report(err *field.Error) { s.errs = append(s.errs, err) }

// compiled compiles the rules of p, or returns those of an equal schema.
func (s *survey) compiled(p *spot, rules []schema.Rule) []compiled {
	key := compiledKey{node: p.node, root: p.place.root}
	same := p.place.node == p.node
	if old, ok := s.memo[key]; ok && same {
		return old
	}
	c := ruleCompiler{survey: s, estimator: &estimator{sizes: s.sizes, self: p.place}, self: p.typ}
	out := make([]compiled, len(rules))
	for i := range rules {
		c.rule(&out[i], &rules[i])
	}
	if same {
		s.memo[key] = out
	}
	return out
}

// A ruleCompiler compiles the rules of one schema.
type ruleCompiler struct {
	*survey
	estimator     *estimator
	self          *typ
	fresh, stored *scope // nil until needed
}

func (c *ruleCompiler) rule(out *compiled, r *schema.Rule) {
	if isBlank(r.Rule) {
		return
	}
	text := r.Rule
	out.condition = c.expression(text, c.options.rules[text], r.OptionalOldSelf, cel.BoolType, &ruleWording)
	out.usesOldSelf = out.condition.tree != nil && mentionsOldSelf(out.condition.tree)
	if text = r.MessageExpression; text != "" && out.condition.why == "" {
		out.message = c.expression(text, c.options.messages[text], r.OptionalOldSelf, cel.StringType, &messageWording)
	}
}

func (c *ruleCompiler) expression(text string, stored, optional bool, want *cel.Type, w *wording) outcome {
	x, s := c.survey.fresh, &c.fresh
	if stored {
		x, s = c.survey.stored, &c.stored
	}
	if *s == nil {
		*s = x.scope(c.self)
	}
	tree, why := x.accept(*s, text, optional, want, w)
	out := outcome{tree: tree, why: why}
	if why != "" {
		return out
	}
	cost, err := c.cost(tree, stored, c.estimator)
	if err != nil {
		out.why = w.estimation + err.Error()
		return out
	}
	out.cost = cost
	return out
}

// cost returns what an expression costs at most.
func (s *survey) cost(tree *ast.AST, stored bool, e *estimator) (uint64, error) {
	base := s.fresh.base
	if stored {
		base = s.stored.base
	}
	*s.scratch.NativeRep() = *tree
	estimate, err := base.env.EstimateCost(s.scratch, e.costs())
	return estimate.Max, err
}

// cardinalityOf returns how often the values of a rule can occur in one object,
// and what the rule costs for all of them.
func (s *survey) cardinalityOf(f *finding) (n uint64, bounded bool, total uint64) {
	n, bounded = s.cardinality(f.spot)
	return n, bounded, multiply(f.condition.cost, n)
}

// cardinality returns how often self can occur in one object. It is bounded if
// all lists and maps on the way to it are; else it is how many of the smallest
// values fit into a request.
func (s *survey) cardinality(p *spot) (n uint64, bounded bool) {
	if n, bounded = s.occurrences(p); bounded {
		return n, true
	}
	return uint64(maxRequestBytes / (s.sizes.minOf(p.place) + 1)), false
}

func (s *survey) occurrences(p *spot) (n uint64, bounded bool) {
	if p.parent == nil {
		return 1, true
	}
	n, bounded = s.occurrences(p.parent)
	if !bounded {
		return 0, false
	}
	factor, bounded := s.factor(p.parent)
	return multiply(n, factor), bounded
}

// factor returns how many values of each schema below one value of p can have.
func (s *survey) factor(p *spot) (n uint64, bounded bool) {
	keyword, declared := p.multiplier()
	if keyword == "" {
		return 1, true
	}
	if v, ok := s.sizes.set[p.place.path]; ok {
		return uint64(v), true
	}
	return uint64(max(declared.N, 0)), declared.Set
}

// multiplier returns the keyword that bounds how many values are below one of p,
// and what it is declared to be.
func (p *spot) multiplier() (keyword string, declared schema.Count) {
	switch p.node.Kind() {
	case schema.KindObject:
		if _, ok := p.node.AdditionalProperties(); ok {
			return "maxProperties", p.node.Limits().MaxProperties
		}
	case schema.KindArray:
		return "maxItems", p.node.Limits().MaxItems
	}
	return "", schema.Count{}
}

// multiply returns a product, or as much as there is if that is too large.
func multiply(a, b uint64) uint64 {
	if a == 0 || b <= math.MaxUint64/a {
		return a * b
	}
	return math.MaxUint64
}

func add(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
