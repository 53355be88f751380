package explanation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/schema"
)

const unknownSchema = `
type: object
properties:
  spec:
    type: object
    properties:
      replicas: {type: integer}
      image: {type: string}
      a.b: {type: object, properties: {color: {type: string}}}
      a: {type: object, properties: {size: {type: integer}}}
      ab: {type: object, properties: {count: {type: integer}}}
      empty: {type: object}
      ports: {type: array, items: {type: object, properties: {containerPort: {type: integer}}}}
      byName: {type: object, additionalProperties: {type: object, properties: {value: {type: string}}}}
      template: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object, properties: {nodeName: {type: string}}}}}
  status: {type: object}
`

func TestUnknownField(t *testing.T) {
	x := explanation.New(versionOf(t, definitionOf(t, unknownSchema)))
	for _, c := range []struct{ field, text, suggestion string }{
		{"spec.replica", `spec has no field "replica"; did you mean "replicas"?`, "replicas"},
		{"spec.Image", `spec has no field "Image"; did you mean "image"?`, "image"},
		{"sepc", `the object has no field "sepc"; did you mean "spec"?`, "spec"},
		{"metdata", `the object has no field "metdata"; did you mean "metadata"?`, "metadata"},
		{"metadata.lables", `metadata has no field "lables"; did you mean "labels"?`, "labels"},
		{"spec.a.b.colour", `spec.a.b has no field "colour"; did you mean "color"?`, "color"},
		{"spec.a.siz", `spec.a has no field "siz"; did you mean "size"?`, "size"},
		{"spec.ab.coun", `spec.ab has no field "coun"; did you mean "count"?`, "count"},
		{"spec.ab.colour", `spec.ab has no field "colour"; it has count`, ""},
		{"spec.ports[1].containerport", `spec.ports[1] has no field "containerport"; did you mean "containerPort"?`, "containerPort"},
		{"spec.byName.x.valeu", `spec.byName.x has no field "valeu"; did you mean "value"?`, "value"},
		{"spec.byName[x].valeu", `spec.byName[x] has no field "valeu"; did you mean "value"?`, "value"},
		{"spec.template.spec.nodename", `spec.template.spec has no field "nodename"; did you mean "nodeName"?`, "nodeName"},
		{"spec.template.metadata.nmae", `spec.template.metadata has no field "nmae"; did you mean "name"?`, "name"},
		{"spec.empty.x", `spec.empty has no field "x"; it declares none`, ""},
		{"spec.zone", `spec has no field "zone"; it has a, a.b, ab, byName, empty, image, ports, replicas, template`, ""},
		{"spec.image", "", ""},
	} {
		got := x.UnknownField(`unknown field "` + c.field + `"`)
		if c.text == "" {
			if got != nil {
				t.Errorf("%s: %+v, want no explanation", c.field, got)
			}
			continue
		}
		if got == nil || got.Text != c.text || got.Suggestion != c.suggestion {
			t.Errorf("%s: %+v, want %s, %s", c.field, got, c.text, c.suggestion)
		}
	}
	for _, text := range []string{"", "duplicate field \"spec.image\"", "spec.replica"} {
		if got := x.UnknownField(text); got != nil {
			t.Errorf("%q: %+v, want no explanation", text, got)
		}
	}
}

// TestRefusalsHaveUnknownFields checks that the complaints and changes of requests are
// what UnknownField and Pruned take.
func TestRefusalsHaveUnknownFields(t *testing.T) {
	v := versionOf(t, definitionOf(t, unknownSchema))
	x := explanation.New(v)
	const want = `spec has no field "replica"; did you mean "replicas"?`
	text := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"b"},"spec":{"replica":1}}`)
	_, res, err := v.CreateJSON(t.Context(), text, crdkit.Strict)
	if err != nil || res.Refusal == nil || len(res.Refusal.Details) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if got := x.UnknownField(res.Refusal.Details[0]); got == nil || got.Text != want {
		t.Errorf("%q: %+v", res.Refusal.Details[0], got)
	}
	if _, res, err = v.CreateJSON(t.Context(), text, crdkit.ReportChanges(), crdkit.Warn); err != nil || len(res.Warnings) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if got := x.UnknownField(res.Warnings[0]); got == nil || got.Text != want {
		t.Errorf("%q: %+v", res.Warnings[0], got)
	}
	pruned := 0
	for _, c := range res.Changes {
		if c.Op == crdkit.Pruned {
			pruned++
			if got := x.Pruned(c.Path); got == nil || got.Text != want {
				t.Errorf("%v: %+v", c.Path, got)
			}
		}
	}
	if pruned != 1 {
		t.Errorf("%d fields were pruned, want 1", pruned)
	}
}

func TestPruned(t *testing.T) {
	x := explanation.New(versionOf(t, definitionOf(t, unknownSchema)))
	path := schema.Path{schema.Field("spec"), schema.Field("byName"), schema.Key("a.b"), schema.Field("val")}
	if got := x.Pruned(path); got == nil || got.Suggestion != "" || got.Text != `spec.byName[a.b] has no field "val"; it has value` {
		t.Errorf("got %+v", got)
	}
	for _, path := range []schema.Path{nil, {schema.Field("spec")}, {schema.Field("spec"), schema.Index(0)}} {
		if got := x.Pruned(path); got != nil {
			t.Errorf("%v: got %+v, want no explanation", path, got)
		}
	}
}

func TestUnknownFieldIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("type: object\nproperties:\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "  property%05d: {type: string}\n", i)
	}
	x := explanation.New(versionOf(t, definitionOf(t, b.String())))
	start := time.Now()
	for _, name := range []string{strings.Repeat("x", 100_000), strings.Repeat("[", 100_000), strings.Repeat(".", 100_000), strings.Repeat("property", 8)} {
		got := x.UnknownField(`unknown field "` + name + `"`)
		if got == nil || len(got.Text) > 4*1000 {
			t.Errorf("%.10s: %d bytes", name, len(got.Text))
		}
	}
	if got := x.UnknownField(`unknown field "propety09999"`); got == nil || got.Suggestion != "property09999" {
		t.Errorf("got %+v", got)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}
