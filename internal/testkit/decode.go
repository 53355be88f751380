package testkit

import (
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/generate"
)

// Decode decodes one object from YAML or JSON, with numbers as in the server.
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

// DecodeJSON decodes one value from JSON. It keeps 1.0 and 1e3 distinct from 1
// and 1000, which [Decode] does not.
func DecodeJSON(data []byte) (any, error) { return generate.DecodeJSON(data) }

// Encode writes v as compact JSON with sorted keys. A float64 always has a
// fraction or an exponent, so that decoding returns the same value. It panics
// on a value that no decoder returns.
func Encode(v any) []byte { return generate.Encode(v) }

// Clone returns a deep copy of a decoded object.
func Clone(obj map[string]any) map[string]any { return generate.Clone(obj) }

// Must returns v, the result of a lookup. It panics if ok is false.
func Must[T any](v T, ok bool) T {
	if !ok {
		panic(fmt.Sprintf("testkit: no %T of that name", v))
	}
	return v
}
