package apply

import (
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// maxDepth is the number of values in one another that the fast merge follows.
const maxDepth = 200

// An atom is a type of a typed schema with its references resolved. It says how values
// merge and who owns which part of them. The fast merge works on atoms; structured-merge-diff
// resolves the same types anew for every value.
type atom struct {
	scalar schema.Scalar // "" if the value is no scalar
	list   *listAtom     // nil if the value is no list
	object *objectAtom   // nil if the value is no object
}

// A listAtom is the type of a list.
type listAtom struct {
	atomic bool
	keys   []listKey // of a list of type map, in increasing order of name
	items  *atom
}

// A listKey is a key of a list of type map.
type listKey struct {
	name         string
	defaultValue any // nil for none
}

// An objectAtom is the type of an object.
type objectAtom struct {
	atomic bool
	// anything: the members can have any type, so that a change of the schema does not
	// change who owns them.
	anything bool
	fields   map[string]*atom
	others   *atom // of members that are not in fields, nil if there must be none
}

// newAtom returns the type of the objects of a version. It returns nil for a schema that
// only the reference understands.
func newAtom(t typed.ParseableType) *atom {
	c := &atomCompiler{schema: t.Schema, named: map[atomName]*atom{}}
	out := c.compile(t.TypeRef, 0)
	if c.failed || out.object == nil || out.object.atomic || out.object.anything {
		return nil
	}
	return out
}

// atomName identifies a reference to a named type.
type atomName struct {
	name         string
	relationship schema.ElementRelationship
}

// An atomCompiler resolves the types of one schema.
type atomCompiler struct {
	schema *schema.Schema
	named  map[atomName]*atom
	failed bool // there is a type that the fast merge does not know
}

// compile returns the type to which a reference refers, each named type once.
func (c *atomCompiler) compile(ref schema.TypeRef, depth int) *atom {
	resolved, ok := c.schema.Resolve(ref)
	if !ok || depth > maxDepth {
		c.failed = true
		return &atom{}
	}
	if ref.NamedType == nil {
		out := &atom{}
		c.fill(out, resolved, depth)
		return out
	}
	name := atomName{name: *ref.NamedType}
	if ref.ElementRelationship != nil {
		name.relationship = *ref.ElementRelationship
	}
	out := c.named[name]
	if out == nil {
		out = &atom{}
		c.named[name] = out
		c.fill(out, resolved, depth)
	}
	return out
}

func (c *atomCompiler) fill(out *atom, resolved schema.Atom, depth int) {
	if resolved.Scalar != nil {
		out.scalar = *resolved.Scalar
	}
	if resolved.List != nil {
		out.list = c.listAtom(resolved.List, depth)
	}
	if resolved.Map != nil {
		out.object = c.objectAtom(resolved.Map, depth)
	}
}

func (c *atomCompiler) listAtom(l *schema.List, depth int) *listAtom {
	out := &listAtom{items: c.compile(l.ElementType, depth+1)}
	switch l.ElementRelationship {
	case schema.Atomic:
		out.atomic = true
	case schema.Associative:
		out.keys = c.listKeys(l)
	default:
		c.failed = true
	}
	return out
}

// listKeys returns the keys of a list, none for a list of type set.
func (c *atomCompiler) listKeys(l *schema.List) []listKey {
	if len(l.Keys) == 0 {
		return nil
	}
	item, ok := c.schema.Resolve(l.ElementType)
	if !ok || item.Map == nil {
		c.failed = true
		return nil
	}
	return sortedKeys(l.Keys, item.Map)
}

func (c *atomCompiler) objectAtom(m *schema.Map, depth int) *objectAtom {
	out := &objectAtom{atomic: m.ElementRelationship == schema.Atomic, fields: make(map[string]*atom, len(m.Fields))}
	if m.ElementType != (schema.TypeRef{}) {
		out.others = c.compile(m.ElementType, depth+1)
		out.anything = m.Fields == nil && isUntyped(m.ElementType)
	}
	for _, f := range m.Fields {
		out.fields[f.Name] = c.compile(f.Type, depth+1)
	}
	return out
}

// isUntyped reports whether a reference is to values of any type, as
// structured-merge-diff decides it when it looks for changes of a schema.
func isUntyped(ref schema.TypeRef) bool {
	if ref.NamedType != nil {
		return *ref.NamedType == "__untyped_deduced_"
	}
	return ref.Inlined.Scalar != nil && *ref.Inlined.Scalar == "untyped"
}

// member returns the type of a member, nil if there must be none of that name. field
// reports whether the schema names the member.
func (o *objectAtom) member(name string) (a *atom, field bool) {
	if a, ok := o.fields[name]; ok {
		return a, true
	}
	return o.others, false
}

// fits reports whether a value has the type, contains no null, and has no two items with
// the same key.
func (a *atom) fits(v any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		return a.object != nil && a.object.fits(v, depth)
	case []any:
		return a.list != nil && a.list.fits(v, depth)
	}
	return a.isScalar(v)
}

func (o *objectAtom) fits(v map[string]any, depth int) bool {
	for name, value := range v {
		if a, _ := o.member(name); a == nil || !a.fits(value, depth+1) {
			return false
		}
	}
	return true
}

func (l *listAtom) fits(v []any, depth int) bool {
	for _, item := range v {
		if !l.items.fits(item, depth+1) {
			return false
		}
	}
	if l.atomic {
		return true
	}
	_, ok := l.index(v)
	return ok
}

// isScalar reports whether a value is a scalar of the type.
func (a *atom) isScalar(v any) bool {
	switch v.(type) {
	case string:
		return a.scalar == schema.String || a.scalar == schema.Untyped
	case bool:
		return a.scalar == schema.Boolean || a.scalar == schema.Untyped
	case int64, float64:
		return a.scalar == schema.Numeric || a.scalar == schema.Untyped
	}
	return false
}
