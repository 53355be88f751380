package definition

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
)

const base = `
metadata: {name: as.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: as, singular: a, kind: A, listKind: AList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
status: {storedVersions: [v1], acceptedNames: {plural: "", kind: ""}, conditions: []}
`

// merged returns the base definition with changes applied: maps are merged, all
// other values replaced.
func merged(t *testing.T, changes map[string]any) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var whole map[string]any
	load(t, []byte(base), &whole)
	merge(whole, changes)
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	load(t, text, crd)
	return crd
}

func merge(into, changes map[string]any) {
	for name, v := range changes {
		below, ok := v.(map[string]any)
		if there, both := into[name].(map[string]any); ok && both {
			merge(there, below)
			continue
		}
		into[name] = v
	}
}

func load(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(text, v); err != nil {
		t.Fatal(err)
	}
}

func loadFile(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	load(t, text, v)
}

func shape(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition, limit *errorlimit.Limit) *internalForm {
	t.Helper()
	facts, errs := factsOf(crd, &visitor{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return newInternalForm(crd, facts, limit)
}

// TestCheckSpec compares errors and the pointers to their values.
func TestCheckSpec(t *testing.T) {
	var tests []struct {
		Name     string
		Set, Old map[string]any
		Want     []string
	}
	loadFile(t, "testdata/check.yaml", &tests)
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			crd := merged(t, tt.Set)
			cfg := &config{limit: errorlimit.New(0)}
			cfg.limit.KeepPointers()
			now, opts := shape(t, crd, cfg.limit), createStrictness()
			var old *internalForm
			if tt.Old != nil {
				old = shape(t, merged(t, tt.Old), cfg.limit)
				opts = updateStrictness(now, old)
			}
			before := crd.DeepCopy()
			var got []string
			for _, err := range checkSpec(now, old, opts, cfg) {
				e := *err
				if e.Type == field.ErrorTypeInvalid {
					e.BadValue = field.OmitValueType{} // the value is a part of the definition
				}
				got = append(got, cfg.limit.Pointer(err)+" "+e.Error())
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.Want, got); diff != "" {
				t.Errorf("errors mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, crd); diff != "" {
				t.Errorf("Check changed the definition:\n%s", diff)
			}
		})
	}
}
