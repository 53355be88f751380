package objectmeta

import (
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// Coerce applies the function [Coerce] to the metadata of every embedded
// resource in obj, in place, and checks that apiVersion and kind are strings.
// If they are not, or if metadata cannot be decoded, it returns an error, and
// obj may be partly changed. With [Options.DropInvalid] it drops apiVersion and
// kind instead, and leaves such metadata as it is. Of several errors it returns
// the first in increasing order of member names.
//
// The paths of unknown fields are sorted by their strings. Coerce does nothing
// to a value that is not an object.
func (e *Embedded) Coerce(obj any, o Options) ([]schema.Path, *field.Error) {
	if e.root == nil {
		return nil, nil
	}
	o.Reference = o.Reference || e.reference
	if !o.Reference && e.root.every(obj, canonicalResource) {
		return nil, nil
	}
	c := coercion{options: o, of: e}
	err := c.walk(e.root, obj)
	if len(c.unknown) > 1 {
		sort.SliceStable(c.unknown, func(i, j int) bool { return c.unknown[i].String() < c.unknown[j].String() })
	}
	return c.unknown, err
}

// every reports whether check holds for all embedded resources in v.
func (n *node) every(v any, check func(map[string]any) bool) bool {
	switch v := v.(type) {
	case map[string]any:
		if n.embedded && !check(v) {
			return false
		}
		for i, name := range n.names {
			if e, ok := v[name]; ok && !n.children[i].every(e, check) {
				return false
			}
		}
		if n.additional == nil {
			return true
		}
		for name, e := range v {
			if n.undeclared(name) && !n.additional.every(e, check) {
				return false
			}
		}
	case []any:
		if n.items == nil {
			return true
		}
		for _, e := range v {
			if !n.items.every(e, check) {
				return false
			}
		}
	}
	return true
}

// canonicalResource reports whether coercing changes nothing in an embedded resource and
// reports nothing.
func canonicalResource(m map[string]any) bool {
	for _, name := range [...]string{"apiVersion", "kind"} {
		if v, ok := m[name]; ok {
			if _, ok := v.(string); !ok {
				return false
			}
		}
	}
	raw, ok := m["metadata"]
	return !ok || checkMap(raw, (*Meta).canonical)
}

// canonical reports whether ObjectMeta writes the metadata as it is.
func (m *Meta) canonical() bool { return !m.unusual && !m.omits }

// checkMap reports whether raw is usual metadata that passes the check.
func checkMap(raw any, check func(*Meta) bool) bool {
	values, _ := raw.(map[string]any)
	if values == nil {
		return false
	}
	m := New()
	defer m.Release()
	return m.readMap(values) && check(m)
}

// A coercion is the state of one call.
type coercion struct {
	options Options
	of      *Embedded
	path    schema.Path
	unknown []schema.Path
}

func (c *coercion) walk(n *node, v any) *field.Error {
	switch v := v.(type) {
	case map[string]any:
		return c.object(n, v)
	case []any:
		if n.items == nil {
			return nil
		}
		for i, e := range v {
			if err := c.walkBelow(n.items, schema.Index(i), e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *coercion) object(n *node, m map[string]any) *field.Error {
	for _, name := range n.members(m) {
		v, ok := m[name]
		if !ok {
			continue
		}
		if n.embedded {
			if err := c.member(n, m, name); err != nil {
				return err
			}
		}
		child, step := n.child(name)
		if child == nil {
			continue
		}
		if err := c.walkBelow(child, step, v); err != nil {
			return err
		}
	}
	return nil
}

func (c *coercion) walkBelow(n *node, step schema.Step, v any) *field.Error {
	c.path = append(c.path, step)
	err := c.walk(n, v)
	c.path = c.path[:len(c.path)-1]
	return err
}

// member coerces a member of an embedded resource.
func (c *coercion) member(n *node, m map[string]any, name string) *field.Error {
	switch name {
	case "apiVersion", "kind":
		if _, ok := m[name].(string); ok {
			return nil
		}
		if !c.options.DropInvalid {
			return c.invalid(name, m[name], "must be a string")
		}
		delete(m, name)
	case "metadata":
		return c.metadata(n, m)
	}
	return nil
}

func (c *coercion) metadata(n *node, m map[string]any) *field.Error {
	o := c.options
	o.Reference = o.Reference || n.metadataHasEmbedded
	raw := m["metadata"]
	d, unknown, err := Decode(m, o)
	if err != nil {
		if o.DropInvalid {
			return nil
		}
		return c.invalid("metadata", raw, err.Error())
	}
	for _, p := range unknown {
		c.unknown = append(c.unknown, slices.Concat(c.path, p))
	}
	d.Restore(m)
	return nil
}

// invalid returns an error about a member of the current resource.
func (c *coercion) invalid(name string, value any, detail string) *field.Error {
	err := field.Invalid(fieldPath(c.of.path, c.path).Child(name), value, detail)
	return c.of.limit.AtPointer(c.of.pointer+c.path.Pointer()+"/"+name, err)
}

// fieldPath returns the field path of p below base. A nil base is the root.
func fieldPath(base *field.Path, p schema.Path) *field.Path {
	out := base
	for _, s := range p {
		name, named := s.Name()
		i, indexed := s.Index()
		switch {
		case indexed:
			out = out.Index(i)
		case named && isField(s, name):
			out = out.Child(name)
		default:
			out = out.Key(name)
		}
	}
	return out
}

// isField reports whether s is a field, not the key of a map.
func isField(s schema.Step, name string) bool { return s == schema.Field(name) }
