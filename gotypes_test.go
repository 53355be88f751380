package crdkit_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestGoTypes checks that requests return an error for values of Go types that
// no JSON decoder returns. A verdict on such a value could be wrong: the same
// object, sent as JSON, may be admitted.
func TestGoTypes(t *testing.T) {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		t.Fatal(err)
	}
	fast, reference := compileBoth(t, crd)
	ctx := context.Background()
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"int", 3, "spec.replicas is of the Go type int;"},
		{"int32", int32(3), "spec.replicas is of the Go type int32;"},
		{"number", json.Number("3"), "spec.replicas is of the Go type json.Number;"},
		{"pointer", new(int64), "spec.replicas is of the Go type *int64;"},
		{"list of strings", []string{"a"}, "spec.replicas is of the Go type []string;"},
		{"in a list", []any{int64(1), []any{uint8(1)}}, "spec.replicas[1][0] is of the Go type uint8;"},
		{"map of strings", map[string]string{}, "spec.replicas is of the Go type map[string]string;"},
		{"right type", int64(3), ""},
		{"wrong value", "three", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			newObject := func() *unstructured.Unstructured {
				return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": tt.value})
			}
			refused := func() *unstructured.Unstructured {
				return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": "three"})
			}
			for _, def := range []*crdkit.Definition{fast, reference} {
				v := testkit.Must(def.Version("v1"))
				_, err := v.Create(ctx, newObject())
				wantError(t, "Create", err, tt.want)
				_, err = v.Update(ctx, newObject(), refused())
				wantError(t, "Update", err, tt.want)
				_, err = v.Create(ctx, refused(), crdkit.Mutate(func(_ context.Context, obj *unstructured.Unstructured) error {
					obj.Object = newObject().Object
					return nil
				}))
				wantError(t, "Create after Mutate", err, tt.want)
				_, err = v.Update(ctx, refused(), newObject())
				wantError(t, "Update of it", err, strings.Replace(tt.want, " is of", " of the old object is of", 1))
				// Read and Store give no verdict, so they accept the value.
				if _, _, err := v.Read(ctx, newObject()); err != nil {
					t.Errorf("Read: %v", err)
				}
				if _, err := v.Store(ctx, newObject()); err != nil {
					t.Errorf("Store: %v", err)
				}
			}
		})
	}
}

func wantError(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", name, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v, want an error with %q", name, err, want)
	}
}

func TestFieldValidationUnknown(t *testing.T) {
	v := testkit.Must(compiled().Version("v1"))
	ctx := context.Background()
	const raw = `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{"cronSpec":"0 3 * * *","x":1}}`
	obj := func() *unstructured.Unstructured { return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"}) }
	const want = `field validation is "strict", want "Warn", "Ignore" or "Strict"`
	for _, opts := range [][]crdkit.RequestOption{{crdkit.FieldValidation("strict")}, {crdkit.Strict, crdkit.FieldValidation("strict")}} {
		_, err := v.Create(ctx, obj(), opts...)
		wantError(t, "Create", err, want)
		_, err = v.Update(ctx, obj(), obj(), opts...)
		wantError(t, "Update", err, want)
		encoded := jsonOptions(opts)
		_, _, err = v.CreateJSON(ctx, []byte(raw), encoded...)
		wantError(t, "CreateJSON", err, want)
		_, _, err = v.CreateJSON(ctx, []byte("{"), encoded...)
		wantError(t, "CreateJSON of a malformed body", err, want)
		_, _, err = v.UpdateJSON(ctx, []byte(raw), []byte(raw), encoded...)
		wantError(t, "UpdateJSON", err, want)
	}
	_, res, err := v.CreateJSON(ctx, []byte(raw), crdkit.FieldValidation("strict"), crdkit.FieldValidation(""))
	if err != nil || len(res.Warnings) != 1 {
		t.Errorf("with an empty field validation: %v, %v; want one warning", res, err)
	}
}

// TestNilArguments checks that a nil context never ends and that nil options
// have no effect.
func TestNilArguments(t *testing.T) {
	var never context.Context
	def := compiled()
	v := testkit.Must(def.Version("v1"))
	const raw = `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a","namespace":"default"},"spec":{"cronSpec":"0 3 * * *","replicas":1}}`
	obj := func() *unstructured.Unstructured {
		return cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": int64(1)})
	}
	stored := obj()
	admitted := func(name string, res *crdkit.Result, err error) {
		t.Helper()
		if err != nil || !res.Admitted() {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
	res, err := v.Create(never, obj(), nil)
	admitted("Create", res, err)
	res, err = v.Update(never, obj(), stored, nil)
	admitted("Update", res, err)
	_, res, err = v.CreateJSON(never, []byte(raw), nil)
	admitted("CreateJSON", res, err)
	_, res, err = v.CreateJSON(never, []byte(raw), nil, crdkit.YAML())
	admitted("CreateJSON of YAML", res, err)
	_, res, err = v.UpdateJSON(never, []byte(raw), []byte(raw), nil)
	admitted("UpdateJSON", res, err)
	if _, _, err := v.Read(never, stored, nil); err != nil {
		t.Errorf("Read: %v", err)
	}
	if _, err := v.Store(never, stored); err != nil {
		t.Errorf("Store: %v", err)
	}
	if _, err := def.Convert(never, []*unstructured.Unstructured{stored}, "v1beta1"); err != nil {
		t.Errorf("Convert: %v", err)
	}
}
