package validation

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/pathstack"
)

// list checks a list and its elements. It returns the count of the elements,
// and whether one is known to have changed.
func (r *run) list(n *leafcheck.Node, list []any, p correlate.Pair) (count int, changed bool) {
	if n.Items != nil {
		old := p.Elements()
		for i, v := range list {
			r.stack.Push(pathstack.Item, "", i)
			c, ch := r.checkUnlessValid(n.Items, v, old.At(i))
			r.stack.Pop()
			count += c
			changed = changed || ch
		}
	}
	l := n.List
	if l == nil {
		return count, changed
	}
	size := int64(len(list))
	if l.Min.Set && size < l.Min.N {
		r.invalid(quantity(r.begin(), "should have at least ", l.Min.N, " items"), size)
	}
	if l.Max.Set && size > l.Max.N {
		r.tooMany(size, l.Max.N, " items")
	}
	if l.Unique && leafcheck.HasEqual(list) {
		r.invalid(append(r.begin(), "shouldn't contain duplicates"...), "")
	}
	return count, changed
}

func (r *run) tooMany(size, limit int64, what string) {
	e := field.TooMany(nil, int(size), int(limit))
	r.end(quantity(r.begin(), "should have at most ", limit, what), *e)
}

// object checks an object and its properties. It returns the count of the
// properties, and whether one is known to have changed.
func (r *run) object(n *leafcheck.Node, obj map[string]any, p correlate.Pair) (count int, changed bool) {
	f := n.Fields
	size := int64(len(obj))
	if f.Min.Set && size < f.Min.N {
		r.invalid(quantity(r.begin(), "should have at least ", f.Min.N, " properties"), size)
	}
	if f.Max.Set && size > f.Max.N {
		r.tooMany(size, f.Max.N, " properties")
	}
	if f.Closed || f.Additional != nil {
		count, changed = r.additional(f, obj, p)
	}
	c, ch := r.declared(f, obj, p)
	for _, name := range f.Required {
		if _, ok := obj[name]; !ok {
			r.required(name)
		}
	}
	return count + c, changed || ch
}

// declared checks the declared properties in increasing order of name.
func (r *run) declared(f *leafcheck.Fields, obj map[string]any, p correlate.Pair) (count int, changed bool) {
	if f.Probe(len(obj)) {
		for i := range f.Props {
			if v, ok := obj[f.Props[i].Name]; ok {
				c, ch := r.property(&f.Props[i], v, p)
				count += c
				changed = changed || ch
			}
		}
		return count, changed
	}
	var buf [32]int
	present := buf[:0]
	for name := range obj {
		if i, ok := f.Index(name); ok {
			present = append(present, i)
		}
	}
	slices.Sort(present)
	for _, i := range present {
		c, ch := r.property(&f.Props[i], obj[f.Props[i].Name], p)
		count += c
		changed = changed || ch
	}
	return count, changed
}

func (r *run) property(prop *leafcheck.Prop, v any, p correlate.Pair) (count int, changed bool) {
	before := r.key(p, prop.Name)
	r.stack.Push(pathstack.Property, prop.Name, 0)
	count, changed = r.checkUnlessValid(prop.Node, v, before)
	r.stack.Pop()
	return count, changed
}

// key returns the pair of an entry. kind and apiVersion at the start of the
// walk have none: both objects are converted to one version before this check.
func (r *run) key(p correlate.Pair, name string) correlate.Pair {
	if (name == "kind" || name == "apiVersion") && r.stack.TextIsEmpty() {
		return correlate.Pair{}
	}
	return p.Key(name)
}

// additional checks the properties that are not declared, in increasing order
// of name. If two errors have the same text, the first one is reported.
func (r *run) additional(f *leafcheck.Fields, obj map[string]any, p correlate.Pair) (count int, changed bool) {
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if _, ok := f.Index(name); ok {
			continue
		}
		if f.Closed {
			r.forbidden(name)
			continue
		}
		before := r.key(p, name)
		r.stack.Push(pathstack.Entry, name, 0)
		c, ch := r.checkUnlessValid(f.Additional, obj[name], before)
		r.stack.Pop()
		count += c
		changed = changed || ch
	}
	return count, changed
}

func (r *run) required(name string) {
	b := append(append(r.stack.AppendText(r.buf[:0]), '.'), name...)
	r.path = len(b)
	b = append(append(b, inBody...), "is required"...)
	r.stack.Push(pathstack.Name, name, 0)
	r.end(b, field.Error{Type: field.ErrorTypeRequired, BadValue: ""})
	r.stack.Pop()
}

func (r *run) forbidden(name string) {
	b := r.begin()[:r.path]
	b = append(append(append(b, '.'), name...), inBody...)
	b = append(b, "is a forbidden property"...)
	r.stack.Push(pathstack.Name, name, 0)
	r.invalid(b, name)
	r.stack.Pop()
}
