package celcost

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// A site is a schema at one location.
type site struct {
	parent   *site
	node     *schema.Node
	at       *pathstack.Chain // location of the schema, for errors
	location location         // location of self

	inScope     bool           // the schema or an outer schema has rules
	typ         *celtypes.Type // type of self; nil if there is none or no rule needs it
	broken      string         // why there is no type, in the server's words
	unreachable bool           // below a schema that should have a type but has none; the server panics

	uncorrelated *pathstack.Chain // schema below which values have no old values for oldSelf, or nil
	order        int              // number of the visit
}

type RuleCost struct {
	*compiledRule
	site  *site
	Index int
	Rule  *schema.Rule
}

func (f *RuleCost) At() *pathstack.Chain {
	return f.site.at.Child("x-kubernetes-validations").Index(f.Index)
}

// Values returns the path of the rule's values, such as spec.list[*].
func (f *RuleCost) Values() string { return f.site.location.path }

// Ordered returns the costs of all rules in the order of the schema.
func (s *Checker) Ordered() []*RuleCost {
	out := make([]*RuleCost, len(s.costs))
	for i := range s.costs {
		out[i] = &s.costs[i]
	}
	slices.SortStableFunc(out, func(a, b *RuleCost) int { return cmp.Compare(a.site.order, b.site.order) })
	return out
}

// A compiledRule is a rule and the cost of its expressions. Equal schemas with equal types share it.
type compiledRule struct {
	Condition, Message Expression
	usesOldSelf        bool
}

// An Expression is a tree and its cost, or the reason why it is refused.
type Expression struct {
	Tree    *ast.AST // nil if there is no cost
	Problem string   // why it is refused, or ""
	Cost    uint64   // maximum cost of one evaluation
}

type compiledKey struct {
	node *schema.Node
	root bool
}

// A Checker holds the rules of a schema and the errors found so far. It belongs to one goroutine.
type Checker struct {
	options       Options
	fresh, stored *celtypes.Checker // for new rules and for stored ones
	types         *celtypes.Provider
	sizes         *sizes
	scratch       *cel.Ast // empty AST that takes trees of celsyntax; built lazily
	memo          map[compiledKey][]compiledRule
	visited       int

	costs  []RuleCost // in the server's order
	syntax errorlimit.List
	errs   errorlimit.List
}

// New visits n, which must have rules, and all schemas below it. It fails if no CEL language can be
// made for o.Minor.
func New(n *schema.Node, o Options) (*Checker, error) {
	s := &Checker{options: o, sizes: newSizes(), memo: make(map[compiledKey][]compiledRule),
		syntax: errorlimit.List{Limit: o.Limit, Watch: o.Watch}, errs: errorlimit.List{Limit: o.Limit, Watch: o.Watch}}
	for _, l := range []struct {
		minor int
		to    **celtypes.Checker
	}{{o.Minor - 1, &s.fresh}, {o.Minor, &s.stored}} {
		language, err := celtypes.LanguageOf(l.minor)
		if err != nil {
			return nil, err
		}
		x := celtypes.NewChecker(language, o.PerCall, o.Reference)
		*l.to = &x
	}
	s.types = s.fresh.Language.NewProvider()
	root := &site{node: n, at: o.At, location: location{node: n, root: !o.Fragment}}
	root.inScope = len(n.Rules()) > 0
	if root.inScope {
		s.typeAlone(root)
	}
	s.visit(root)
	return s, nil
}

// visit visits the schemas below p, then p. It reports whether the syntax of all rules is correct.
func (s *Checker) visit(p *site) bool {
	if s.options.Watch.Ended() {
		return false
	}
	p.order = s.visited
	s.visited++
	sound := true
	if values, _ := p.node.AdditionalProperties(); celtypes.HasRules(values) {
		sound = s.elements(p, values, "additionalProperties") && sound
	}
	for name, child := range p.node.Properties() {
		if celtypes.HasRules(child) {
			sound = s.property(p, child, name) && sound
		}
	}
	if items := p.node.Items(); celtypes.HasRules(items) {
		sound = s.elements(p, items, "items") && sound
	}
	if len(p.node.Rules()) == 0 {
		return sound
	}
	if !s.options.SyntaxChecked {
		wrong := CheckSyntax(p.node.Rules(), p.node, p.at, s.options.Limit)
		s.syntax.Add(wrong...)
		sound = sound && len(wrong) == 0
	}
	if sound && (len(s.options.Invalid) == 0 || !s.options.Invalid[p.at.Path().String()]) {
		s.rules(p)
	}
	return sound
}

func (s *Checker) property(p *site, n *schema.Node, name string) bool {
	c := p.child(n, p.at.Child("properties").Key(name))
	c.location.path = joinPath(p.location.path, name)
	if c.uncorrelated == nil && !celtypes.Correlates(p.node) {
		c.uncorrelated = p.at
	}
	escaped, ok := apiservercel.Escape(name)
	if ok && p.typ != nil {
		if c.typ = s.types.Field(p.typ, escaped); c.typ != nil {
			c.location, _ = p.location.field(escaped)
		}
	}
	return s.typed(c, c.typ != nil)
}

// elements visits items or map values. Their type is taken from the type of p, if p has one.
func (s *Checker) elements(p *site, n *schema.Node, keyword string) bool {
	c := p.child(n, p.at.Child(keyword))
	c.location.path = p.location.path + "[*]"
	if listType, _ := p.node.ListType(); keyword == "items" && c.uncorrelated == nil && listType != "map" {
		c.uncorrelated = p.at
	}
	if p.typ != nil {
		c.typ = p.typ.Elem
		if elem, ok := p.location.elem(); ok {
			c.location = elem
		}
	}
	return s.typed(c, p.inScope)
}

func (p *site) child(n *schema.Node, at *pathstack.Chain) *site {
	return &site{
		parent:       p,
		node:         n,
		at:           at,
		location:     location{node: n, root: n.EmbeddedResource()},
		inScope:      p.inScope || len(n.Rules()) > 0,
		broken:       p.broken,
		unreachable:  p.unreachable || p.inScope && p.typ == nil && p.broken == "",
		uncorrelated: p.uncorrelated,
	}
}

// typed visits p. If given is false, it makes p.typ from the schema of p alone.
func (s *Checker) typed(p *site, given bool) bool {
	if p.inScope && !given && p.broken == "" {
		s.typeAlone(p)
	}
	return s.visit(p)
}

func (s *Checker) typeAlone(p *site) {
	p.typ = s.types.TypeOf(celtypes.SelfType, p.node, p.location.root)
	if p.typ == nil {
		p.broken = "unable to convert structural schema to CEL declarations"
	}
}

func (s *Checker) rules(p *site) {
	at := p.at.Child("x-kubernetes-validations")
	switch {
	case p.unreachable:
		s.errs.AddAt(at, field.Forbidden(at.Path(), "are not possible below items or additionalProperties of a value that has none by its type"))
		return
	case p.broken != "":
		s.errs.AddAt(at, field.InternalError(at.Path(), fmt.Errorf(
			"internal error: failed to construct type information for x-kubernetes-validations rules: %s", p.broken)))
		return
	case p.typ == nil:
		s.errs.AddAt(at, field.InternalError(at.Path(), errors.New("failed to convert to declType for CEL validation rules")))
		return
	}
	rules := p.node.Rules()
	for i, c := range s.compiled(p, rules) {
		if s.options.Watch.Ended() {
			return
		}
		f := RuleCost{compiledRule: &c, site: p, Index: i, Rule: &rules[i]}
		s.costs = append(s.costs, f)
		s.addErrors(&f)
	}
}

func (s *Checker) compiled(p *site, rules []schema.Rule) []compiledRule {
	key := compiledKey{node: p.node, root: p.location.root}
	same := p.location.node == p.node
	if old, ok := s.memo[key]; ok && same {
		return old
	}
	c := ruleCompiler{Checker: s, estimator: &estimator{sizes: s.sizes, self: p.location}, self: p.typ}
	out := make([]compiledRule, len(rules))
	for i := range rules {
		if s.options.Watch.Poll() {
			break
		}
		c.rule(&out[i], &rules[i])
	}
	if same {
		s.memo[key] = out
	}
	return out
}

type ruleCompiler struct {
	*Checker
	estimator     *estimator
	self          *celtypes.Type
	fresh, stored *celtypes.Scope // built lazily
}

func (c *ruleCompiler) rule(out *compiledRule, r *schema.Rule) {
	if celtypes.IsBlank(r.Rule) {
		return
	}
	text := r.Rule
	out.Condition = c.expression(text, c.options.Rules[text], r.OptionalOldSelf, cel.BoolType, &celtypes.RuleWording)
	out.usesOldSelf = out.Condition.Tree != nil && celtypes.MentionsOldSelf(out.Condition.Tree)
	if text = r.MessageExpression; text != "" && out.Condition.Problem == "" {
		out.Message = c.expression(text, c.options.Messages[text], r.OptionalOldSelf, cel.StringType, &celtypes.MessageWording)
	}
}

func (c *ruleCompiler) expression(text string, stored, optional bool, want *cel.Type, w *celtypes.Wording) Expression {
	x, s := c.Checker.fresh, &c.fresh
	if stored {
		x, s = c.Checker.stored, &c.stored
	}
	if *s == nil {
		*s = x.Scope(c.self)
	}
	tree, why := x.Check(*s, text, optional, want, w)
	out := Expression{Tree: tree, Problem: why}
	if why != "" {
		return out
	}
	cost, err := c.cost(tree, stored, c.estimator)
	if err != nil {
		out.Problem = w.Estimation + err.Error()
		return out
	}
	out.Cost = cost
	return out
}

func (s *Checker) cost(tree *ast.AST, stored bool, e *estimator) (_ uint64, err error) {
	defer celtypes.Recover(func(p error) { err = p })
	language := s.fresh.Language
	if stored {
		language = s.stored.Language
	}
	if s.scratch == nil {
		s.scratch = cel.ParsedExprToAst(nil)
	}
	*s.scratch.NativeRep() = *tree
	estimate, err := language.Env.EstimateCost(s.scratch, e.costs())
	return estimate.Max, err
}

// CardinalityOf returns how often the rule's values can occur in an object, whether the schema
// bounds that number, and the total cost.
func (s *Checker) CardinalityOf(f *RuleCost) (n uint64, bounded bool, total uint64) {
	n, bounded = s.cardinality(f.site)
	return n, bounded, multiply(f.Condition.Cost, n)
}

// cardinality returns how often self can occur in an object. If the schema does not bound the
// number, it is the number of minimal values that fit into a request.
func (s *Checker) cardinality(p *site) (n uint64, bounded bool) {
	if n, bounded = s.occurrences(p); bounded {
		return n, true
	}
	return uint64(maxRequestBytes / (s.sizes.minOf(p.location) + 1)), false
}

func (s *Checker) occurrences(p *site) (n uint64, bounded bool) {
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

// factor returns how many elements a value of p can have. It returns 1 for an object with fields.
func (s *Checker) factor(p *site) (n uint64, bounded bool) {
	keyword, declared := p.multiplier()
	if keyword == "" {
		return 1, true
	}
	if v, ok := s.sizes.set[p.location.path]; ok {
		return uint64(v), true
	}
	return uint64(max(declared.N, 0)), declared.Set
}

// multiplier returns the keyword that bounds the number of elements in a value of p, and its
// declared value.
func (p *site) multiplier() (keyword string, declared schema.Count) {
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

// multiply returns a product, or the largest uint64 if the product is larger.
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

// CheckSyntax returns the errors that it finds in rules without compiling them.
func CheckSyntax(rules []schema.Rule, n *schema.Node, at *pathstack.Chain, limit *errorlimit.Limit) field.ErrorList {
	var errs field.ErrorList
	var follow func(string) error
	if n != nil {
		follow = func(fieldPath string) error {
			_, err := crdpath.ParseField(fieldPath, n)
			return err
		}
	}
	for i := range rules {
		errs = append(errs, CheckRule(&rules[i], at.Child("x-kubernetes-validations").Index(i), limit, follow)...)
	}
	return errs
}

// CheckRule returns the errors that it finds in a rule without compiling it. limit records the
// pointers of the errors. follow returns an error if a fieldPath leads nowhere. If follow is nil,
// fieldPaths are not followed.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
func CheckRule(r *schema.Rule, at *pathstack.Chain, limit *errorlimit.Limit, follow func(fieldPath string) error) field.ErrorList {
	errs := checkText(r, at, limit)
	if r.MessageExpression != "" && celtypes.IsBlank(r.MessageExpression) {
		at := at.Child("messageExpression")
		errs = append(errs, limit.At(at, field.Required(at.Path(), "messageExpression must be non-empty if specified")))
	}
	if reason := apiextensionsv1.FieldValueErrorReason(r.Reason); (reason != "" || r.SetReason) && !slices.Contains(reasons(), string(reason)) {
		at := at.Child("reason")
		errs = append(errs, limit.At(at, field.NotSupported(at.Path(), reason, reasons())))
	}
	text := r.FieldPath
	if text == "" {
		return errs
	}
	invalid := func(detail string) {
		at := at.Child("fieldPath")
		errs = append(errs, limit.At(at, field.Invalid(at.Path(), text, detail)))
	}
	if celtypes.IsBlank(text) {
		invalid("must be non-empty if specified")
	}
	if hasLineBreak(text) {
		invalid("must not contain line breaks")
	}
	if follow != nil && follow(text) != nil {
		invalid("must be a valid path")
	}
	return errs
}

// checkText returns at most one error about rule and message.
func checkText(r *schema.Rule, at *pathstack.Chain, limit *errorlimit.Limit) field.ErrorList {
	required := func(at *pathstack.Chain, detail string) field.ErrorList {
		return field.ErrorList{limit.At(at, field.Required(at.Path(), detail))}
	}
	invalid := func(detail string) field.ErrorList {
		at := at.Child("message")
		return field.ErrorList{limit.At(at, field.Invalid(at.Path(), r.Message, detail))}
	}
	message := strings.TrimSpace(r.Message)
	switch {
	case celtypes.IsBlank(r.Rule):
		return required(at.Child("rule"), "rule is not specified")
	case r.Message != "" && message == "":
		return invalid("must be non-empty if specified")
	case hasLineBreak(message):
		return invalid("must not contain line breaks")
	case message == "" && hasLineBreak(strings.TrimSpace(r.Rule)):
		return required(at.Child("message"), "message must be specified if rule contains line breaks")
	}
	return nil
}

func hasLineBreak(text string) bool { return strings.ContainsAny(text, "\r\n") }

// reasons returns the values of reason that the server knows, sorted.
func reasons() []string {
	return []string{
		string(apiextensionsv1.FieldValueDuplicate), string(apiextensionsv1.FieldValueForbidden),
		string(apiextensionsv1.FieldValueInvalid), string(apiextensionsv1.FieldValueRequired),
	}
}
