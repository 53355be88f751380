package testkit

import (
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
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

// Must returns v, the result of a lookup. It panics if ok is false.
func Must[T any](v T, ok bool) T {
	if !ok {
		panic(fmt.Sprintf("testkit: no %T of that name", v))
	}
	return v
}
