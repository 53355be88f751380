package crdkit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestPatched tests what the option changes in an update. Package patch tests the rest.
func TestPatched(t *testing.T) {
	pair, _ := cronTabPair(t)
	v := pair.fast
	old := []byte(`{"apiVersion":"jobs.example.org/v1","kind":"CronTab","metadata":{"name":"n","namespace":"default","resourceVersion":"5"},"spec":{"cronSpec":"* * * * *","image":"a"}}`)
	owners := `[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}]`
	raw := []byte(strings.NewReplacer(`"image":"a"`, `"image":"a","x":1`, `"name":"n",`, `"name":"n","ownerReferences":`+owners+`,`).Replace(string(old)))
	_, res, err := v.UpdateJSON(context.Background(), raw, old, crdkit.Patched("first"))
	if err != nil || res.Err() != nil {
		t.Fatal(err, res.Err())
	}
	want := []string{"first", `unknown field "spec.x"`, ".metadata.ownerReferences contains duplicate entries after mutating admission happens; " +
		"API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1"}
	if diff := cmp.Diff(want, res.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	_, res, err = v.UpdateJSON(context.Background(), old, old, crdkit.Patched("first"), crdkit.Strict)
	if err != nil || res.Refusal == nil || res.Refusal.Code != 422 || !strings.HasSuffix(res.Err().Error(), "strict decoding error: first") {
		t.Errorf("a strict request: %v, %v", err, res.Err())
	}
}

// TestMutateOfPatch tests that a mutation sees the duplicate owner references of a patch,
// which are dropped after it, with one warning.
func TestMutateOfPatch(t *testing.T) {
	pair, _ := cronTabPair(t)
	old := `{"apiVersion":"jobs.example.org/v1","kind":"CronTab","metadata":{"name":"n","namespace":"default","resourceVersion":"5"},"spec":{"cronSpec":"* * * * *","image":"a"}}`
	owner := `{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}`
	raw := strings.Replace(old, `"name":"n",`, `"name":"n","ownerReferences":[`+owner+`,`+owner+`],`, 1)
	for _, tt := range []struct {
		opts []crdkit.JSONOption
		seen int
	}{{nil, 1}, {[]crdkit.JSONOption{crdkit.Patched()}, 2}} {
		seen := 0
		out, res, err := pair.fast.UpdateJSON(context.Background(), []byte(raw), []byte(old), append(tt.opts, crdkit.Mutate(func(_ context.Context, obj *unstructured.Unstructured) error {
			seen = len(obj.GetOwnerReferences())
			return nil
		}))...)
		if err != nil || res.Err() != nil {
			t.Fatal(err, res.Err())
		}
		if got := strings.Count(string(out), `"uid":"1"`); seen != tt.seen || got != 1 || len(res.Warnings) != 1 {
			t.Errorf("the mutation sees %d owners, want %d; the object has %d and %q", seen, tt.seen, got, res.Warnings)
		}
	}
}

// TestMerged tests that the object of an apply is not pruned and gets no defaults.
func TestMerged(t *testing.T) {
	pair, _ := cronTabPair(t)
	v := pair.fast
	obj := decoded(t, `{"apiVersion":"jobs.example.org/v1","kind":"CronTab","metadata":{"name":"n","namespace":"default"},"spec":{"cronSpec":"* * * * *","image":"a","replicas":null}}`)
	res, err := v.Create(context.Background(), obj, crdkit.Merged())
	if err != nil || res.Err() == nil || !strings.Contains(res.Err().Error(), `spec.replicas: Invalid value: "null"`) {
		t.Errorf("a null: %v, %v", err, res.Err())
	}
	obj = decoded(t, `{"apiVersion":"jobs.example.org/v1","kind":"CronTab","metadata":{"name":"n","namespace":"default"},"spec":{"cronSpec":"* * * * *","image":"a","replicas":1,"suspend":false,"x":1}}`)
	want := testkit.Clone(obj.Object["spec"].(map[string]any))
	if res, err := v.Create(context.Background(), obj, crdkit.Merged()); err != nil || res.Err() != nil || len(res.Warnings) > 0 {
		t.Errorf("%v, %v", err, res)
	}
	if diff := cmp.Diff(want, obj.Object["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

func TestOriginsOfRequests(t *testing.T) {
	pair, _ := cronTabPair(t)
	v := pair.fast
	raw := []byte(`{}`)
	if _, _, err := v.CreateJSON(context.Background(), raw, crdkit.Patched()); err == nil {
		t.Error("a patched create has no error")
	}
	if _, _, err := v.UpdateJSON(context.Background(), raw, raw, crdkit.Merged()); err == nil {
		t.Error("a merged update of JSON has no error")
	}
	if _, err := crdkit.FieldValidationOf(nil, crdkit.FieldValidation("x")); err == nil {
		t.Error("an unknown field validation has no error")
	}
	if got, err := crdkit.FieldValidationOf(crdkit.Strict, crdkit.AppendTo(nil)); got != crdkit.Strict || err != nil {
		t.Errorf("FieldValidationOf: %q, %v", got, err)
	}
}

func decoded(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	v, err := testkit.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: v.(map[string]any)}
}
