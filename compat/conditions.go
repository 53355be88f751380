package compat

import (
	"fmt"
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/leafcheck"
	satisfy "github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A keyword is one condition that a schema puts on a value.
type keyword struct {
	code Code
	cond *satisfy.Cond
	text string // the keyword as the schema has it
	at   string // the keyword as a JSON Pointer below the schema
	rule *schema.Rule
	enum []any
}

func newKeyword(code Code, cond *satisfy.Cond, text, at string) keyword {
	return keyword{code: code, cond: cond, text: text, at: at}
}

// conditions translates schemas of one side to conditions. A condition holds for
// the values that the side admits and stores: fields that are pruned are absent,
// and fields with a default are present.
type conditions struct {
	side *side
	// open means that fields which the schema does not declare are kept.
	open bool
	// substitute makes conditions of junctors and rules hold for a value without a
	// field if they hold for it with the default of the field. The values of the
	// other side lack defaults that only this side has.
	substitute bool
	solver     *satisfy.Solver
	root       *schema.Node
	// status means that clients write the status of objects by itself, so that a
	// new object has none.
	status bool
	scaled *satisfy.Cond // what the scale subresource asks of objects
	nodes  map[*schema.Node]*satisfy.Cond
	rules  *ruleConditions
}

// newConditions returns the conditions of the objects of one side.
func newConditions(solver *satisfy.Solver, s *side, substitute bool) *conditions {
	k := &conditions{
		side: s, open: s.crd.Spec.PreserveUnknownFields, substitute: substitute, solver: solver, root: s.node,
		scaled: satisfy.True, nodes: map[*schema.Node]*satisfy.Cond{},
	}
	if s := s.crd.Spec.Versions[s.index].Subresources; s != nil {
		k.status = s.Status != nil
		if s.Scale != nil {
			k.scaled = satisfy.And(replicas(s.Scale.SpecReplicasPath), replicas(s.Scale.StatusReplicasPath))
		}
	}
	k.rules = newRuleConditions(k)
	return k
}

// replicas returns the condition that a field of the scale subresource is not
// negative.
func replicas(path string) *satisfy.Cond {
	c := satisfy.Vacuous(satisfy.AtLeast(0, false))
	for _, name := range slices.Backward(crdpath.NewScalePath(path).Steps) {
		c = satisfy.Vacuous(satisfy.IfAt(name, c))
	}
	return c
}

// object returns the condition of whole objects.
func (k *conditions) object() *satisfy.Cond {
	gvk := k.side.version.GroupVersionKind()
	text := satisfy.And(satisfy.Types(satisfy.String), satisfy.Not(satisfy.MinRunes(64)))
	meta := []*satisfy.Cond{satisfy.Types(satisfy.Object), satisfy.At("name", satisfy.And(text, satisfy.Matches(objectName)))}
	if k.side.version.Definition().Namespaced() {
		meta = append(meta, satisfy.At("namespace", satisfy.Enum("default")))
	}
	return satisfy.And(
		satisfy.Types(satisfy.Object),
		satisfy.At("apiVersion", satisfy.Enum(gvk.GroupVersion().String())),
		satisfy.At("kind", satisfy.Enum(gvk.Kind)),
		satisfy.At("metadata", satisfy.And(meta...)),
		k.scaled,
		k.of(k.root),
	)
}

// objectName matches names of objects.
const objectName = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`

// of returns the condition of the values of a schema and of everything below.
func (k *conditions) of(n *schema.Node) *satisfy.Cond {
	if n == nil {
		return satisfy.True
	}
	if c, ok := k.nodes[n]; ok {
		return c
	}
	var parts []*satisfy.Cond
	for _, w := range k.keywords(n) {
		parts = append(parts, w.cond)
	}
	parts = append(parts, k.members(n), k.items(n), k.others(n))
	if n.EmbeddedResource() {
		parts = append(parts, embeddedMembers())
	}
	c := satisfy.And(parts...)
	k.nodes[n] = c
	return c
}

// keywords returns the conditions of a schema without those of its children.
func (k *conditions) keywords(n *schema.Node) []keyword {
	typ := kindOf(n)
	out := []keyword{newKeyword(CodeType, satisfy.And(satisfy.Types(typesOf(n)), rangeOf(typ, "")), typeText(n), "/type")}
	out = append(out, k.limits(n.Limits(), typ, n)...)
	switch listType, _ := n.ListType(); listType {
	case "set":
		out = append(out, newKeyword(CodeListType, satisfy.Vacuous(satisfy.Distinct()), listType, "/x-kubernetes-list-type"))
	case "map":
		out = append(out, newKeyword(CodeListType, satisfy.Vacuous(satisfy.Distinct(n.ListMapKeys()...)), listType, "/x-kubernetes-list-type"))
	}
	out = append(out, k.junctors(n, n)...)
	return append(out, k.rules.keywords(n)...)
}

// kindOf returns the type by which the formats of a schema are known.
func kindOf(n *schema.Node) string {
	if n.IntOrString() {
		return ""
	}
	return n.Type()
}

func typesOf(n *schema.Node) satisfy.Mask {
	mask := typeMasks[n.Kind()]
	if n.IntOrString() {
		mask = satisfy.Integer | satisfy.String
	}
	if n.Nullable() {
		mask |= satisfy.Null
	}
	return mask
}

var typeMasks = map[schema.Kind]satisfy.Mask{
	schema.KindNone: satisfy.Any, schema.KindObject: satisfy.Object, schema.KindArray: satisfy.Array,
	schema.KindString: satisfy.String, schema.KindInteger: satisfy.Integer, schema.KindNumber: satisfy.Number,
	schema.KindBoolean: satisfy.Bool,
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

// members returns the conditions of the declared properties.
func (k *conditions) members(n *schema.Node) *satisfy.Cond {
	var parts []*satisfy.Cond
	for name, child := range n.Properties() {
		if (n == k.root || n.EmbeddedResource()) && name == "metadata" {
			parts = append(parts, satisfy.Vacuous(satisfy.IfAt(name, k.metadata(child))))
			continue
		}
		parts = append(parts, satisfy.Vacuous(satisfy.IfAt(name, k.of(child))))
		if _, ok := child.Default(); ok && !k.substitute && !(n == k.root && name == "status" && k.status) {
			parts = append(parts, satisfy.Vacuous(satisfy.At(name, satisfy.True)))
		}
	}
	return satisfy.And(parts...)
}

// metadata returns the conditions of metadata, of which a schema constrains only
// some fields and which nothing prunes by the schema.
func (k *conditions) metadata(n *schema.Node) *satisfy.Cond {
	parts := []*satisfy.Cond{satisfy.Types(satisfy.Object)}
	for name, child := range n.Properties() {
		parts = append(parts, satisfy.IfAt(name, k.of(child)))
	}
	for _, w := range k.limits(n.Limits(), "object", n) {
		parts = append(parts, w.cond)
	}
	return satisfy.And(parts...)
}

func (k *conditions) items(n *schema.Node) *satisfy.Cond {
	if n.Items() == nil {
		return satisfy.True
	}
	return satisfy.Vacuous(satisfy.EveryItem(k.of(n.Items())))
}

// others returns the condition of members without a property.
func (k *conditions) others(n *schema.Node) *satisfy.Cond {
	c := k.otherValues(n)
	if c == satisfy.True {
		return c
	}
	return satisfy.Vacuous(satisfy.EveryOther(k.propertyNames(n, nil), c))
}

// otherValues returns the condition of the value of a member without a property.
func (k *conditions) otherValues(n *schema.Node) *satisfy.Cond {
	_, declared := n.AdditionalProperties()
	switch additional := additionalOf(n); {
	case additional != nil:
		return k.of(additional)
	case declared:
		return satisfy.False
	case n.PreserveUnknownFields() || k.open || n.Kind() != schema.KindObject && n != bare:
		return satisfy.True
	}
	return satisfy.False
}

// propertyNames appends the names of the members that a schema declares.
func (k *conditions) propertyNames(n *schema.Node, names []string) []string {
	for name := range n.Properties() {
		names = append(names, name)
	}
	if n == k.root || n.EmbeddedResource() {
		names = append(names, "apiVersion", "kind", "metadata")
	}
	return names
}

// embeddedMembers is the condition of the members that every resource has.
func embeddedMembers() *satisfy.Cond {
	text := satisfy.And(satisfy.Types(satisfy.String), satisfy.MinRunes(1))
	return satisfy.And(
		satisfy.Vacuous(satisfy.At("apiVersion", satisfy.And(text, satisfy.Matches(`^[^/]*(/[^/]*)?$`)))),
		satisfy.Vacuous(satisfy.At("kind", satisfy.And(text, satisfy.Matches(`^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$`)))),
		satisfy.Vacuous(satisfy.IfAt("metadata", satisfy.Types(satisfy.Object))),
	)
}

// limits returns the conditions of the value validations of a schema or branch. n
// is the schema whose values they constrain.
func (k *conditions) limits(l schema.Limits, typ string, n *schema.Node) []keyword {
	var out []keyword
	add := func(code Code, c *satisfy.Cond, text, at string) {
		out = append(out, newKeyword(code, satisfy.Vacuous(c), text, at))
	}
	if widest := l.Format == "int64" || l.Format == "double"; !widest && format.Supported(typ, l.Format, format.DefaultMinor) {
		add(CodeFormat, formatCond(typ, l.Format), l.Format, "/format")
	}
	if l.Pattern != "" {
		add(CodePattern, satisfy.Matches(l.Pattern), l.Pattern, "/pattern")
	}
	numbers := leafcheck.NewNumber(&leafcheck.Type{Names: []string{typ}, Format: l.Format}, &l)
	if b := numbers.Min; b.Set {
		add(CodeMinimum, boundCond(b, func(x float64) *satisfy.Cond { return satisfy.AtLeast(x, b.Exclusive) }), boundText(b.Bound), "/minimum")
	}
	if b := numbers.Max; b.Set {
		add(CodeMaximum, boundCond(b, func(x float64) *satisfy.Cond { return satisfy.AtMost(x, b.Exclusive) }), boundText(b.Bound), "/maximum")
	}
	if b := numbers.Multiple; b.Set {
		add(CodeMultipleOf, boundCond(b, multipleOf), boundText(b.Bound), "/multipleOf")
	}
	for _, c := range []struct {
		code  Code
		count schema.Count
		cond  func(int64) *satisfy.Cond
		upper bool
	}{
		{CodeMinLength, l.MinLength, satisfy.MinRunes, false},
		{CodeMaxLength, l.MaxLength, satisfy.MinRunes, true},
		{CodeMinItems, l.MinItems, satisfy.MinItems, false},
		{CodeMaxItems, l.MaxItems, satisfy.MinItems, true},
		{CodeMinProperties, l.MinProperties, satisfy.MinProps, false},
		{CodeMaxProperties, l.MaxProperties, k.minProps(n), true},
	} {
		switch {
		case !c.count.Set:
		case c.upper && c.count.N < math.MaxInt64:
			add(c.code, satisfy.Not(c.cond(c.count.N+1)), valueText(c.count.N), "/"+string(c.code))
		case !c.upper:
			add(c.code, c.cond(c.count.N), valueText(c.count.N), "/"+string(c.code))
		}
	}
	if l.UniqueItems {
		add(CodeUniqueItems, satisfy.Distinct(), "true", "/uniqueItems")
	}
	if len(l.Enum) > 0 {
		c := satisfy.And(satisfy.Enum(l.Enum...), satisfy.Types(satisfy.Any&^satisfy.Null))
		k := newKeyword(CodeEnum, c, shortList(l.Enum), "/enum")
		k.enum = l.Enum
		out = append(out, k)
	}
	for _, name := range l.Required {
		c := k.member(n, name, satisfy.True, true)
		out = append(out, newKeyword(CodeRequired, satisfy.Vacuous(c), name, "/required"))
	}
	return out
}

func boundText(b schema.Bound) string {
	if b.Exclusive {
		return valueText(b.Value) + " (exclusive)"
	}
	return valueText(b.Value)
}

// boundCond returns the condition that numbers obey a bound: whole numbers obey its
// integer part. If the bound is outside the range of the type, no number does. The integer
// part of a bound beyond 64 bits depends on the processor of the server.
func boundCond(b leafcheck.Limit, cond func(x float64) *satisfy.Cond) *satisfy.Cond {
	switch {
	case !b.Fits:
		return satisfy.Types(satisfy.Any &^ satisfy.Number)
	case b.Value == math.Trunc(b.Value) && math.Abs(b.Value) < 1<<63:
		return cond(b.Value)
	}
	whole := satisfy.Opaque(fmt.Sprintf("integers and the bound %v", b.Bound), satisfy.Holds)
	if math.Abs(b.Value) < 1<<63 {
		whole = cond(math.Trunc(b.Value))
	}
	return satisfy.And(
		satisfy.Or(satisfy.Types(satisfy.Any&^satisfy.Integer), whole),
		satisfy.Or(satisfy.Types(satisfy.Any&^satisfy.Fraction), cond(b.Value)),
	)
}

func multipleOf(x float64) *satisfy.Cond {
	if x <= 0 {
		return satisfy.Types(satisfy.Any &^ satisfy.Number)
	}
	return satisfy.MultipleOf(x)
}

// formatCond returns the condition of a format.
func formatCond(typ, name string) *satisfy.Cond {
	if typ == "integer" || typ == "number" {
		return rangeOf(typ, name)
	}
	return satisfy.Format(name)
}

// rangeOf returns the condition that a number is in the range of its type and format.
func rangeOf(typ, name string) *satisfy.Cond {
	low, high, strict := -float64(1<<63), float64(1<<63), true
	switch {
	case typ == "integer" && name == "int32":
		low, high, strict = math.MinInt32, math.MaxInt32, false
	case typ == "number" && name == "float":
		low, high, strict = -math.MaxFloat32, math.MaxFloat32, false
	case typ != "integer":
		return satisfy.True
	}
	return satisfy.And(satisfy.Vacuous(satisfy.AtLeast(low, false)), satisfy.Vacuous(satisfy.AtMost(high, strict)))
}

// member returns the condition that a member satisfies c. A member that has a
// default of this side may be absent, see substitute.
func (k *conditions) member(n *schema.Node, name string, c *satisfy.Cond, required bool) *satisfy.Cond {
	if k.substitute && n != nil {
		if def, ok := n.Property(name).Default(); ok {
			required = !k.solver.Satisfied(c, def)
		}
	}
	if required {
		return satisfy.At(name, c)
	}
	return satisfy.IfAt(name, c)
}
