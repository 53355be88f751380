package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// noteTests are definitions, the notes on them, and the result of creating an
// object, which shows that the notes are true.
var noteTests = []struct {
	name   string
	schema string   // of v1, the storage version
	second string   // of v2, if there is one
	want   []string // code and pointer below /spec/versions
	object string   // members of an object that is created at v2 if there is one, else at v1
	stored string   // the same members as they are stored; "" if the object is refused
}{{
	name:   "nothing to say",
	schema: `{"type":"object","properties":{"a":{"type":"string","default":"x"},"m":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}`,
	object: `"m":{"k":{"l":1}}`,
	stored: `"a":"x","m":{"k":{"l":1}}`,
}, {
	name:   "the default of list elements",
	schema: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","default":"x"}},"b":{"type":"array","items":{"type":"string","nullable":true,"default":"x"}}}}`,
	want:   []string{"DefaultForNullOnly 0/schema/openAPIV3Schema/properties/a/items/default", "DefaultUnused 0/schema/openAPIV3Schema/properties/b/items/default"},
	object: `"a":[null,"y"],"b":[null,"y"]`,
	stored: `"a":["x","y"],"b":[null,"y"]`,
}, {
	name:   "the default of map values",
	schema: `{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string","default":"x"}},"b":{"type":"object","additionalProperties":{"type":"string","nullable":true,"default":"x"}}}}`,
	want:   []string{"DefaultForNullOnly 0/schema/openAPIV3Schema/properties/a/additionalProperties/default", "DefaultUnused 0/schema/openAPIV3Schema/properties/b/additionalProperties/default"},
	object: `"a":{"k":null},"b":{"k":null}`,
	stored: `"a":{"k":"x"},"b":{"k":null}`,
}, {
	name:   "the default of objects",
	schema: `{"type":"object","default":{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"},"a":"x"},"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
	want:   []string{"DefaultUnused 0/schema/openAPIV3Schema/default"},
	object: `"b":"b"`,
	stored: `"b":"b"`,
}, {
	name:   "the default of a field of what is no object",
	schema: `{"type":"object","properties":{"a":{"type":"string","properties":{"b":{"type":"string","default":"x"}}},"c":{"x-kubernetes-preserve-unknown-fields":true,"properties":{"d":{"type":"string","default":"x"}}}}}`,
	want:   []string{"DefaultUnused 0/schema/openAPIV3Schema/properties/a/properties/b/default"},
	object: `"a":{},"c":{}`,
}, {
	name:   "an enum of what may be null",
	schema: `{"type":"object","properties":{"a":{"type":"string","nullable":true,"enum":["x"]}}}`,
	want:   []string{"EnumRefusesNull 0/schema/openAPIV3Schema/properties/a/enum"},
	object: `"a":null`,
}, {
	name:   "an enum that lists null",
	schema: `{"type":"object","properties":{"a":{"type":"string","nullable":true,"enum":["x",null]}}}`,
	want:   []string{"EnumRefusesNull 0/schema/openAPIV3Schema/properties/a/enum"},
	object: `"a":null`,
}, {
	name:   "additional properties of any kind",
	schema: `{"type":"object","properties":{"a":{"type":"object","additionalProperties":true}}}`,
	want:   []string{"KeepsUnknownFields 0/schema/openAPIV3Schema/properties/a/additionalProperties"},
	object: `"a":{"k":1,"l":{"m":1}}`,
	stored: `"a":{"k":1,"l":{}}`,
}, {
	name:   "elements of a list that keeps unknown fields",
	schema: `{"type":"object","properties":{"a":{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object","properties":{"p":{"type":"object"}}}}}}`,
	want:   []string{"KeepsUnknownFields 0/schema/openAPIV3Schema/properties/a/items"},
	object: `"a":[{"k":{"l":1},"p":{"q":1}}]`,
	stored: `"a":[{"k":{"l":1},"p":{}}]`,
}, {
	name:   "lists of lists that keep unknown fields",
	schema: `{"type":"object","properties":{"a":{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"array","items":{"type":"object"}}}}}`,
	want:   []string{"KeepsUnknownFields 0/schema/openAPIV3Schema/properties/a/items/items"},
	object: `"a":[[{"k":1}]]`,
	stored: `"a":[[{"k":1}]]`,
}, {
	name:   "elements that say themselves that they keep unknown fields, and maps",
	schema: `{"type":"object","properties":{"a":{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},"b":{"type":"object","additionalProperties":{"type":"object"}}}}`,
	object: `"a":[{"k":1}],"b":{"k":{"l":1}}`,
	stored: `"a":[{"k":1}],"b":{"k":{}}`,
}, {
	name:   "fields that one version has",
	schema: `{"type":"object","properties":{"a":{"type":"string"},"both":{"type":"object","properties":{"x":{"type":"string"}}}}}`,
	second: `{"type":"object","properties":{"b":{"type":"string"},"both":{"type":"object","properties":{"y":{"type":"string"}}}}}`,
	want: []string{
		"HiddenFromVersion 0/schema/openAPIV3Schema/properties/a",
		"HiddenFromVersion 0/schema/openAPIV3Schema/properties/both/properties/x",
		"LostWhenStored 1/schema/openAPIV3Schema/properties/b",
		"LostWhenStored 1/schema/openAPIV3Schema/properties/both/properties/y",
	},
	object: `"b":"b","both":{"y":"y"}`,
	stored: `"both":{}`,
}, {
	name:   "a rule that costs more than half of what it may",
	schema: `{"type":"object","properties":{"a":{"type":"array","maxItems":4000,"items":{"type":"string","maxLength":1000,"x-kubernetes-validations":[{"rule":"self.contains('x') && self.contains('y') && self.contains('z')&& self.contains('z')&& self.contains('z')"}]}}}}`,
	want:   []string{"CostNearLimit 0/schema/openAPIV3Schema/properties/a/items/x-kubernetes-validations/0/rule"},
	object: `"a":["xyz"]`,
	stored: `"a":["xyz"]`,
}}

func TestNotes(t *testing.T) {
	for _, tt := range noteTests {
		t.Run(tt.name, func(t *testing.T) {
			crd := noteCRD(t, tt.schema, tt.second)
			report := Check(crd, WithNotes())
			if !report.Accepted() {
				t.Fatalf("Check refuses the definition: %v", report.Err())
			}
			if diff := cmp.Diff(tt.want, noteLines(report)); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if notes := Check(crd).Notes; notes != nil {
				t.Errorf("Check without WithNotes has notes: %v", notes)
			}
			if tt.object == "" && tt.stored == "" {
				return
			}
			if diff := cmp.Diff(tt.stored, storedAs(t, crd, tt.object)); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotesOfVersions: no fields are lost in a version that is not served or has no schema,
// and what a webhook does is not known.
func TestNotesOfVersions(t *testing.T) {
	first, second := `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"b":{"type":"string"}}}`
	for name, change := range map[string]func(*apiextensionsv1.CustomResourceDefinitionVersion){
		"converted by a webhook": func(*apiextensionsv1.CustomResourceDefinitionVersion) {},
		"not served":             func(v *apiextensionsv1.CustomResourceDefinitionVersion) { v.Served = false },
		"without schema":         func(v *apiextensionsv1.CustomResourceDefinitionVersion) { v.Schema = nil },
	} {
		crd := noteCRD(t, first, second)
		change(&crd.Spec.Versions[1])
		if name == "converted by a webhook" {
			crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter}
		}
		if lines := noteLines(Check(crd, WithNotes())); len(lines) > 0 {
			t.Errorf("%s: notes %q", name, lines)
		}
	}
}

func noteCRD(t *testing.T, first, second string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", first))
	if second != "" {
		v := decodeCRD(t, fmt.Sprintf(checkCRD, "", second)).Spec.Versions[0]
		v.Name, v.Storage = "v2", false
		crd.Spec.Versions = append(crd.Spec.Versions, v)
	}
	return crd
}

func noteLines(r *Report) []string {
	var out []string
	for _, n := range r.Notes {
		out = append(out, string(n.Code)+" "+strings.TrimPrefix(n.Pointer, "/spec/versions/"))
	}
	return out
}

// storedAs creates an object at the last version. It returns the members that
// are stored, except those that every object has.
func storedAs(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition, members string) string {
	t.Helper()
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	version := crd.Spec.Versions[len(crd.Spec.Versions)-1].Name
	if members != "" {
		members = "," + members
	}
	text := fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Widget","metadata":{"name":"a"}%s}`, version, members)
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	result, err := testkit.Must(d.Version(version)).Create(context.Background(), obj)
	if err != nil {
		t.Fatal(err)
	}
	if !result.Admitted() {
		return ""
	}
	stored, err := testkit.Must(d.Version(version)).Store(context.Background(), obj)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(stored.Object, name)
	}
	data, err := json.Marshal(stored.Object)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(data), "{"), "}")
}

// TestNoteMapKeyOptional checks the notes on a definition that an update may
// keep, though it would be refused as a new one.
func TestNoteMapKeyOptional(t *testing.T) {
	crd := noteCRD(t, `{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["x","y","z"],
		"items":{"type":"object","required":["x"],"properties":{"x":{"type":"string"},"y":{"type":"string"},"z":{"type":"string","default":"z"}}}}}}`, "")
	want := []string{"MapKeyOptional 0/schema/openAPIV3Schema/properties/a/x-kubernetes-list-map-keys/1"}
	if diff := cmp.Diff(want, noteLines(CheckUpdate(crd, crd, WithNotes()))); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if !CheckUpdate(crd, crd).Accepted() {
		t.Error("CheckUpdate refuses a definition that stays as it is")
	}
	if Check(crd).Accepted() {
		t.Error("Check accepts the definition, so that there is nothing to say of updates alone")
	}
}

// TestNoteCodes checks that every code has a description, is in the manual and
// occurs in a test.
func TestNoteCodes(t *testing.T) {
	manual, err := os.ReadFile("../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[NoteCode]bool{MapKeyOptional: true, StoredVersionsUnsound: len(checkStatusTests) > 0}
	for _, tt := range noteTests {
		for _, line := range tt.want {
			code, _, _ := strings.Cut(line, " ")
			tested[NoteCode(code)] = true
		}
	}
	for _, code := range NoteCodes() {
		if code.Description() == "" {
			t.Errorf("%s has no description", code)
		}
		if !strings.Contains(string(manual), "\n| `"+string(code)+"` |") {
			t.Errorf("%s is not in docs/check.md", code)
		}
		if !tested[code] {
			t.Errorf("%s is in no test", code)
		}
	}
	for code := range tested {
		if !slices.Contains(NoteCodes(), code) {
			t.Errorf("%s is not among all codes", code)
		}
	}
	if got := NoteCode("Other").Description(); got != "" {
		t.Errorf("Description of no code is %q", got)
	}
}

// TestNearTheLimit: a cost is near its limit if it is more than half of it and not over it.
func TestNearTheLimit(t *testing.T) {
	for cost, want := range map[uint64]bool{0: false, 50: false, 51: true, 100: true, 101: false} {
		if got := near(cost, 100); got != want {
			t.Errorf("near(%d, 100) = %v, want %v", cost, got, want)
		}
	}
}
