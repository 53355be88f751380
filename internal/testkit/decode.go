package testkit

import (
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/generate"
)

// Decode reads one object from YAML or JSON. Numbers become int64 or float64
// as they do in the server.
func Decode(data []byte) (map[string]any, error) {
	raw, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, err
	}
	var obj map[string]any
	if err := utiljson.Unmarshal(raw, &obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// DecodeJSON reads one value from JSON, keeping 1.0 and 1e3 apart from 1 and
// 1000, which a way through YAML does not.
func DecodeJSON(data []byte) (any, error) { return generate.DecodeJSON(data) }

// Encode writes v as compact JSON with sorted keys. A float64 always has a
// fraction or an exponent, so that decoding gives back the same value. It
// panics on a value that no decoder makes, since only a test can be at fault.
func Encode(v any) []byte { return generate.Encode(v) }

// Clone copies an object that a decoder made.
func Clone(obj map[string]any) map[string]any { return generate.Clone(obj) }

// Must returns v, which a look-up returned together with ok. It panics if there
// was nothing to be found.
func Must[T any](v T, ok bool) T {
	if !ok {
		panic(fmt.Sprintf("testkit: no %T of that name", v))
	}
	return v
}
