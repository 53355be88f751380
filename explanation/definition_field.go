package explanation

import (
	"iter"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/pathstack"
)

// DefinitionField explains that a definition of apiextensions.k8s.io/v1 has an unknown
// field at a JSON pointer, such as /spec/grup. The suggestion is the name of the field
// that is nearest. It returns nil if the field is known, and for a pointer that leads into
// what has no fields.
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
			field, ok := fieldOf(t, name)
			if !ok {
				return unknownIn(t, name, path)
			}
			t = field
		default:
			return nil
		}
		path = strings.TrimPrefix(path+"."+name, ".")
	}
	return nil
}

// unknownIn explains that a struct at a path has no field of a name, nil if it has no fields
// in JSON.
func unknownIn(t reflect.Type, name, path string) *Explanation {
	var known []string
	for field := range jsonFields(t) {
		known = append(known, field)
	}
	if len(known) == 0 {
		return nil
	}
	return unknownField(name, path, slices.Values(known))
}

// declaredType returns the type in which a name is a field, an index or a key: it follows
// pointers, and the types that are a schema or something else.
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

// fieldOf returns the type of a field of a struct by its name in JSON.
func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for known, of := range jsonFields(t) {
		if known == name {
			return of, true
		}
	}
	return nil, false
}

// jsonFields yields the names of the fields of a struct in JSON, and their types.
func jsonFields(t reflect.Type) iter.Seq2[string, reflect.Type] {
	return func(yield func(string, reflect.Type) bool) {
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" || !promoted(t, f) {
				continue
			}
			if !yield(name, f.Type) {
				return
			}
		}
	}
}

// promoted reports whether a visible field of a struct is a field of its JSON: its own, or
// one of an embedded struct without a name.
func promoted(t reflect.Type, f reflect.StructField) bool {
	for n := 1; n < len(f.Index); n++ {
		name, _, _ := strings.Cut(t.FieldByIndex(f.Index[:n]).Tag.Get("json"), ",")
		if name != "" {
			return false
		}
	}
	return true
}
