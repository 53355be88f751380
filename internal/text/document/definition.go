package document

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"
)

// ReadDefinition reads a YAML text that is one definition of v1. It returns nil if it declines. The
// definition shares no memory with data. data must not change during the call.
func ReadDefinition(data []byte) *apiextensionsv1.CustomResourceDefinition {
	t, ok := Tokenize(unsafe.String(unsafe.SliceData(data), len(data)))
	if !ok || !isMember(t, "kind", "CustomResourceDefinition") || !isMember(t, "apiVersion", apiextensionsv1.SchemeGroupVersion.String()) {
		return nil
	}
	r := definitionReader{tokens: t, strings: map[string]string{}}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if !r.read(0, reflect.ValueOf(crd).Elem()) {
		return nil
	}
	return crd
}

func isMember(t *Tokens, name, text string) bool {
	v, n := t.Member(0, name)
	return n == 1 && t.Kind(v) == String && t.Text(v) == text
}

// A definitionReader decodes tokens as sigs.k8s.io/json decodes their JSON.
type definitionReader struct {
	tokens  *Tokens
	strings map[string]string // the strings of the definition; equal strings share memory
}

// read reads a value into v, which must be zero. It returns false to decline.
func (r *definitionReader) read(i int, v reflect.Value) bool {
	kind := r.tokens.Kind(i)
	if kind == Null {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		if kind == String {
			v.SetString(r.string(i))
		}
		return kind == String
	case reflect.Bool:
		v.SetBool(kind == True)
		return kind == True || kind == False
	case reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(r.tokens.Text(i), 10, v.Type().Bits())
		v.SetInt(n)
		return kind == Number && err == nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(r.tokens.Text(i), 64)
		v.SetFloat(f)
		return kind == Number && err == nil
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return r.read(i, v.Elem())
	case reflect.Slice:
		return r.list(i, v)
	case reflect.Map:
		return r.entries(i, v)
	case reflect.Struct:
		return r.object(i, v)
	}
	return false
}

func (r *definitionReader) string(i int) string {
	text := r.tokens.Text(i)
	shared, ok := r.strings[text]
	if !ok {
		shared = strings.Clone(text)
		r.strings[shared] = shared
	}
	return shared
}

func (r *definitionReader) list(i int, v reflect.Value) bool {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return r.decode(i, v.Addr().Interface())
	}
	if r.tokens.Kind(i) != List {
		return false
	}
	n := r.tokens.Len(i)
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	at := i + 1
	for k := range n {
		if !r.read(at, v.Index(k)) {
			return false
		}
		at = r.tokens.Next(at)
	}
	return true
}

// entries reads an object into a map. It declines an object that repeats a name.
func (r *definitionReader) entries(i int, v reflect.Value) bool {
	if r.tokens.Kind(i) != Object {
		return false
	}
	n := r.tokens.Len(i)
	v.Set(reflect.MakeMapWithSize(v.Type(), n))
	entry := reflect.New(v.Type().Elem()).Elem()
	name := i + 1
	for range n {
		entry.SetZero()
		if !r.read(name+1, entry) {
			return false
		}
		v.SetMapIndex(reflect.ValueOf(r.string(name)), entry)
		name = r.tokens.Next(name + 1)
	}
	return v.Len() == n
}

// object reads an object into a struct. It declines unknown and repeated fields.
func (r *definitionReader) object(i int, v reflect.Value) bool {
	switch into := v.Addr().Interface().(type) {
	case *apiextensionsv1.JSON:
		var ok bool
		into.Raw, ok = r.tokens.AppendJSON(nil, i)
		return ok
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		if r.tokens.Kind(i) == Object {
			return r.read(i, reflect.ValueOf(&into.Schema).Elem())
		}
		return r.decode(i, into)
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		if into.Allows = true; r.tokens.Kind(i) == Object {
			return r.read(i, reflect.ValueOf(&into.Schema).Elem())
		}
		return r.decode(i, into)
	case json.Unmarshaler:
		return r.decode(i, into)
	}
	if r.tokens.Kind(i) != Object {
		return false
	}
	fields, seen := fieldsOf(v.Type()), uint64(0)
	name := i + 1
	for range r.tokens.Len(i) {
		f, known := fields[r.tokens.Text(name)]
		if !known || seen&f.bit != 0 || !r.read(name+1, v.FieldByIndex(f.index)) {
			return false
		}
		seen |= f.bit
		name = r.tokens.Next(name + 1)
	}
	return true
}

// decode decodes a value whose type decodes itself, or that is base64.
func (r *definitionReader) decode(i int, into any) bool {
	text, ok := r.tokens.AppendJSON(nil, i)
	return ok && kjson.UnmarshalCaseSensitivePreserveInts(text, into) == nil
}

type field struct {
	index []int
	bit   uint64 // of the field in the set of read fields; at most 64 fit
}

var fieldsByType sync.Map // of map[string]field

func fieldsOf(t reflect.Type) map[string]field {
	if fields, ok := fieldsByType.Load(t); ok {
		return fields.(map[string]field)
	}
	fields := map[string]field{}
	addFields(fields, t, nil)
	fieldsByType.Store(t, fields)
	return fields
}

func addFields(fields map[string]field, t reflect.Type, index []int) {
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" {
			fields[name] = field{at, 1 << len(fields)}
		} else if f.Anonymous {
			addFields(fields, f.Type, at)
		}
	}
}
