package oracle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	jsonschemav6 "github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/serving/jsonschema"
)

// The tests of this file validate objects with exported JSON Schemas and another
// validator. It must accept every object that the engine admits, in the form in which the
// client wrote it.

// A schemaPair validates objects of one version with the engine and with the schema.
type schemaPair struct {
	engine *crdkit.Version
	schema *jsonschemav6.Schema
}

func newSchemaPair(t testing.TB, crd *definitionV1, version string, opts ...jsonschema.Option) *schemaPair {
	t.Helper()
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	data, err := jsonschema.Export(crd, version, opts...)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschemav6.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschemav6.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("crd.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("crd.json")
	if err != nil {
		t.Fatalf("%s, version %s: %v\n%s", crd.Name, version, err, data)
	}
	return &schemaPair{engine: testkit.Must(d.Version(version)), schema: compiled}
}

// judge returns the errors of the engine and of the other validator for a new object.
func (p *schemaPair) judge(t testing.TB, obj map[string]any) (engine, schema error) {
	t.Helper()
	value, err := jsonschemav6.UnmarshalJSON(bytes.NewReader(testkit.Encode(obj)))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: testkit.Clone(obj)}
	res, err := p.engine.Create(context.Background(), u)
	if err != nil {
		t.Fatal(err)
	}
	return res.Err(), p.schema.Validate(value)
}

// A schemaTally counts verdicts.
type schemaTally struct{ accepted, refused, shared, arrays, wrong int }

func (c *schemaTally) add(t testing.TB, name string, p *schemaPair, obj map[string]any) {
	t.Helper()
	engine, schema := p.judge(t, obj)
	switch {
	case engine == nil && schema != nil && strings.Contains(schema.Error(), "got array, want null or string"):
		c.arrays++ // a string with a format; see docs/json-schema.md
	case engine == nil && schema != nil:
		if c.wrong++; c.wrong < 10 {
			t.Errorf("%s is admitted, but\n%v\n%s", name, schema, encode(t, obj))
		}
	case engine == nil:
		c.accepted++
	default:
		c.refused++
		if schema != nil {
			c.shared++
		}
	}
}

func TestJSONSchema(t *testing.T) {
	count := 12
	if testing.Short() {
		count = 4
	}
	var samples, generated, strict schemaTally
	versions := 0
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			versions++
			opts := []jsonschema.Option{}
			if versions%2 == 0 {
				opts = append(opts, jsonschema.Draft07())
			}
			p := newSchemaPair(t, d.CRD, v.Name, opts...)
			careful := newSchemaPair(t, d.CRD, v.Name, append(opts, jsonschema.Strict())...)
			for _, s := range d.Samples {
				if s.Version() == v.Name {
					samples.add(t, s.Path, p, s.Object)
				}
			}
			made := objectsOf(d, v, count)
			for i, obj := range made[len(made)-count:] {
				generated.add(t, fmt.Sprintf("%s, version %s, object %d", d.Path, v.Name, i), p, obj)
				if engine, schema := careful.judge(t, obj); engine != nil {
					strict.refused++
					if schema != nil {
						strict.shared++
					}
				}
			}
		}
	}
	if generated.shared < generated.refused/3 || generated.accepted < generated.refused/10 {
		t.Errorf("of %d refusals %d are shared, %d are accepted: the schemas show too little", generated.refused, generated.shared, generated.accepted)
	}
	fmt.Fprintf(os.Stdout, "oracle: JSON Schema of %d versions: %d samples and %d generated objects admitted, %d of them refused by jsonschema/v6, and %d for an array in the place of a string with a format; of %d refusals it shares %d, strictly %d\n",
		versions, samples.accepted+samples.wrong, generated.accepted+generated.wrong+generated.arrays, samples.wrong+generated.wrong, samples.arrays+generated.arrays,
		samples.refused+generated.refused, samples.shared+generated.shared, samples.shared+strict.shared)
}

// jsonSchemaCases are schemas of a field spec, and values of the field. The engine admits
// the values, but a schema that is translated keyword by keyword would refuse them.
var jsonSchemaCases = []struct{ name, schema, value string }{
	{"required with a default", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","default":"x"}}}`, `{}`},
	{"null is dropped", `{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}`, `{"a":null}`},
	{"null in a map", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"a":null}`},
	{"null becomes the default of items", `{"type":"array","items":{"type":"integer","default":7}}`, `[null]`},
	{"oneOf and a null", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":null,"b":"x"}`},
	{"oneOf and a default", `{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"string"}},"oneOf":[{"required":["a","b"]},{"properties":{"b":{"maxLength":0}}}]}`, `{}`},
	{"not and a null", `{"type":"object","properties":{"a":{"type":"string"}},"not":{"required":["a"]}}`, `{"a":null}`},
	{"not and a default", `{"type":"object","properties":{"a":{"type":"string","default":"x"}},"not":{"properties":{"a":{"enum":["y"]}}}}`, `{"a":"z"}`},
	{"anyOf over a null", `{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{"enum":["x"]}}}]}`, `{"a":null}`},
	{"unknown fields do not count", `{"type":"object","properties":{"a":{"type":"string"}},"maxProperties":1}`, `{"a":"x","b":1}`},
	{"defaults count", `{"type":"object","properties":{"a":{"type":"string","default":"x"}},"minProperties":1}`, `{}`},
	{"bound behind the point", `{"type":"number","minimum":1.5}`, `1`},
	{"rounded number of an enum", `{"type":"number","enum":[1]}`, `1.9`},
	{"integer for a character", `{"x-kubernetes-int-or-string":true,"enum":["A",7]}`, `65`},
	{"inexact multiple", `{"type":"number","multipleOf":0.1}`, `0.30000000000000004`},
	{"case folding in a pattern", `{"type":"string","pattern":"(?i)^a$"}`, `"A"`},
	{"duration of Go", `{"type":"string","format":"duration"}`, `"1h30m"`},
	{"unknown format", `{"type":"string","format":"time"}`, `"soon"`},
	{"pruned objects in an enum", `{"type":"object","properties":{"a":{"type":"string"}},"enum":[{"a":"x"}]}`, `{"a":"x","b":1}`},
	{"nullable with junctors", `{"type":"object","properties":{"a":{"type":"string","nullable":true,"anyOf":[{"enum":["x"]}]}}}`, `{"a":null}`},
	{"embedded with defaults", `{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"apiVersion":{"type":"string","default":"v1"},"kind":{"type":"string","default":"Pod"},"metadata":{"type":"object"}}}`, `{"metadata":null}`},
	{"pruned fields below not", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}},"not":{"properties":{"a":{"minProperties":1}},"required":["a"]}}`, `{"a":{"c":1}}`},
}

// TestJSONSchemaCases also checks that strict schemas accept the object that the engine
// would store.
func TestJSONSchemaCases(t *testing.T) {
	for _, tt := range jsonSchemaCases {
		t.Run(tt.name, func(t *testing.T) {
			crd := openAPIDefinition(decodeProps(t, []byte(`{"type":"object","properties":{"spec":`+tt.schema+`}}`)))
			obj := widgetWith(t, tt.value)
			engine, schema := newSchemaPair(t, crd, "v1").judge(t, obj)
			if engine != nil || schema != nil {
				t.Errorf("engine %v, schema %v", engine, schema)
			}
		})
	}
}

func widgetWith(t testing.TB, spec string) map[string]any {
	t.Helper()
	value, err := testkit.DecodeJSON([]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"spec":` + spec + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return value.(map[string]any)
}

// jsonSchemaRefusals are values that the exported schema must refuse, as the
// engine does.
var jsonSchemaRefusals = []struct{ name, schema, value string }{
	{"type", `{"type":"string"}`, `1`},
	{"required", `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, `{}`},
	{"required null", `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, `{"a":null}`},
	{"null in an array", `{"type":"array","items":{"type":"string"}}`, `[null]`},
	{"exclusive bound", `{"type":"integer","maximum":5,"exclusiveMaximum":true}`, `5`},
	{"enum", `{"type":"string","enum":["a"]}`, `"b"`},
	{"pattern", `{"type":"string","pattern":"^a$"}`, `"b"`},
	{"int or string", `{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}`, `true`},
	{"set", `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`, `["a","a"]`},
	{"int32", `{"type":"integer","format":"int32"}`, `2147483648`},
	{"date", `{"type":"string","format":"date"}`, `"today"`},
	{"oneOf of required", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":"x","b":"x"}`},
	{"not required", `{"type":"object","properties":{"a":{"type":"string"}},"not":{"required":["a"]}}`, `{"a":"x"}`},
	{"embedded", `{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}`, `{}`},
	{"map of maps", `{"type":"object","additionalProperties":{"type":"object","required":["b"],"properties":{"b":{"type":"integer"}}}}`, `{"a":{"b":"x"}}`},
}

func TestJSONSchemaRefusals(t *testing.T) {
	for _, tt := range jsonSchemaRefusals {
		t.Run(tt.name, func(t *testing.T) {
			crd := openAPIDefinition(decodeProps(t, []byte(`{"type":"object","properties":{"spec":`+tt.schema+`}}`)))
			engine, schema := newSchemaPair(t, crd, "v1").judge(t, widgetWith(t, tt.value))
			if engine == nil || schema == nil {
				t.Errorf("engine %v, schema %v", engine, schema)
			}
		})
	}
}

// FuzzJSONSchema checks that the exported schema accepts every value that the engine
// admits. Exceptions are arrays in the place of strings with a format, and numbers that
// 64 bits cannot distinguish.
func FuzzJSONSchema(f *testing.F) {
	for _, tt := range jsonSchemaCases {
		f.Add(tt.schema, tt.value)
	}
	for _, tt := range jsonSchemaRefusals {
		f.Add(tt.schema, tt.value)
	}
	fuzz.Run(f, func(t *testing.T, schema, value string) {
		var spec apiextensionsv1.JSONSchemaProps
		if len(schema) > 2000 || len(value) > 500 || json.Unmarshal([]byte(schema), &spec) != nil || !json.Valid([]byte(value)) {
			return
		}
		if strings.Contains(schema, `"format"`) && strings.Contains(value, "[") || strings.ContainsAny(value, ".eE") {
			return
		}
		crd := openAPIDefinition(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec}})
		if report := definition.Check(crd); report.Err() != nil {
			return
		}
		tree, err := testkit.DecodeJSON([]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"spec":` + value + `}`))
		if err != nil {
			return
		}
		obj := tree.(map[string]any)
		engine, refused := newSchemaPair(t, crd, "v1").judge(t, obj)
		if engine == nil && refused != nil {
			t.Errorf("schema %s: %s is admitted, but\n%v", schema, value, refused)
		}
	})
}
