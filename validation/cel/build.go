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

	"github.com/crdkit/crdkit/internal/celeval"
	"github.com/crdkit/crdkit/internal/celtypes"
	"github.com/crdkit/crdkit/internal/celvalue"
	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/fieldaccess"
	"github.com/crdkit/crdkit/schema"
)

// The tree of rules.
//
// The walk that runs rules visits a tree of its own, which has a node only
// where there are rules or where the way to rules leads through. It is built
// from the schema and from the type of self at the root, side by side: what
// has no type in CEL is left out with all that is below it, and rules there are
// never run, which is what the server does.

// A node holds the rules of a schema node and those below it.
type node struct {
	typ       any                    // as declared, a string that errors show
	omitValue bool                   // errors do not show values of objects and lists
	self      *celvalue.DeclaredType // if there are rules
	rules     []rule
	usesOld   bool       // one of the rules refers to oldSelf
	needsOld  bool       // one of them may, or one below
	ruled     bool       // there are rules, or is a reason why not
	broken    string     // why there are no rules, if so
	lazy      *lazyRules // compiles the rules, if that was put off

	items      *node
	values     *node // of additionalProperties
	fields     []childField
	correlates bool // entries have old values; true unless the map type is unheard of
}

type childField struct {
	node *node
	name string
	step schema.Step
}

// A rule is compiled once for equal schemas.
type rule struct {
	// What every evaluation reads comes first, so that it is read at once.
	fast      celeval.Closure // of the condition; without run if cel-go evaluates it
	condition *expression     // nil for a blank rule and one that does not compile
	broken    string          // why it does not compile
	optional  bool            // oldSelf is an optional
	onOld     bool            // the condition refers to oldSelf

	message *expression // nil without a messageExpression that compiles

	path     schema.Path // of the field, below the value, at which to report
	pathText string      // path as one step

	name          string // what errors call the rule
	text          string // of the failure, unless message yields one
	messageSource string
	reason        apiextensionsv1.FieldValueErrorReason
}

func (r *rule) usesOld() bool { return r.onOld }

// A builder is the state of one Compile.
type builder struct {
	celtypes.Checker
	types    *celtypes.Provider
	declared celvalue.Types
	memo     map[buildKey]*node
	reads    fieldaccess.Analysis // what rules look at
	stored   bool                 // keep errors for the run
	lazy     bool                 // compile rules when they are first run
	errs     field.ErrorList

	mu sync.Mutex // of what is put off
}

type buildKey struct {
	node *schema.Node
	root bool
}

// node builds the tree for n, whose values are of type t. It returns nil if
// there is nothing to run. implied says that t is not made from n but is that
// of a field which resources have whatever is declared.
func (b *builder) node(n *schema.Node, t *celtypes.Type, root, implied bool, path *field.Path) *node {
	key := buildKey{node: n, root: root}
	if old, ok := b.memo[key]; ok && !implied && t != nil {
		return old
	}
	before := len(b.errs)
	out := b.build(n, t, root, implied, path)
	if !implied && t != nil && len(b.errs) == before {
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
		out.items = b.node(items, elem, items.EmbeddedResource(), implied, path.Child("items"))
	}
	for name, child := range n.Properties() {
		if celtypes.HasRules(child) {
			b.property(out, name, child, t, implied, path.Child("properties").Key(name))
		}
	}
	if values, _ := n.AdditionalProperties(); celtypes.HasRules(values) {
		out.values = b.node(values, elem, values.EmbeddedResource(), implied, path.Child("additionalProperties"))
	}
	out.ruled = len(n.Rules()) > 0
	if !out.ruled && out.items == nil && out.values == nil && len(out.fields) == 0 {
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
		// Rules of the parent cannot spell the name; the field has its own.
		child = b.types.TypeOf(celtypes.SelfType, n, n.EmbeddedResource())
	} else if t != nil {
		child = b.types.Field(t, escaped)
		implied = implied || t.Implied && celtypes.IsMeta(name)
	}
	if child == nil {
		b.unreached(n, path)
		return
	}
	if c := b.node(n, child, n.EmbeddedResource(), implied, path); c != nil {
		parent.fields = append(parent.fields, childField{name: name, step: schema.Field(name), node: c})
	}
}

// untyped judges rules of n that are never run, since what n is the items of is
// no list. The server stores them if they are right for n alone.
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
		b.rule(n, &rules[i], scope, self, path.Index(i))
	}
}

// rules compiles the rules of n itself.
func (b *builder) rules(out *node, n *schema.Node, t *celtypes.Type, root bool, path *field.Path) {
	rules := n.Rules()
	if len(rules) == 0 {
		return
	}
	path = path.Child("x-kubernetes-validations")
	if t == nil {
		out.broken = "failed to convert to declType for CEL validation rules"
		b.untyped(out, n, path)
		return
	}
	if b.lazy {
		out.lazy = &lazyRules{builder: b, schema: n, self: t, root: root}
		return
	}
	b.compile(out, n, t, root, path)
}

func (b *builder) compile(out *node, n *schema.Node, t *celtypes.Type, root bool, path *field.Path) {
	scope, rules := b.Scope(t), n.Rules()
	out.self = b.declared.Of(n, root)
	out.rules = make([]rule, len(rules))
	for i := range rules {
		out.rules[i] = b.rule(n, &rules[i], scope, out.self, path.Index(i))
		out.usesOld = out.usesOld || out.rules[i].usesOld()
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
		b.report(field.Invalid(path.Child("rule"), celtypes.RuleValueOf(r), why))
		return out
	}
	out.condition = b.expression(s, tree, r.Rule, r.OptionalOldSelf)
	b.accelerate(out.condition, tree, self)
	out.onOld = out.condition.usesOldSelf
	b.reads.Add(n, tree)
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

// unreached looks for rules of n and below, which are never run because n has
// no type. Where the server refuses to store such a rule, so do we; where it
// stores the rule and ignores it, we do that too.
func (b *builder) unreached(n *schema.Node, path *field.Path) {
	if b.stored {
		return
	}
	b.refuse(n, path, false)
}

// refuse reports rules on values without a type. below says that there are
// rules on an outer value without a type.
func (b *builder) refuse(n *schema.Node, path *field.Path, below bool) {
	if !celtypes.HasRules(n) {
		return
	}
	if rules := n.Rules(); len(rules) > 0 && !below {
		t := b.types.TypeOf(celtypes.SelfType, n, n.EmbeddedResource())
		if t != nil {
			b.node(n, t, n.EmbeddedResource(), false, path)
			return
		}
		below = true
	}
	if below && len(n.Rules()) > 0 {
		b.report(field.InternalError(path.Child("x-kubernetes-validations"), fmt.Errorf(
			"internal error: failed to construct type information for x-kubernetes-validations rules: %s",
			"unable to convert structural schema to CEL declarations")))
	}
	b.refuse(n.Items(), path.Child("items"), below)
	for name, child := range n.Properties() {
		b.refuse(child, path.Child("properties").Key(name), below)
	}
	values, _ := n.AdditionalProperties()
	b.refuse(values, path.Child("additionalProperties"), below)
}

func (b *builder) report(err *field.Error) {
	if !b.stored {
		b.errs = append(b.errs, err)
	}
}
