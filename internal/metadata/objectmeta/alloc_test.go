//go:build !race

package objectmeta

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
)

const typicalJSON = `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{
	"name":"web","namespace":"default","uid":"0f0c8b7e-6b0a-4d0e-9a59-6d4f3f2f8a11","resourceVersion":"123456","generation":2,
	"creationTimestamp":"2024-02-29T23:59:59Z",
	"labels":{"app.kubernetes.io/name":"web","app.kubernetes.io/instance":"web-1","team":"payments"},
	"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"example.com/v1\",\"kind\":\"Foo\"}","Example.com/note":"x"},
	"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"8f2c","controller":true,"blockOwnerDeletion":true}],
	"finalizers":["example.com/protect"],
	"managedFields":[{"manager":"kubectl","operation":"Apply","apiVersion":"example.com/v1","time":"2024-02-29T23:59:59Z","fieldsType":"FieldsV1",
		"fieldsV1":{"f:metadata":{"f:labels":{"f:team":{}}},"f:spec":{"f:replicas":{},"f:list":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}}}]}}`

const typicalSchema = `
type: object
properties:
  spec:
    type: object
    properties:
      template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      list: {type: array, items: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}
      byName: {type: object, additionalProperties: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}
`

// typicalObject is an object with all members that metadata usually has, and
// with embedded resources that have them too.
func typicalObject(t testing.TB) map[string]any {
	t.Helper()
	parse := func() map[string]any {
		v, err := testkit.Decode([]byte(typicalJSON))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	obj := parse()
	obj["spec"] = map[string]any{
		"template": parse(),
		"list":     []any{parse(), parse()},
		"byName":   map[string]any{"a": parse()},
	}
	return obj
}

func TestNoAllocations(t *testing.T) {
	obj := typicalObject(t)
	m, before := readMap(obj), readMap(typicalObject(t))
	e := &Embedded{Schema: enginetest.MustCompileYAML(t, typicalSchema)}
	unlike := "unexpected result for ordinary metadata"
	for name, call := range map[string]func(){
		"Coerce": func() {
			if unknown, err := Coerce(obj, Options{ReportUnknown: true}); unknown != nil || err != nil {
				t.Fatal(unlike)
			}
		},
		"Decode and Restore": func() {
			m, _, err := Decode(obj, Options{DropInvalid: true})
			if m.Restore(obj); err != nil {
				t.Fatal(unlike)
			}
		},
		"Embedded.Coerce": func() {
			if unknown, err := e.Coerce(obj, Options{ReportUnknown: true}); unknown != nil || err != nil {
				t.Fatal(unlike)
			}
		},
		"Embedded.Valid": func() {
			if !e.Valid(obj) {
				t.Fatal(unlike)
			}
		},
		"Embedded.Validate":    func() { wantNone(t, e.Validate(obj)) },
		"ReadMap":              func() { m.ReadMap(obj) },
		"ValidateCreate":       func() { wantNone(t, m.Validate(nil, true, nil)) },
		"ValidateUpdate":       func() { wantNone(t, m.Validate(before, true, nil)) },
		"ValidateCommonCreate": func() { wantNone(t, m.ValidateCommon(nil, true, nil)) },
		"ValidateCommonUpdate": func() { wantNone(t, m.ValidateCommon(before, true, nil)) },
		"FinalizerWarnings": func() {
			if m.FinalizerWarnings(new(Meta)) != nil {
				t.Fatal(unlike)
			}
		},
		"PrepareUpdate": func() {
			if m.PrepareUpdate(before) != nil {
				t.Fatal(unlike)
			}
		},
		"Write": func() { m.Write(obj) },
	} {
		if got := testing.AllocsPerRun(100, call); got != 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}

func wantNone(t *testing.T, problems []Problem) {
	if problems != nil {
		t.Fatal(problemLines(problems))
	}
}

// Removing omitted members does not allocate either.
func TestThinningAllocatesNothing(t *testing.T) {
	obj := typicalObject(t)
	m := obj["metadata"].(map[string]any)
	if got := testing.AllocsPerRun(100, func() {
		m["creationTimestamp"] = nil
		if _, err := Coerce(obj, Options{}); err != nil {
			t.Fatal(err)
		}
		if _, ok := m["creationTimestamp"]; ok {
			t.Fatal("null is still there")
		}
	}); got != 0 {
		t.Errorf("allocates %v times", got)
	}
}
