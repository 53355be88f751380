package compat

import (
	"fmt"
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/celcond"
	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/value/format"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// A keyword is one condition that a schema puts on a value.
type keyword struct {
	code Code
	cond *search.Cond
	text string
	at   string // the JSON Pointer of the keyword below the schema
	rule *schema.Rule
	enum []any
}

func newKeyword(code Code, cond *search.Cond, text, at string) keyword {
	return keyword{code: code, cond: cond, text: text, at: at}
}

// conditions translates the schemas of one side to conditions on stored objects. In a stored
// object, pruned fields are absent, and fields with a default are present.
type conditions struct {
	side *side
	// open means that fields without a schema are kept.
	open bool
	// substitute means that the objects come from the other side and lack the defaults of this
	// side. Where a field is absent, its default must satisfy the condition.
	substitute bool
	solver     *search.Solver
	root       *schema.Node
	// status means that the status is a subresource, so new objects have none.
	status     bool
	scaleCond  *search.Cond
	nodes      map[*schema.Node]*search.Cond
	translator *celcond.Translator
	// changed reports whether the value that rules see at a path may differ from the stored value.
	changed func(path []string) bool
}

func newConditions(solver *search.Solver, s *side, substitute bool) *conditions {
	k := &conditions{
		side: s, open: s.crd.Spec.PreserveUnknownFields, substitute: substitute, solver: solver, root: s.node,
		scaleCond: search.True, nodes: map[*schema.Node]*search.Cond{},
	}
	if s := s.crd.Spec.Versions[s.index].Subresources; s != nil {
		k.status = s.Status != nil
		if s.Scale != nil {
			k.scaleCond = search.And(replicas(s.Scale.SpecReplicasPath), replicas(s.Scale.StatusReplicasPath))
		}
	}
	k.translator = celcond.New(k.root, func(n *schema.Node, name string, c *search.Cond) *search.Cond { return k.member(n, name, c, true) })
	return k
}

// replicas returns the condition that a field of the scale subresource is not negative.
func replicas(path string) *search.Cond {
	c := search.Vacuous(search.AtLeast(0, false))
	for _, name := range slices.Backward(crdpath.NewScalePath(path).Steps) {
		c = search.Vacuous(search.IfAt(name, c))
	}
	return c
}

func (k *conditions) object() *search.Cond {
	gvk := k.side.version.GroupVersionKind()
	text := search.And(search.Types(search.String), search.Not(search.MinRunes(64)))
	meta := []*search.Cond{search.Types(search.Object), search.At("name", search.And(text, search.Matches(objectName)))}
	if k.side.version.Definition().Namespaced() {
		meta = append(meta, search.At("namespace", search.Enum("default")))
	}
	return search.And(
		search.Types(search.Object),
		search.At("apiVersion", search.Enum(gvk.GroupVersion().String())),
		search.At("kind", search.Enum(gvk.Kind)),
		search.At("metadata", search.And(meta...)),
		k.scaleCond,
		k.of(k.root),
	)
}

const objectName = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`

// of returns the condition that a schema and everything below it put on a value.
func (k *conditions) of(n *schema.Node) *search.Cond {
	if n == nil {
		return search.True
	}
	if c, ok := k.nodes[n]; ok {
		return c
	}
	c := k.without(n, "")
	k.nodes[n] = c
	return c
}

func (k *conditions) without(n *schema.Node, code Code) *search.Cond {
	var parts []*search.Cond
	for _, w := range k.keywords(n) {
		if w.code != code {
			parts = append(parts, w.cond)
		}
	}
	parts = append(parts, k.members(n), k.items(n), k.others(n))
	if n.EmbeddedResource() {
		parts = append(parts, embeddedMembers())
	}
	return search.And(parts...)
}

// keywords returns the conditions of a schema without the schemas below it.
func (k *conditions) keywords(n *schema.Node) []keyword {
	typ := kindOf(n)
	out := []keyword{newKeyword(CodeType, search.And(search.Types(typesOf(n)), rangeOf(typ, "")), typeText(n), "/type")}
	out = append(out, k.limits(n.Limits(), typ, n)...)
	switch listType, _ := n.ListType(); listType {
	case "set":
		out = append(out, newKeyword(CodeListType, search.Vacuous(search.Distinct()), listType, "/x-kubernetes-list-type"))
	case "map":
		out = append(out, newKeyword(CodeListType, search.Vacuous(search.Distinct(n.ListMapKeys()...)), listType, "/x-kubernetes-list-type"))
	}
	out = append(out, k.junctors(n, n)...)
	return append(out, k.ruleKeywords(n)...)
}

// kindOf returns the type for checks of formats and bounds. An int-or-string counts as untyped.
func kindOf(n *schema.Node) string {
	if n.IntOrString() {
		return ""
	}
	return n.Type()
}

func typesOf(n *schema.Node) search.Mask {
	mask := typeMasks[n.Kind()]
	if n.IntOrString() {
		mask = search.Integer | search.String
	}
	if n.Nullable() {
		mask |= search.Null
	}
	return mask
}

var typeMasks = map[schema.Kind]search.Mask{
	schema.KindNone: search.Any, schema.KindObject: search.Object, schema.KindArray: search.Array,
	schema.KindString: search.String, schema.KindInteger: search.Integer, schema.KindNumber: search.Number,
	schema.KindBoolean: search.Bool,
}

func typeText(n *schema.Node) string {
	text := n.Type()
	if n.IntOrString() {
		text = "integer or string"
	}
	if text == "" {
		text = "any type"
	}
	if n.Nullable() {
		text += " or null"
	}
	return text
}

func (k *conditions) members(n *schema.Node) *search.Cond {
	var parts []*search.Cond
	for name, child := range n.Properties() {
		if (n == k.root || n.EmbeddedResource()) && name == "metadata" {
			parts = append(parts, search.Vacuous(search.IfAt(name, k.metadata(child))))
			continue
		}
		parts = append(parts, search.Vacuous(search.IfAt(name, k.of(child))))
		if _, ok := child.Default(); ok && !k.substitute && !(n == k.root && name == "status" && k.status) {
			parts = append(parts, search.Vacuous(search.At(name, search.True)))
		}
	}
	return search.And(parts...)
}

// metadata is [conditions.of] for metadata, which is not pruned.
func (k *conditions) metadata(n *schema.Node) *search.Cond {
	parts := []*search.Cond{search.Types(search.Object)}
	for name, child := range n.Properties() {
		parts = append(parts, search.IfAt(name, k.of(child)))
	}
	for _, w := range k.limits(n.Limits(), "object", n) {
		parts = append(parts, w.cond)
	}
	return search.And(parts...)
}

func (k *conditions) items(n *schema.Node) *search.Cond {
	if n.Items() == nil {
		return search.True
	}
	return search.Vacuous(search.EveryItem(k.of(n.Items())))
}

// others returns the condition on the members that a schema does not declare.
func (k *conditions) others(n *schema.Node) *search.Cond {
	c := k.otherValues(n)
	if c == search.True {
		return c
	}
	return search.Vacuous(search.EveryOther(k.propertyNames(n, nil), c))
}

// otherValues returns the condition on the value of a member that a schema does not declare.
func (k *conditions) otherValues(n *schema.Node) *search.Cond {
	_, declared := n.AdditionalProperties()
	switch additional := additionalOf(n); {
	case additional != nil:
		return k.of(additional)
	case declared:
		return search.False
	case n.PreserveUnknownFields() || k.open || n.Kind() != schema.KindObject && n != undeclared:
		return search.True
	}
	return search.False
}

func (k *conditions) propertyNames(n *schema.Node, names []string) []string {
	for name := range n.Properties() {
		names = append(names, name)
	}
	if n == k.root || n.EmbeddedResource() {
		names = append(names, "apiVersion", "kind", "metadata")
	}
	return names
}

func embeddedMembers() *search.Cond {
	text := search.And(search.Types(search.String), search.MinRunes(1))
	return search.And(
		search.Vacuous(search.At("apiVersion", search.And(text, search.Matches(`^[^/]*(/[^/]*)?$`)))),
		search.Vacuous(search.At("kind", search.And(text, search.Matches(`^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$`)))),
		search.Vacuous(search.IfAt("metadata", search.Types(search.Object))),
	)
}

// limits returns the conditions that l puts on values of n. l belongs to n or to a branch.
func (k *conditions) limits(l schema.Limits, typ string, n *schema.Node) []keyword {
	var out []keyword
	add := func(code Code, c *search.Cond, text, at string) {
		out = append(out, newKeyword(code, search.Vacuous(c), text, at))
	}
	if widest := l.Format == "int64" || l.Format == "double"; !widest && format.Supported(typ, l.Format, format.DefaultMinor) {
		add(CodeFormat, formatCond(typ, l.Format), l.Format, "/format")
	}
	if l.Pattern != "" {
		add(CodePattern, search.Matches(l.Pattern), l.Pattern, "/pattern")
	}
	numbers := leafcheck.NewNumber(&leafcheck.Type{Names: []string{typ}, Format: l.Format}, &l)
	if b := numbers.Min; b.Set {
		add(CodeMinimum, boundCond(b, func(x float64) *search.Cond { return search.AtLeast(x, b.Exclusive) }), boundText(b.Bound), "/minimum")
	}
	if b := numbers.Max; b.Set {
		add(CodeMaximum, boundCond(b, func(x float64) *search.Cond { return search.AtMost(x, b.Exclusive) }), boundText(b.Bound), "/maximum")
	}
	if b := numbers.Multiple; b.Set {
		add(CodeMultipleOf, boundCond(b, multipleOf), boundText(b.Bound), "/multipleOf")
	}
	for _, c := range []struct {
		code  Code
		count schema.Count
		cond  func(int64) *search.Cond
		upper bool
	}{
		{CodeMinLength, l.MinLength, search.MinRunes, false},
		{CodeMaxLength, l.MaxLength, search.MinRunes, true},
		{CodeMinItems, l.MinItems, search.MinItems, false},
		{CodeMaxItems, l.MaxItems, search.MinItems, true},
		{CodeMinProperties, l.MinProperties, search.MinProps, false},
		{CodeMaxProperties, l.MaxProperties, k.minProps(n), true},
	} {
		switch {
		case !c.count.Set:
		case c.upper && c.count.N < math.MaxInt64:
			add(c.code, search.Not(c.cond(c.count.N+1)), valueText(c.count.N), "/"+string(c.code))
		case !c.upper:
			add(c.code, c.cond(c.count.N), valueText(c.count.N), "/"+string(c.code))
		}
	}
	if l.UniqueItems {
		add(CodeUniqueItems, search.Distinct(), "true", "/uniqueItems")
	}
	if len(l.Enum) > 0 {
		c := search.And(search.Enum(l.Enum...), search.Types(search.Any&^search.Null))
		k := newKeyword(CodeEnum, c, shortList(l.Enum), "/enum")
		k.enum = l.Enum
		out = append(out, k)
	}
	for _, name := range l.Required {
		c := k.member(n, name, search.True, true)
		out = append(out, newKeyword(CodeRequired, search.Vacuous(c), name, "/required"))
	}
	return out
}

func boundText(b schema.Bound) string {
	if b.Exclusive {
		return valueText(b.Value) + " (exclusive)"
	}
	return valueText(b.Value)
}

// boundCond returns the condition of a bound. If the bound is outside the range of the type, no
// number satisfies it. For integers, the server drops the fraction of the bound. If the bound has
// more than 64 bits, the result depends on the server's processor.
func boundCond(b leafcheck.Limit, cond func(x float64) *search.Cond) *search.Cond {
	switch {
	case !b.Fits:
		return search.Types(search.Any &^ search.Number)
	case b.Value == math.Trunc(b.Value) && math.Abs(b.Value) < 1<<63:
		return cond(b.Value)
	}
	whole := search.Opaque(fmt.Sprintf("integers and the bound %v", b.Bound), search.Holds)
	if math.Abs(b.Value) < 1<<63 {
		whole = cond(math.Trunc(b.Value))
	}
	return search.And(
		search.Or(search.Types(search.Any&^search.Integer), whole),
		search.Or(search.Types(search.Any&^search.Fraction), cond(b.Value)),
	)
}

func multipleOf(x float64) *search.Cond {
	if x <= 0 {
		return search.Types(search.Any &^ search.Number)
	}
	return search.MultipleOf(x)
}

func formatCond(typ, name string) *search.Cond {
	if typ == "integer" || typ == "number" {
		return rangeOf(typ, name)
	}
	return search.Format(name)
}

func rangeOf(typ, name string) *search.Cond {
	low, high, strict := -float64(1<<63), float64(1<<63), true
	switch {
	case typ == "integer" && name == "int32":
		low, high, strict = math.MinInt32, math.MaxInt32, false
	case typ == "number" && name == "float":
		low, high, strict = -math.MaxFloat32, math.MaxFloat32, false
	case typ != "integer":
		return search.True
	}
	return search.And(search.Vacuous(search.AtLeast(low, false)), search.Vacuous(search.AtMost(high, strict)))
}

// member returns the condition that a member satisfies c, or is absent if it is not required. If
// k.substitute is true, a member with a default may be absent only if the default satisfies c.
func (k *conditions) member(n *schema.Node, name string, c *search.Cond, required bool) *search.Cond {
	if k.substitute && n != nil {
		if def, ok := n.Property(name).Default(); ok {
			required = !k.solver.Satisfied(c, def)
		}
	}
	if required {
		return search.At(name, c)
	}
	return search.IfAt(name, c)
}

// maxCountedDefaults limits the defaults that minProps counts exactly.
const maxCountedDefaults = 6

// minProps returns a function for the condition that an object has at least count members. If
// k.substitute is true, absent members with a default count as present.
func (k *conditions) minProps(n *schema.Node) func(count int64) *search.Cond {
	var defaults []string
	if k.substitute {
		for name, child := range n.Properties() {
			if _, ok := child.Default(); ok {
				defaults = append(defaults, name)
			}
		}
	}
	return func(count int64) *search.Cond {
		switch added := int64(len(defaults)); {
		case added == 0:
			return search.MinProps(count)
		case added > maxCountedDefaults:
			some := search.Opaque(fmt.Sprintf("%d members with %q", count, defaults), search.Holds)
			return search.Or(search.MinProps(count), search.And(search.MinProps(count-added), some))
		}
		return withDefaults(count, defaults)
	}
}

// withDefaults returns the condition that an object has at least count members. The absent members
// in defaults count as present.
func withDefaults(count int64, defaults []string) *search.Cond {
	if len(defaults) == 0 {
		return search.MinProps(count)
	}
	first, rest := defaults[0], defaults[1:]
	return search.Or(
		withDefaults(count, rest),
		search.And(search.Types(search.Object), search.Not(search.At(first, search.True)), withDefaults(count-1, rest)),
	)
}

type combined interface {
	AllOf() []*schema.Branch
	AnyOf() []*schema.Branch
	OneOf() []*schema.Branch
	Not() *schema.Branch
}

// junctors returns the conditions that allOf, anyOf, oneOf and not put on values of n.
func (k *conditions) junctors(b combined, n *schema.Node) []keyword {
	var out []keyword
	add := func(code Code, c *search.Cond, at string) {
		if typesOf(n)&search.Null != 0 { // the server evaluates no junctors on null
			c = search.Or(search.Types(search.Null), c)
		}
		out = append(out, newKeyword(code, c, "", at))
	}
	for i, sub := range b.AllOf() {
		add(CodeAllOf, k.branch(sub, n), fmt.Sprintf("/allOf/%d", i))
	}
	if subs := b.AnyOf(); len(subs) > 0 {
		add(CodeAnyOf, search.Or(k.branches(subs, n)...), "/anyOf")
	}
	if subs := b.OneOf(); len(subs) > 0 {
		add(CodeOneOf, exactlyOne(k.branches(subs, n)), "/oneOf")
	}
	if sub := b.Not(); sub != nil {
		add(CodeNot, search.Not(k.branch(sub, n)), "/not")
	}
	return out
}

func (k *conditions) branches(list []*schema.Branch, n *schema.Node) []*search.Cond {
	out := make([]*search.Cond, len(list))
	for i, b := range list {
		out[i] = k.branch(b, n)
	}
	return out
}

func exactlyOne(list []*search.Cond) *search.Cond {
	alternatives := make([]*search.Cond, len(list))
	for i := range list {
		parts := []*search.Cond{list[i]}
		for j, c := range list {
			if j != i {
				parts = append(parts, search.Not(c))
			}
		}
		alternatives[i] = search.And(parts...)
	}
	return search.Or(alternatives...)
}

// branch returns the condition that a branch puts on values of n. n may be nil.
func (k *conditions) branch(b *schema.Branch, n *schema.Node) *search.Cond {
	var parts []*search.Cond
	if b.IntOrString() {
		parts = append(parts, search.Types(search.Integer|search.String))
	} else if kind := b.Kind(); kind != schema.KindNone {
		mask := typeMasks[kind]
		if b.Nullable() || n.Nullable() {
			mask |= search.Null
		}
		parts = append(parts, search.Types(mask), rangeOf(b.Type(), ""))
	}
	// Without a type, the format of a branch applies to strings.
	for _, w := range k.limits(b.Limits(), b.Type(), n) {
		parts = append(parts, w.cond)
	}
	var names []string
	for name, child := range b.Properties() {
		names = append(names, name)
		c := k.branch(child, memberSchema(n, name))
		parts = append(parts, search.Vacuous(k.member(n, name, c, false)))
	}
	if b.Items() != nil {
		parts = append(parts, search.Vacuous(search.EveryItem(k.branch(b.Items(), n.Items()))))
	}
	switch additional, declared := b.AdditionalProperties(); {
	case additional != nil:
		parts = append(parts, search.Vacuous(search.EveryOther(names, k.branch(additional, nil))))
	case declared && !b.AllowsAdditionalProperties():
		parts = append(parts, search.Vacuous(search.EveryOther(names, search.False)))
	}
	for _, w := range k.junctors(b, n) {
		parts = append(parts, w.cond)
	}
	return search.And(parts...)
}
