package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
)

// parse reads a schema from YAML.
func parse(t testing.TB, text string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(text), props); err != nil {
		t.Fatal(err)
	}
	return props
}

func compile(t testing.TB, text string, opts ...schema.Option) *schema.Node {
	t.Helper()
	n, errs := schema.Compile(parse(t, text), opts...)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

// everything has each keyword and extension that a structural schema may have.
const everything = `
type: object
description: root
required: [spec]
properties:
  spec:
    type: object
    title: Spec
    externalDocs: {url: https://example.com, description: more}
    x-kubernetes-map-type: granular
    minProperties: 1
    maxProperties: 20
    x-kubernetes-validations:
    - rule: self.num > 0
      message: must be positive
      reason: FieldValueForbidden
      fieldPath: .num
    - rule: "!oldSelf.hasValue() || self.num == oldSelf.value().num"
      messageExpression: "'n was ' + string(oldSelf.num)"
      optionalOldSelf: true
    properties:
      num: {type: integer, format: int32, minimum: 1, exclusiveMinimum: true, maximum: 10, multipleOf: 2, default: 2}
      f: {type: number, default: 2.5, enum: [1, 2.5, null]}
      s: {type: string, pattern: ^a, minLength: 1, maxLength: 5, nullable: true, example: ab}
      b: {type: boolean, default: false}
      i: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
      u: {x-kubernetes-preserve-unknown-fields: true}
      e: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      l:
        type: array
        minItems: 1
        maxItems: 3
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items:
          type: object
          required: [name]
          properties: {name: {type: string}}
      m: {type: object, additionalProperties: {type: string}}
      open: {type: object, additionalProperties: true}
      shut: {type: object, additionalProperties: false}
    allOf: [{required: [num]}]
    oneOf: [{properties: {num: {maximum: 5}}}, {required: [s]}]
    not: {properties: {l: {items: {properties: {name: {enum: [x]}}}}}}
`

func TestNode(t *testing.T) {
	root := compile(t, everything)
	spec := root.Property("spec")
	check := func(name string, got, want any) {
		t.Helper()
		if diff := fuzz.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	check("kind", root.Kind(), schema.KindObject)
	check("required", root.Limits().Required, []string{"spec"})
	check("min properties", spec.Limits().MinProperties, schema.Count{N: 1, Set: true})
	check("max properties", spec.Limits().MaxProperties, schema.Count{N: 20, Set: true})

	var names []string
	for name := range spec.Properties() {
		names = append(names, name)
	}
	check("order of properties", names, []string{"b", "e", "f", "i", "l", "m", "num", "open", "s", "shut", "u"})
	check("number of properties", spec.Len(), len(names))
	if spec.Property("nothing") != nil {
		t.Error("Property of an undeclared name is not nil")
	}

	n := spec.Property("num")
	check("limits of n", n.Limits(), schema.Limits{
		Format:     "int32",
		Minimum:    schema.Bound{Value: 1, Set: true, Exclusive: true},
		Maximum:    schema.Bound{Value: 10, Set: true},
		MultipleOf: schema.Bound{Value: 2, Set: true},
	})
	def, ok := n.Default()
	check("default of n", []any{def, ok}, []any{int64(2), true})
	def, ok = spec.Property("f").Default()
	check("default of f", []any{def, ok}, []any{2.5, true})
	check("enum of f", spec.Property("f").Limits().Enum, []any{int64(1), 2.5, nil})
	def, ok = spec.Property("b").Default()
	check("default of b", []any{def, ok}, []any{false, true})
	if _, ok := spec.Default(); ok {
		t.Error("spec has a default")
	}

	s := spec.Property("s")
	check("s nullable", s.Nullable(), true)
	check("s pattern", s.Limits().Pattern, "^a")
	check("i", spec.Property("i").IntOrString(), true)
	check("i branches", len(spec.Property("i").AnyOf()), 2)
	check("i second branch", spec.Property("i").AnyOf()[1].Kind(), schema.KindString)
	check("u", spec.Property("u").PreserveUnknownFields(), true)
	check("e", spec.Property("e").EmbeddedResource(), true)

	l := spec.Property("l")
	listType, ok := l.ListType()
	check("list type", []any{listType, ok}, []any{"map", true})
	check("list map keys", l.ListMapKeys(), []string{"name"})
	check("items", l.Items().Kind(), schema.KindObject)
	mapType, ok := spec.MapType()
	check("map type", []any{mapType, ok}, []any{"granular", true})

	for name, want := range map[string][3]bool{ // schema, declared, allowed
		"m": {true, true, true}, "open": {false, true, true}, "shut": {false, true, false}, "e": {},
	} {
		a, declared := spec.Property(name).AdditionalProperties()
		check("additionalProperties of "+name, [3]bool{a != nil, declared, spec.Property(name).AllowsAdditionalProperties()}, want)
	}

	check("allOf", spec.AllOf()[0].Limits().Required, []string{"num"})
	check("oneOf", spec.OneOf()[0].Property("num").Limits().Maximum, schema.Bound{Value: 5, Set: true})
	check("not", spec.Not().Property("l").Items().Property("name").Limits().Enum, []any{"x"})
	check("rules", spec.Rules(), []schema.Rule{
		{Rule: "self.num > 0", Message: "must be positive", Reason: "FieldValueForbidden", SetReason: true, FieldPath: ".num"},
		{Rule: "!oldSelf.hasValue() || self.num == oldSelf.value().num", MessageExpression: "'n was ' + string(oldSelf.num)",
			OptionalOldSelf: true, SetOptionalOldSelf: true},
	})

	a := root.Annotations()
	check("description", a.Description(), "root")
	check("title", a.Property("spec").Title(), "Spec")
	docs, _ := a.Property("spec").ExternalDocs()
	check("docs", docs, schema.ExternalDocs{URL: "https://example.com", Description: "more"})
	example, _ := a.Property("spec").Property("s").Example()
	check("example", example, "ab")
	check("no annotation", a.Property("spec").Property("l").Items().Description(), "")
}

func TestAccessorsReturnCopies(t *testing.T) {
	n := compile(t, `{type: object, properties: {a: {type: object, default: {b: {c: 1}}, properties: {b: {type: object}}}}}`)
	def, _ := n.Property("a").Default()
	def.(map[string]any)["b"].(map[string]any)["c"] = "changed"
	again, _ := n.Property("a").Default()
	want := map[string]any{"b": map[string]any{"c": int64(1)}}
	if diff := fuzz.Diff(any(want), again); diff != "" {
		t.Errorf("a default changed through its copy (-want +got):\n%s", diff)
	}
}

func TestFacts(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		want, lacks  schema.Facts
	}{
		{name: "scalars in an object", schema: `{type: object, properties: {a: {type: string}}}`,
			want:  schema.CanPrune | schema.CanDropNulls,
			lacks: schema.HasDefaults | schema.HasListTypes | schema.HasEmbedded | schema.HasRules | schema.HasJunctors | schema.HasPreserved | schema.HasNullable},
		{name: "default below items", schema: `{type: object, properties: {a: {type: array, items: {type: object, properties: {b: {type: string, default: x}}}}}}`,
			want: schema.HasDefaults},
		{name: "default below additional properties", schema: `{type: object, properties: {a: {type: object, additionalProperties: {type: string, default: x}}}}`,
			want: schema.HasDefaults},
		{name: "set", schema: `{type: object, properties: {a: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}`,
			want: schema.HasListTypes},
		{name: "atomic list", schema: `{type: object, properties: {a: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}}}`,
			lacks: schema.HasListTypes},
		{name: "rule", schema: `{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "true"}]}}}`,
			want: schema.HasRules},
		{name: "every property nullable", schema: `{type: object, properties: {a: {type: string, nullable: true}}}`,
			want: schema.HasNullable, lacks: schema.CanDropNulls},
		{name: "every property defaulted", schema: `{type: object, properties: {a: {type: string, default: x}}}`,
			lacks: schema.CanDropNulls},
		{name: "preserved", schema: `{type: object, x-kubernetes-preserve-unknown-fields: true}`,
			want: schema.HasPreserved, lacks: schema.CanPrune},
		{name: "preserved with a declared property", schema: `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object}}}`,
			want: schema.HasPreserved | schema.CanPrune},
		{name: "preserved below", schema: `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}`,
			lacks: schema.CanPrune},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := compile(t, tt.schema).Facts()
			if !f.Has(tt.want) {
				t.Errorf("Facts = %b, want at least %b", f, tt.want)
			}
			if f&tt.lacks != 0 {
				t.Errorf("Facts = %b, want none of %b", f, tt.lacks)
			}
		})
	}
}

func TestWithoutAnnotations(t *testing.T) {
	if a := compile(t, everything, schemaopt.WithoutAnnotations{}).Annotations(); a != nil {
		t.Errorf("Annotations = %v, want nil", a)
	}
}

func TestCompileNil(t *testing.T) {
	if n, errs := schema.Compile(nil); n != nil || len(errs) > 0 {
		t.Errorf("Compile(nil) = %v, %v", n, errs)
	}
}

func TestBounds(t *testing.T) {
	cyclic := &apiextensionsv1.JSONSchemaProps{Type: "array"}
	cyclic.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: cyclic}

	// Thirty levels with two branches each have 2^30 schemas.
	wide := &apiextensionsv1.JSONSchemaProps{Type: "string"}
	for range 30 {
		wide = &apiextensionsv1.JSONSchemaProps{Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": *wide, "b": *wide}}
	}
	deep := &apiextensionsv1.JSONSchemaProps{Type: "string"}
	for range 10 {
		deep = &apiextensionsv1.JSONSchemaProps{Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": *deep}}
	}
	for _, tt := range []struct {
		name  string
		props *apiextensionsv1.JSONSchemaProps
		opts  []schema.Option
		want  string
	}{
		{name: "contains itself", props: cyclic, want: "spec: Invalid value: must not be nested more than 5000 schemas deep"},
		{name: "too many", props: wide, want: "spec: Invalid value: must not have more than 1000000 schemas"},
		{name: "too deep", props: deep, opts: []schema.Option{schema.MaxDepth(10)}, want: "spec: Invalid value: must not be nested more than 10 schemas deep"},
		{name: "just deep enough", props: deep, opts: []schema.Option{schema.MaxDepth(11)}},
		{name: "just few enough", props: deep, opts: []schema.Option{schema.MaxNodes(11)}},
		{name: "one too many", props: deep, opts: []schema.Option{schema.MaxNodes(10)}, want: "spec: Invalid value: must not have more than 10 schemas"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, errs := schema.Compile(tt.props, append(tt.opts, schema.AtPath(field.NewPath("spec")))...)
			got := ""
			if len(errs) > 0 {
				got = errs[0].Error()
			}
			if got != tt.want {
				t.Errorf("Compile = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDeepSchemaCompiles(t *testing.T) {
	deep := &apiextensionsv1.JSONSchemaProps{Type: "string"}
	for range schema.DefaultMaxDepth - 1 {
		deep = &apiextensionsv1.JSONSchemaProps{Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": *deep}}
	}
	n, errs := schema.Compile(deep)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if got := n.Stats().Depth; got != schema.DefaultMaxDepth {
		t.Errorf("Depth = %d, want %d", got, schema.DefaultMaxDepth)
	}
}

func TestValueThatIsNotJSON(t *testing.T) {
	props := parse(t, `{type: object, properties: {a: {type: string}}}`)
	a := props.Properties["a"]
	a.Default = &apiextensionsv1.JSON{Raw: []byte(`{"x":`)}
	props.Properties["a"] = a
	n, errs := schema.Compile(props, schema.AtPath(field.NewPath("spec")))
	if n != nil || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "spec: Invalid value: a value in the schema is not JSON: ") {
		t.Errorf("Compile = %v, %v", n, errs)
	}
}

// FuzzCompile compares a tree with the tree without shared nodes.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{everything, `{type: object}`, `{type: object, properties: {a: {type: array, items: {type: string}}, b: {type: array, items: {type: string}}}}`} {
		text, err := yaml.YAMLToJSON([]byte(seed))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	fuzz.Run(f, func(t *testing.T, text []byte) {
		props := &apiextensionsv1.JSONSchemaProps{}
		if json.Unmarshal(text, props) != nil {
			return
		}
		shared, errs := schema.Compile(props)
		apart, errsApart := schema.Compile(props, testopt.Unshared{})
		if diff := cmp.Diff(errs.ToAggregate() == nil, errsApart.ToAggregate() == nil); diff != "" {
			t.Fatal("sharing changes the verdict")
		}
		if shared == nil {
			return
		}
		if a, b := dump(shared), dump(apart); a != b {
			t.Errorf("sharing changes the tree:\n%s\n%s", a, b)
		}
		if s := shared.Stats(); s != apart.Stats() {
			t.Errorf("Stats = %+v and %+v unshared", s, apart.Stats())
		}
	})
}

// dump returns the results of all accessors of a tree as text.
func dump(n *schema.Node) string {
	if n == nil {
		return "-"
	}
	var b strings.Builder
	listType, hasListType := n.ListType()
	mapType, hasMapType := n.MapType()
	def, hasDefault := n.Default()
	additional, declared := n.AdditionalProperties()
	fmt.Fprintf(&b, "(%q %t %t %t %t %b %#v %q %t %q %t %q %#v %t %#v %t %t",
		n.Type(), n.Nullable(), n.PreserveUnknownFields(), n.EmbeddedResource(), n.IntOrString(), n.Facts(), n.Limits(),
		listType, hasListType, mapType, hasMapType, n.ListMapKeys(), def, hasDefault, n.Rules(), declared, n.AllowsAdditionalProperties())
	for name, p := range n.Properties() {
		fmt.Fprintf(&b, " %q:%s", name, dump(p))
	}
	fmt.Fprintf(&b, " items:%s additional:%s", dump(n.Items()), dump(additional))
	for _, list := range [][]*schema.Branch{n.AllOf(), n.AnyOf(), n.OneOf(), {n.Not()}} {
		b.WriteString(dumpBranches(list))
	}
	b.WriteString(")")
	return b.String()
}

func dumpBranches(list []*schema.Branch) string {
	var b strings.Builder
	b.WriteString("[")
	for _, br := range list {
		if br == nil {
			b.WriteString("-")
			continue
		}
		fmt.Fprintf(&b, "{%s %#v", br.Kind(), br.Limits())
		for name, p := range br.Properties() {
			fmt.Fprintf(&b, " %q:%s", name, dumpBranches([]*schema.Branch{p}))
		}
		b.WriteString(dumpBranches([]*schema.Branch{br.Items()}))
		for _, below := range [][]*schema.Branch{br.AllOf(), br.AnyOf(), br.OneOf(), {br.Not()}} {
			b.WriteString(dumpBranches(below))
		}
		b.WriteString("}")
	}
	b.WriteString("]")
	return b.String()
}

func BenchmarkCompile(b *testing.B) {
	props := parse(b, everything)
	b.ReportAllocs()
	for b.Loop() {
		schema.Compile(props)
	}
}
