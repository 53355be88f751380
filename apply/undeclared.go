package apply

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// typeErrors returns all errors of an object, sorted by path. structured-merge-diff stops at an
// undeclared member, and visits members in random order. So typeErrors lists the undeclared members
// itself, removes them from a copy, and lets the library check the rest.
func (k *kindType) typeErrors(object map[string]any, opts []typed.ValidationOptions) error {
	object = jsonval.Clone(object).(map[string]any)
	u := &undeclared{schema: k.Schema}
	object, _ = u.remove(k.TypeRef, object, nil).(map[string]any)
	_, err := k.FromUnstructured(object, opts...)
	rest, _ := errors.AsType[typed.ValidationErrors](err)
	out := append(u.errs, rest...)
	slices.SortStableFunc(out, func(a, b typed.ValidationError) int { return strings.Compare(a.Error(), b.Error()) })
	if u.more > 0 {
		out = append(out, typed.ValidationError{ErrorMessage: fmt.Sprintf("%d more errors", u.more)})
	}
	return out
}

// undeclared removes the members that a schema does not declare, and lists them.
type undeclared struct {
	schema *schema.Schema
	errs   typed.ValidationErrors
	size   int // bytes of the texts in errs
	more   int // number of errors left out because the text was too long
}

// remove returns a value without undeclared members. If the key of a list item is an object or a
// list, remove drops the item and all later items: the library's error about the key has a random
// text.
func (u *undeclared) remove(ref schema.TypeRef, v any, path fieldpath.Path) any {
	a, _ := u.schema.Resolve(ref)
	switch v := v.(type) {
	case map[string]any:
		if a.Map == nil {
			return v
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			path := append(path, fieldpath.PathElement{FieldName: &name})
			if f, ok := a.Map.FindField(name); ok {
				v[name] = u.remove(f.Type, v[name], path)
			} else if a.Map.ElementType != (schema.TypeRef{}) {
				v[name] = u.remove(a.Map.ElementType, v[name], path)
			} else {
				u.add(path, "field not declared in schema")
				delete(v, name)
			}
		}
	case []any:
		if a.List == nil || a.List.ElementRelationship == schema.Associative && len(a.List.Keys) == 0 {
			return v // items of a set are scalars
		}
		for i, item := range v {
			element, ok := u.element(a.List, i, item)
			if !ok {
				break // structured-merge-diff ends the list here
			}
			if name := structuredKey(element); name != "" {
				u.add(path, fmt.Sprintf("element %d: the key %q is not a scalar", i, name))
				return v[:i]
			}
			v[i] = u.remove(a.List.ElementType, item, append(path, element))
		}
	}
	return v
}

// structuredKey returns the name of a key whose value is an object or a list, "" if there is none.
func structuredKey(element fieldpath.PathElement) string {
	if element.Key != nil {
		for _, f := range *element.Key {
			if f.Value.IsMap() || f.Value.IsList() {
				return f.Name
			}
		}
	}
	return ""
}

// element returns the path element of a list item. It returns false for an item without keys in a
// list of type map.
func (u *undeclared) element(l *schema.List, i int, item any) (fieldpath.PathElement, bool) {
	if l.ElementRelationship != schema.Associative {
		return fieldpath.PathElement{Index: &i}, true
	}
	object, ok := item.(map[string]any)
	if !ok {
		return fieldpath.PathElement{}, false
	}
	a, _ := u.schema.Resolve(l.ElementType)
	keys := value.FieldList{}
	for _, name := range l.Keys {
		key, found := object[name]
		if !found && a.Map != nil {
			f, _ := a.Map.FindField(name)
			key, found = f.Default, f.Default != nil
		}
		if found {
			keys = append(keys, value.Field{Name: name, Value: value.NewValueInterface(key)})
		}
	}
	keys.Sort()
	return fieldpath.PathElement{Key: &keys}, len(keys) > 0
}

// add adds an error, or only counts it if the paths so far exceed errorlist.MaxText bytes.
func (u *undeclared) add(path fieldpath.Path, message string) {
	if u.size > errorlist.MaxText {
		u.more++
		return
	}
	text := path.String()
	u.size += len(text)
	u.errs = append(u.errs, typed.ValidationError{Path: text, ErrorMessage: message})
}
