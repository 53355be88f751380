package crdkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// ToUnstructured converts the Go value typed to an object of version v, in the form that the
// methods of v take. It encodes the value as JSON, as clients do, and decodes the text as
// Kubernetes does: an integer that fits becomes an int64, any other number a float64. The object
// has every field that the encoding has, also a null field or an empty status. ToUnstructured sets
// apiVersion and kind, which the value may leave out. It does not change the value, and the result
// shares no memory with it.
//
// typed is a struct or a map, or a pointer to one. It may also be an object that a
// program made by hand, with values of Go types that decoded JSON does not have,
// such as int and []string; they are converted in the same way.
//
// ToUnstructured returns an error if typed or v is nil, if typed cannot be encoded as a
// JSON object, or if it names another apiVersion or kind than v.
func ToUnstructured(typed any, v *Version) (*unstructured.Unstructured, error) {
	if v == nil {
		return nil, errors.New("crdkit: the version is nil")
	}
	content := contentOf(typed)
	if isNil(content) {
		return nil, errNil
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("crdkit: encoding a value of type %T: %w", typed, err)
	}
	var decoded any
	if err := utiljson.Unmarshal(raw, &decoded); err != nil {
		return nil, fmt.Errorf("crdkit: decoding a value of type %T: %w", typed, err)
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("crdkit: a value of type %T is not encoded as a JSON object", typed)
	}
	if err := setTypeField(object, "apiVersion", v.apiVersion()); err != nil {
		return nil, err
	}
	if err := setTypeField(object, "kind", v.def.kind); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// contentOf returns the map of an unstructured object, and any other value itself.
func contentOf(typed any) any {
	switch u := typed.(type) {
	case *unstructured.Unstructured:
		if u == nil {
			return nil
		}
		return u.Object
	case unstructured.Unstructured:
		return u.Object
	default:
		return typed
	}
}

func isNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return r.IsNil()
	default:
		return false
	}
}

// setTypeField sets apiVersion or kind if the object leaves it out.
func setTypeField(object map[string]any, name, want string) error {
	switch got := object[name].(type) {
	case nil:
	case string:
		if got != "" && got != want {
			return fmt.Errorf("crdkit: %s of the object is %q, want %q", name, got, want)
		}
	default:
		return fmt.Errorf("crdkit: %s of the object is not a string, want %q", name, want)
	}
	object[name] = want
	return nil
}

// Programs build objects with int or []string, which decoded JSON does not have. The engines take
// such values for wrong types, so the verdict would be wrong. Only refused objects are searched: an
// admitted object has no such value where a type is declared.

// checkGoTypes returns an error for the first value, in the order of paths, whose Go type
// decoded JSON does not have.
func (r *request) checkGoTypes() error {
	if r.obj != nil && (!r.encoded || r.mutate != nil) {
		if err := checkGoTypes(r.obj.Object, ""); err != nil {
			return err
		}
	}
	if r.encoded || r.old == nil {
		return nil
	}
	return checkGoTypes(r.old.Object, "old ")
}

// checkGoTypes is [request.checkGoTypes] for one object. prefix is "" or "old ", for error texts.
func checkGoTypes(obj map[string]any, prefix string) error {
	if jsonval.IsDecoded(obj) {
		return nil
	}
	if jsonval.TooDeep(obj) {
		return fmt.Errorf("crdkit: the %sobject: %w", prefix, jsonval.ErrDepth)
	}
	path, value, _ := jsonval.Foreign(obj)
	if prefix != "" {
		path += " of the " + prefix + "object"
	}
	return fmt.Errorf("crdkit: %s is of the Go type %T; %s", path, value, jsonval.GoTypes)
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
