package validation

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/check"
	"github.com/crdkit/crdkit/internal/correlate"
)

// list checks a list and its elements. It returns the count of the elements,
// and whether one is known to have changed.
func (r *run) list(n *check.Node, list []any, p correlate.Pair) (count int, changed bool) {
	if n.Items != nil {
		old := p.Elements()
		for i, v := range list {
			r.place.push(itemStep, "", i)
			c, ch := r.node(n.Items, v, old.At(i))
			r.place.pop()
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
		r.invalid(size, fmt.Sprintf("should have at least %d items", l.Min.N))
	}
	if l.Max.Set && size > l.Max.N {
		r.tooMany(size, l.Max.N, "items")
	}
	if l.Unique && check.HasEqual(list) {
		r.invalid("", "shouldn't contain duplicates")
	}
	return count, changed
}

func (r *run) tooMany(size, limit int64, what string) {
	e := field.TooMany(nil, int(size), int(limit))
	r.report(*e, fmt.Sprintf("should have at most %d %s", limit, what))
}

// object checks an object and its properties. It returns the count of the
// properties, and whether one is known to have changed.
func (r *run) object(n *check.Node, obj map[string]any, p correlate.Pair) (count int, changed bool) {
	f := n.Fields
	size := int64(len(obj))
	if f.Min.Set && size < f.Min.N {
		r.invalid(size, fmt.Sprintf("should have at least %d properties", f.Min.N))
	}
	if f.Max.Set && size > f.Max.N {
		r.tooMany(size, f.Max.N, "properties")
	}
	if f.Closed || f.Additional != nil {
		count, changed = r.additional(f, obj, p)
	}
	for i := range f.Props {
		prop := &f.Props[i]
		v, ok := obj[prop.Name]
		if !ok {
			continue
		}
		before := r.key(p, prop.Name)
		r.place.push(propertyStep, prop.Name, 0)
		c, ch := r.node(prop.Node, v, before)
		r.place.pop()
		count += c
		changed = changed || ch
	}
	for _, name := range f.Required {
		if _, ok := obj[name]; !ok {
			r.required(name)
		}
	}
	return count, changed
}

// key returns the old value of an entry. kind and apiVersion where the walk
// began have none: both objects are of one version by now, whatever they were
// written as.
func (r *run) key(p correlate.Pair, name string) correlate.Pair {
	if (name == "kind" || name == "apiVersion") && r.place.atStart() {
		return correlate.Pair{}
	}
	return p.Key(name)
}

// additional checks the properties that are not declared. Their order is fixed
// so that of two errors with one text always the same is reported.
func (r *run) additional(f *check.Fields, obj map[string]any, p correlate.Pair) (count int, changed bool) {
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if f.Declares(name) {
			continue
		}
		if f.Closed {
			r.forbidden(name)
			continue
		}
		before := r.key(p, name)
		r.place.push(entryStep, name, 0)
		c, ch := r.node(f.Additional, obj[name], before)
		r.place.pop()
		count += c
		changed = changed || ch
	}
	return count, changed
}

func (r *run) required(name string) {
	path := r.place.text() + "." + name
	e := &field.Error{Type: field.ErrorTypeRequired, Field: r.place.fieldOf(path), BadValue: ""}
	r.place.push(keyStep, name, 0)
	r.add(path+inBody+"is required", e)
	r.place.pop()
}

func (r *run) forbidden(name string) {
	path := r.place.text()
	text := path + "." + name + inBody + "is a forbidden property"
	e := &field.Error{Type: field.ErrorTypeInvalid, Field: r.place.fieldOf(path), BadValue: name, Detail: text}
	r.place.push(keyStep, name, 0)
	r.add(text, e)
	r.place.pop()
}
