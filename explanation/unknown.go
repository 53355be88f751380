package explanation

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/internal/cel/celtrace"
	"github.com/crdkit/crdkit/internal/names/nearname"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// UnknownField explains a complaint about an unknown field from a warning, or from the details of a
// refusal: `unknown field "spec.replica"`. It returns nil for other texts, and for a path that the
// schema declares.
//
// Names may have dots, so the path in a complaint can be ambiguous. UnknownField then takes the
// longest declared names. [Explainer.Pruned] takes exact paths.
//
// The suggestion is the name of the nearest declared field. UnknownField compares the name with
// each declared field of the object.
func (x *Explainer) UnknownField(complaint string) *Explanation {
	path, ok := strings.CutPrefix(complaint, `unknown field "`)
	if !ok {
		return nil
	}
	path = strings.TrimSuffix(path, `"`)
	n := object{node: x.root, root: true}
	rest := path
	for {
		next, after, ok := n.longest(rest)
		if !ok {
			break
		}
		n, rest = next, after
		if rest == "" {
			return nil
		}
	}
	name, known := strings.CutPrefix(rest, ".")
	if !known {
		name = rest
	}
	return n.unknown(name, strings.TrimSuffix(path[:len(path)-len(rest)], "."))
}

// Pruned explains the path of a pruned field, from the changes of a result. It returns nil if the
// schema declares the field, or if the path does not end with a field.
func (x *Explainer) Pruned(path schema.Path) *Explanation {
	n := object{node: x.root, root: true}
	for i, step := range path {
		name, named := step.Name()
		next, ok := n.enter(name, !named)
		if !ok {
			if named {
				return n.unknown(name, path[:i].String())
			}
			return nil
		}
		n = next
	}
	return nil
}

// An object is what the schema declares for a value on the path to a field.
type object struct {
	node     *schema.Node
	root     bool // a resource with apiVersion, kind and metadata
	metadata bool // the metadata of a resource; the schema does not declare its fields
}

// enter returns the schema of a field or list item, and reports whether it is declared.
func (o object) enter(name string, index bool) (object, bool) {
	if index {
		items := o.node.Items()
		return object{node: items, root: items.EmbeddedResource()}, items != nil
	}
	if o.root && name == "metadata" {
		return object{metadata: true}, true
	}
	if child := o.node.Property(name); child != nil {
		return object{node: child, root: child.EmbeddedResource()}, true
	}
	values, _ := o.node.AdditionalProperties()
	return object{node: values, root: values.EmbeddedResource()}, values != nil
}

// longest follows the first step of path: an index, the longest declared name that fits, or a key
// of a map. rest is the path after the step.
func (o object) longest(path string) (next object, rest string, ok bool) {
	if i, after, isIndex := leadingIndex(path); isIndex {
		if next, ok := o.enter(i, true); ok {
			return next, after, true
		}
	}
	path = strings.TrimPrefix(path, ".")
	name := ""
	for known := range o.fields() {
		if after, ok := strings.CutPrefix(path, known); ok && len(known) > len(name) && (after == "" || after[0] == '.' || after[0] == '[') {
			name = known
		}
	}
	if name != "" {
		next, ok = o.enter(name, false)
		return next, path[len(name):], ok
	}
	if values, _ := o.node.AdditionalProperties(); values == nil {
		return object{}, "", false
	}
	key, after := firstKey(path)
	next, ok = o.enter(key, false)
	return next, after, ok
}

func leadingIndex(path string) (index, rest string, ok bool) {
	end := strings.IndexByte(path, ']')
	if end < 2 || path[0] != '[' {
		return "", "", false
	}
	if _, err := strconv.Atoi(path[1:end]); err != nil {
		return "", "", false
	}
	return path[1:end], path[end+1:], true
}

// firstKey returns the first key of a path, and the path after the key.
func firstKey(path string) (key, rest string) {
	if end := strings.IndexByte(path, ']'); end > 0 && path[0] == '[' {
		return path[1:end], path[end+1:]
	}
	if end := strings.IndexAny(path, ".["); end > 0 {
		return path[:end], path[end:]
	}
	return path, ""
}

// fields yields the names of the known fields. Some names come twice.
func (o object) fields() iter.Seq[string] {
	return func(yield func(string) bool) {
		switch {
		case o.metadata:
			maps.Keys(jsonFields(reflect.TypeFor[metav1.ObjectMeta]()))(yield)
			return
		case o.root:
			if !yield("apiVersion") || !yield("kind") || !yield("metadata") {
				return
			}
		}
		for name := range o.node.Properties() {
			if !yield(name) {
				return
			}
		}
	}
}

func (o object) unknown(name, path string) *Explanation {
	return unknownField(name, path, o.fields())
}

// unknownField explains that the object at path has no field with this name. declared yields its
// fields.
func unknownField(name, path string, declared iter.Seq[string]) *Explanation {
	e := &Explanation{Text: fmt.Sprintf("%s has no field %s", ownerText(path), strconv.Quote(celtrace.Cut(name, maxText)))}
	if near, ok := nearname.Nearest(name, declared); ok {
		e.Suggestion = near
		e.Text += fmt.Sprintf("; did you mean %q?", near)
		return e
	}
	fields := slices.Compact(slices.Sorted(declared))
	if len(fields) == 0 {
		e.Text += "; it declares none"
		return e
	}
	e.Text += "; it has " + commas(fields[:min(len(fields), 2*maxShown)], len(fields))
	return e
}

func ownerText(path string) string {
	if path == "" {
		return "the object"
	}
	return celtrace.Cut(path, maxText)
}

// DefinitionField explains an unknown field of a definition of apiextensions.k8s.io/v1. pointer is
// a JSON pointer, such as /spec/grup. The suggestion is the name of the nearest field.
// DefinitionField returns nil if the field is known, or if the value around it has no fields.
func DefinitionField(pointer string) *Explanation {
	t := reflect.TypeFor[apiextensionsv1.CustomResourceDefinition]()
	path := ""
	for _, name := range pathstack.Tokens(pointer) {
		t = declaredType(t, name)
		switch t.Kind() {
		case reflect.Slice:
			path += "[" + name + "]"
			t = t.Elem()
			continue
		case reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			fields := jsonFields(t)
			field, ok := fields[name]
			switch {
			case len(fields) == 0:
				return nil
			case !ok:
				return unknownField(name, path, maps.Keys(fields))
			}
			t = field
		default:
			return nil
		}
		path = strings.TrimPrefix(path+"."+name, ".")
	}
	return nil
}

// declaredType returns the type in which to look up name: t without pointers, or the schema in a
// type such as JSONSchemaPropsOrBool.
func declaredType(t reflect.Type, name string) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	props := reflect.TypeFor[apiextensionsv1.JSONSchemaProps]()
	switch t {
	case reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool](), reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray]():
		return props
	case reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():
		if strings.Trim(name, "0123456789") == "" {
			return reflect.SliceOf(props)
		}
		return props
	}
	return t
}

func jsonFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name != "" && name != "-":
			fields[name] = f.Type
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			maps.Copy(fields, jsonFields(f.Type))
		}
	}
	return fields
}
