package cel

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/cel/celeval"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/schema"
)

// A node has the rules of a schema and of the schemas below it. Schemas without rules have
// no node. Rules of values without a CEL type never run, as in the server.
type node struct {
	typ       any                    // the declared type, a string that errors show
	omitValue bool                   // the value is an object or a list, which errors do not show
	self      *celvalue.DeclaredType // nil without rules
	rules     []rule
	usesOld   bool // a rule of the node refers to oldSelf
	needsOld  bool // a rule here or below may refer to oldSelf
	hasRules  bool
	broken    string     // why the rules do not run, "" if they do
	lazy      *lazyRules // compiles the rules at the first value; nil if they are compiled

	items      *node
	values     *node // of additionalProperties
	fields     []childField
	correlates bool // fields and map entries have old values; false for an unknown map type
}

type childField struct {
	node *node
	name string
}

// A rule is a compiled rule. Equal schemas share it.
type rule struct {
	// Every evaluation reads these fields, so they come first.
	fast      celeval.Closure // of the condition; zero if cel-go evaluates it
	condition *expression     // nil for a rule that is blank or does not compile
	broken    string          // why the rule does not compile, "" if it does
	optional  bool            // oldSelf is an optional
	usesOld   bool            // the condition refers to oldSelf

	message *expression // nil if there is none or it does not compile

	path     schema.Path // the fieldPath
	pathText string      // path as text

	name          string // the name of the rule in errors
	text          string // the error text, unless message returns one
	messageSource string
	reason        apiextensionsv1.FieldValueErrorReason
}

// A builder is the state of one Compile.
type builder struct {
	celtypes.Checker
	types    *celtypes.Provider
	declared celvalue.Types
	memo     map[buildKey]*node
	reads    fieldaccess.Analysis // what rules read
	stored   bool                 // a rule that does not compile is an error of its values, not of Compile
	lazy     bool                 // compile rules at their first value
	watch    *interrupt.Watch     // ends compilation early
	errs     errorlimit.List

	mu sync.Mutex // guards lazy compilation
}

type buildKey struct {
	node *schema.Node
	root bool
}

// buildNode builds the tree for n, whose values have the CEL type t. It returns nil if there
// are no rules. implied is true in apiVersion, kind and metadata if their CEL types do not come
// from their schemas.
func (b *builder) buildNode(n *schema.Node, t *celtypes.Type, root, implied bool, path *field.Path) *node {
	if b.watch.Ended() {
		return nil
	}
	key := buildKey{node: n, root: root}
	if old, ok := b.memo[key]; ok && !implied && t != nil {
		return old
	}
	before := b.errs.Added()
	out := b.build(n, t, root, implied, path)
	if !implied && t != nil && b.errs.Added() == before {
		b.memo[key] = out
	}
	return out
}

func (b *builder) build(n *schema.Node, t *celtypes.Type, root, implied bool, path *field.Path) *node {
	out := &node{
		typ:        n.Type(),
		omitValue:  n.Kind() == schema.KindObject || n.Kind() == schema.KindArray,
		correlates: celtypes.Correlates(n),
	}
	b.rules(out, n, t, root, path)
	var elem *celtypes.Type
	if t != nil {
		elem = t.Elem
	}
	if items := n.Items(); celtypes.HasRules(items) {
		out.items = b.buildNode(items, elem, items.EmbeddedResource(), implied, path.Child("items"))
	}
	for name, child := range n.Properties() {
		if celtypes.HasRules(child) {
			b.property(out, name, child, t, implied, path.Child("properties").Key(name))
		}
	}
	if values, _ := n.AdditionalProperties(); celtypes.HasRules(values) {
		out.values = b.buildNode(values, elem, values.EmbeddedResource(), implied, path.Child("additionalProperties"))
	}
	if !out.hasRules && out.items == nil && out.values == nil && len(out.fields) == 0 {
		return nil
	}
	out.needsOld = out.usesOld || out.lazy.mayUseOld() || out.items.asksForOld() || out.values.asksForOld() ||
		slices.ContainsFunc(out.fields, func(f childField) bool { return f.node.asksForOld() })
	return out
}

func (n *node) asksForOld() bool { return n != nil && n.needsOld }

func (b *builder) property(parent *node, name string, n *schema.Node, t *celtypes.Type, implied bool, path *field.Path) {
	var child *celtypes.Type
	if escaped, ok := apiservercel.Escape(name); !ok {
		// The rules of this field run, though the parent's rules cannot refer to it.
		child = b.types.TypeOf(celtypes.SelfType, n, n.EmbeddedResource())
	} else if t != nil {
		child = b.types.Field(t, escaped)
		implied = implied || t.Implied && celtypes.IsMeta(name)
	}
	if child == nil {
		b.unreached(n, path)
		return
	}
	if c := b.buildNode(n, child, n.EmbeddedResource(), implied, path); c != nil {
		parent.fields = append(parent.fields, childField{name: name, node: c})
	}
}

// untyped checks rules of n, whose values have no CEL type: n is in items, but the schema
// above is not an array. The rules never run. The server admits them if they compile for
// n without the schema above.
func (b *builder) untyped(out *node, n *schema.Node, path *field.Path) {
	if b.stored {
		return
	}
	alone := b.types.TypeOf(celtypes.SelfType, n, n.EmbeddedResource())
	if alone == nil {
		b.report(field.InternalError(path, errors.New(out.broken)))
		return
	}
	scope, rules, self := b.Scope(alone), n.Rules(), b.declared.Of(n, n.EmbeddedResource())
	for i := range rules {
		if b.watch.Poll() {
			return
		}
		b.rule(n, &rules[i], scope, self, path.Index(i))
	}
}

func (b *builder) rules(out *node, n *schema.Node, t *celtypes.Type, root bool, path *field.Path) {
	rules := n.Rules()
	out.hasRules = len(rules) > 0
	if !out.hasRules {
		return
	}
	path = path.Child("x-kubernetes-validations")
	if t == nil {
		out.broken = "failed to convert to declType for CEL validation rules"
		b.reads.Note(n)
		b.untyped(out, n, path)
		return
	}
	if b.lazy {
		out.lazy = &lazyRules{builder: b, schema: n, self: t, root: root}
		return
	}
	b.compile(out, n, rules, t, root, path)
}

func (b *builder) compile(out *node, n *schema.Node, rules []schema.Rule, t *celtypes.Type, root bool, path *field.Path) {
	scope := b.Scope(t)
	out.self = b.declared.Of(n, root)
	out.rules = make([]rule, len(rules))
	for i := range rules {
		if b.watch.Poll() {
			return
		}
		out.rules[i] = b.rule(n, &rules[i], scope, out.self, path.Index(i))
		out.usesOld = out.usesOld || out.rules[i].usesOld
	}
}

func (b *builder) rule(n *schema.Node, r *schema.Rule, s *celtypes.Scope, self *celvalue.DeclaredType, path *field.Path) rule {
	out := rule{
		optional:      r.OptionalOldSelf,
		name:          strings.TrimSpace(r.Rule),
		messageSource: r.MessageExpression,
		reason:        apiextensionsv1.FieldValueErrorReason(r.Reason),
	}
	out.text = "failed rule: " + out.name
	if r.Message != "" {
		out.name = strings.TrimSpace(r.Message)
		out.text = out.name
	}
	if celtypes.IsBlank(r.Rule) {
		return out
	}
	tree, why := b.Check(s, r.Rule, r.OptionalOldSelf, cel.BoolType, &celtypes.RuleWording)
	if why != "" {
		out.broken = why
		b.reads.Note(n)
		b.report(field.Invalid(path.Child("rule"), celtypes.RuleValueOf(r), why))
		return out
	}
	out.condition = b.expression(s, tree, r.Rule, r.OptionalOldSelf)
	b.accelerate(out.condition, tree, self)
	out.usesOld = out.condition.usesOldSelf
	if !out.usesOld || out.optional {
		b.reads.Add(n, tree)
	}
	if f := out.condition.fast; f != nil {
		out.fast = *f
	}
	if r.MessageExpression != "" {
		tree, why := b.Check(s, r.MessageExpression, r.OptionalOldSelf, cel.StringType, &celtypes.MessageWording)
		if why != "" {
			b.report(field.Invalid(path.Child("messageExpression"), celtypes.RuleValueOf(r), why))
			return out
		}
		out.message = b.expression(s, tree, r.MessageExpression, r.OptionalOldSelf)
		b.accelerateMessage(out.message, tree, self)
	}
	if r.FieldPath != "" {
		if p, err := crdpath.ParseField(r.FieldPath, n); err == nil {
			out.path, out.pathText = p, p.String()
		}
	}
	return out
}

// unreached checks the rules of n and below, which never run because n has no CEL type. The
// server refuses some of them.
func (b *builder) unreached(n *schema.Node, path *field.Path) {
	if b.stored {
		return
	}
	b.reportUntyped(n, path, false)
}

// reportUntyped reports rules on values without a CEL type. below is true if a schema above
// n has rules and no CEL type.
func (b *builder) reportUntyped(n *schema.Node, path *field.Path, below bool) {
	if !celtypes.HasRules(n) || b.watch.Ended() {
		return
	}
	if rules := n.Rules(); len(rules) > 0 && !below {
		t := b.types.TypeOf(celtypes.SelfType, n, n.EmbeddedResource())
		if t != nil {
			b.buildNode(n, t, n.EmbeddedResource(), false, path)
			return
		}
		below = true
	}
	if below && len(n.Rules()) > 0 {
		b.report(field.InternalError(path.Child("x-kubernetes-validations"), fmt.Errorf(
			"internal error: failed to construct type information for x-kubernetes-validations rules: %s",
			"unable to convert structural schema to CEL declarations")))
	}
	b.reportUntyped(n.Items(), path.Child("items"), below)
	for name, child := range n.Properties() {
		b.reportUntyped(child, path.Child("properties").Key(name), below)
	}
	values, _ := n.AdditionalProperties()
	b.reportUntyped(values, path.Child("additionalProperties"), below)
}

func (b *builder) report(err *field.Error) {
	if !b.stored {
		b.errs.Add(err)
	}
}

// Limits of the server for estimated costs, in cost units of CEL.
const (
	// DefaultExpressionLimit limits the cost of a messageExpression, and the cost of a rule
	// times the number of its values.
	DefaultExpressionLimit = celcost.ExpressionLimit
	// DefaultSchemaLimit limits the cost of all expressions of a schema.
	DefaultSchemaLimit = celcost.SchemaLimit
)

// Check returns the errors of the rules of n and below, as kube-apiserver returns them when
// a definition is created or updated. It returns nil if there are none. A nil n has no
// rules. The errors have the order of the server:
//
//  1. Errors that need no compilation: blank texts, line breaks, unknown reasons, and a
//     fieldPath that does not exist.
//  2. Expressions that do not compile, cost too much, or refer to oldSelf where there is
//     none. A schema is skipped if it, or a schema below it, has an error of the first
//     group.
//  3. Errors of the total cost.
//
// Within each group, the errors below a schema come before its own: additionalProperties,
// properties by name, items, then the rules of the schema.
func Check(n *schema.Node, opts ...Option) field.ErrorList {
	o := newCompileOptions(opts)
	if o.wrong != nil {
		return field.ErrorList{o.wrong}
	}
	return celcost.Check(n, o.Options)
}
