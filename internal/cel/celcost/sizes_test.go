package celcost

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/schema"
)

// TestSizes checks the largest size of a field with each schema, and the
// minimum length of its JSON in bytes.
func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		schema    string
		max, min  int64
		isUnknown bool
	}{
		{schema: `{type: string}`, max: maxStringBytes, min: 2},
		{schema: `{type: string, maxLength: 10}`, max: 40, min: 2},
		{schema: `{type: string, enum: [a, abc, ""]}`, max: 3, min: 2},
		{schema: `{type: string, enum: [a, abc], maxLength: 10}`, max: 40, min: 2},
		{schema: `{type: string, format: byte}`, max: maxStringBytes, min: 2},
		{schema: `{type: string, format: byte, maxLength: 10}`, max: 10, min: 2},
		{schema: `{type: string, format: duration, maxLength: 10}`, max: 32, min: 3},
		{schema: `{type: string, format: date}`, max: 12, min: 12},
		{schema: `{type: string, format: date-time}`, max: 32, min: 21},
		{schema: `{x-kubernetes-int-or-string: true}`, max: maxStringBytes, min: 1},
		{schema: `{x-kubernetes-int-or-string: true, maxLength: 3}`, max: 12, min: 1},
		{schema: `{type: boolean}`, min: 4},
		{schema: `{type: integer}`, min: 1},
		{schema: `{type: array, items: {type: integer}}`, max: maxStringBytes / 2, min: 2},
		{schema: `{type: array, items: {type: boolean}, maxItems: 7}`, max: 7, min: 2},
		{schema: `{type: array, items: {type: string, format: date}}`, max: maxStringBytes / 13, min: 2},
		{schema: `{type: object, additionalProperties: {type: integer}}`, max: maxStringBytes / 7, min: 2},
		{schema: `{type: object, additionalProperties: {type: integer}, maxProperties: 7}`, max: 7, min: 2},
		{schema: `{type: object, properties: {b: {type: integer}}}`, min: 2},
		{schema: `{type: object, required: [b, b, no], properties: {b: {type: integer}, c: {type: integer}}}`, min: 2 + 1 + 1 + 4},
		{schema: `{type: object, required: [b, c], properties: {b: {type: integer}, c: {type: integer, default: 1}}}`, min: 2 + 1 + 1 + 4},
		{schema: `{type: object, required: [kind], x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`, min: 2 + 4 + 2 + 4},
		{schema: `{type: object, required: [kind, metadata, kind], x-kubernetes-embedded-resource: true, properties: {kind: {type: string}, metadata: {type: object}}}`, min: 2 + (4 + 2 + 4) + (8 + 2 + 4)},
		{schema: `{type: object, required: [kind], properties: {kind: {type: boolean}}}`, min: 2 + 4 + 4 + 4},
		{schema: `{type: array, items: {type: array, items: {type: integer}}}`, max: maxStringBytes / 3, min: 2},
		{schema: `{type: array, items: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}}`, max: maxStringBytes / 3, min: 2, isUnknown: true},
		{schema: `{type: array, items: {type: object, required: [a, bbb], properties: {a: {type: integer}, bbb: {type: integer}}}}`, max: maxStringBytes / (2 + 6 + 8 + 1), min: 2},
		{schema: `{x-kubernetes-preserve-unknown-fields: true}`, isUnknown: true},
		{schema: `{type: array, items: {x-kubernetes-preserve-unknown-fields: true}}`, max: maxStringBytes, min: 2, isUnknown: true},
	} {
		var props apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(`{type: object, properties: {a: `+tt.schema+`}}`), &props); err != nil {
			t.Fatal(err)
		}
		n, errs := schema.Compile(&props)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		at, ok := location{node: n}.field("a")
		if !ok {
			t.Fatalf("%s: there is no field", tt.schema)
		}
		z := newSizes()
		_, known := z.limit(at)
		if largest, least := z.max(at), z.minOf(at); largest != tt.max || least != tt.min || known == tt.isUnknown {
			t.Errorf("%s: at most %d and at least %d, known %v, want %d, %d, %v", tt.schema, largest, least, known, tt.max, tt.min, !tt.isUnknown)
		}
	}
}

// TestNames checks the sizes of fields by their paths, among them the fields
// that the root of a resource has without a declaration.
func TestNames(t *testing.T) {
	for text, want := range map[string]map[string]int64{
		`{type: object}`: {"kind": maxStringBytes, "apiVersion": maxStringBytes, "metadata.name": 253 * 4, "metadata.generateName": 252 * 4, "metadata.labels": -1, "spec": -1},
		`{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 10}, generateName: {type: string, maxLength: 300}}}}}`: {
			"metadata.name": 40, "metadata.generateName": 252 * 4, "metadata.namespace": -1,
		},
		`{type: object, properties: {m: {type: object, additionalProperties: {type: string}}}}`:                                {"m.metadata": -1, "m.a": -1},
		`{type: object, properties: {a-b: {type: string, maxLength: 1}}}`:                                                      {"a__dash__b": 4, "a-b": -1, "__a__": -1},
		`{type: object, properties: {l: {type: array, items: {type: string}, properties: {a: {type: string, maxLength: 1}}}}}`: {"l.a": -1},
		`{type: object, properties: {s: {type: string, properties: {a: {type: string, maxLength: 1}}}}}`:                       {"s.a": -1},
		`{type: object, properties: {w: {x-kubernetes-int-or-string: true, properties: {a: {type: string, maxLength: 1}}}}}`:   {"w.a": -1},
		`{type: object, properties: {namespace: {type: string, maxLength: 1}}}`:                                                {"__namespace__": 4, "namespace": -1},
		`{type: object, properties: {o: {type: object, properties: {kind: {type: string, maxLength: 1}}}}}`:                    {"o.kind": 4, "o.metadata": -1},
	} {
		var props apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
			t.Fatal(err)
		}
		n, errs := schema.Compile(&props)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		for path, size := range want {
			at, ok := location{node: n, root: true}, true
			for name := range strings.SplitSeq(path, ".") {
				if at, ok = at.field(name); !ok {
					break
				}
			}
			got := int64(-1)
			if ok {
				got = newSizes().max(at)
			}
			if got != size {
				t.Errorf("%s: %s has size %d, want %d", text, path, got, size)
			}
		}
	}
}
