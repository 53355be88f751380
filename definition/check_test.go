package definition

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// checkCRD is a definition whose schema of objects is filled in.
const checkCRD = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
"versions":[{"name":"v1","served":true,"storage":true,%s"schema":{"openAPIV3Schema":%s}}]}}`

// checkTests are definitions with one version, and the expected reports.
var checkTests = []struct {
	name    string
	version string // members of the version, followed by a comma
	schema  string
	want    []string // pointer, type, field and detail
	warn    []string
}{{
	name:   "accepted",
	schema: `{"type":"object","properties":{"spec":{"type":"object","properties":{"n":{"type":"integer","default":1}}}}}`,
}, {
	name:   "the path of an error if all versions have the same schema",
	schema: `{"type":"object","properties":{"a.b":{"type":"foo","uniqueItems":true}}}`,
	want: []string{
		`/spec/versions/0/schema/openAPIV3Schema/properties/a.b/type: Unsupported value: spec.validation.openAPIV3Schema.properties[a.b].type: supported values: "array", "boolean", "integer", "number", "object", "string"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/a.b/uniqueItems: Forbidden: spec.validation.openAPIV3Schema.properties[a.b].uniqueItems: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
	},
}, {
	name:   "int-or-string defaults have no type",
	schema: `{"type":"object","properties":{"port":{"x-kubernetes-int-or-string":true,"default":{}}}}`,
}, {
	name:   "an ignored format counts for defaults",
	schema: `{"type":"object","properties":{"n":{"type":"string","format":"nope","default":5}}}`,
	want:   []string{`/spec/versions/0/schema/openAPIV3Schema/properties/n/default: Invalid value: spec.validation.openAPIV3Schema.properties[n].default:  in body must be of type nope: "int64"`},
	warn:   []string{`/spec/versions/0/schema/openAPIV3Schema/properties/n/format: unrecognized format "nope"`},
}, {
	name: "formats that a type is not known for count for defaults, wherever in them",
	schema: `{"type":"object","properties":{"o":{"type":"object","default":{"a":1,"b":"x","c":["y"],"d":true},"properties":{
		"a":{"type":"object","format":"byte"},"b":{"type":"integer","format":"uuid"},"c":{"type":"array","items":{"type":"boolean","format":"nope"}},
		"d":{"type":"number","format":"date"}}}}}`,
	want: []string{
		`/spec/versions/0/schema/openAPIV3Schema/properties/o/default/a: Invalid value: spec.validation.openAPIV3Schema.properties[o].default.a: a in body must be of type byte: "int64"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/o/default/b: Invalid value: spec.validation.openAPIV3Schema.properties[o].default.b: b in body must be of type integer: "string"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/o/default/b: Invalid value: spec.validation.openAPIV3Schema.properties[o].default.b: b in body must be of type uuid: "x"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/o/default/d: Invalid value: spec.validation.openAPIV3Schema.properties[o].default.d: d in body must be of type date: ""`,
	},
	warn: []string{
		`/spec/versions/0/schema/openAPIV3Schema/properties/o/properties/a/format: unrecognized format "byte"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/o/properties/d/format: unrecognized format "date"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/o/properties/c/items/format: unrecognized format "nope"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/o/properties/b/format: unrecognized format "uuid"`,
	},
}, {
	name:   "a format of a branch that a value has, but no type",
	schema: `{"type":"object","properties":{"n":{"type":"number","default":2,"anyOf":[{"format":"int64"}]}}}`,
	want: []string{
		`/spec/versions/0/schema/openAPIV3Schema/properties/n/default: Invalid value: spec.validation.openAPIV3Schema.properties[n].default: "" must validate at least one schema (anyOf)`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/n/default: Invalid value: spec.validation.openAPIV3Schema.properties[n].default:  in body must be of type : "integer"`,
	},
	warn: []string{`/spec/versions/0/schema/openAPIV3Schema/properties/n/anyOf/0/format: unrecognized format "int64"`},
}, {
	name: "bounds that are not of the type of a default",
	schema: `{"type":"object","properties":{"l":{"type":"integer","default":7,"maximum":9223372036854775807},
		"o":{"type":"object","default":{"kind":4},"properties":{"kind":{"type":"integer","minimum":-1e19,"format":"float"}}}}}`,
	want: []string{
		"/spec/versions/0/schema/openAPIV3Schema/properties/l/default: Invalid value: spec.validation.openAPIV3Schema.properties[l].default: Maximum boundary value must be of type integer (default format) in ",
		"/spec/versions/0/schema/openAPIV3Schema/properties/o/default: Invalid value: spec.validation.openAPIV3Schema.properties[o].default: Minimum boundary value must be of type integer (default format) in kind",
	},
	warn: []string{`/spec/versions/0/schema/openAPIV3Schema/properties/o/properties/kind/format: unrecognized format "float"`},
}, {
	name:   "defaults must be pruned",
	schema: `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"string"}},"default":{"a":"x","b":1}}}}`,
	want:   []string{`/spec/versions/0/schema/openAPIV3Schema/properties/o/default: Invalid value: spec.validation.openAPIV3Schema.properties[o].default: must not have unknown fields`},
}, {
	name:   "defaults must keep rules",
	schema: `{"type":"object","properties":{"n":{"type":"integer","default":3,"x-kubernetes-validations":[{"rule":"self > 5","message":"small"}]}}}`,
	want:   []string{`/spec/versions/0/schema/openAPIV3Schema/properties/n/default: Invalid value: spec.validation.openAPIV3Schema.properties[n].default: small`},
}, {
	name:   "a fieldPath through values that are not described, where the server panics",
	schema: `{"type":"object","properties":{"m":{"type":"object","additionalProperties":true}},"x-kubernetes-validations":[{"rule":"true","fieldPath":".m.a.b"}]}`,
	want:   []string{`/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations/0/fieldPath: Invalid value: spec.validation.openAPIV3Schema.x-kubernetes-validations[0].fieldPath: must be a valid path`},
}, {
	name:    "selectable fields of a schema that is not converted, where the server panics",
	version: `"selectableFields":[{"jsonPath":".spec"}],`,
	schema:  `{"type":"object","id":"x"}`,
	want: []string{
		`/spec/versions/0/schema/openAPIV3Schema: Invalid value: spec.schema.openAPIV3Schema: OpenAPIV3Schema 'id' is not supported`,
		`/spec/versions/0/schema/openAPIV3Schema/id: Forbidden: spec.validation.openAPIV3Schema.id: id is not supported`,
	},
}, {
	name: "rules on which cel-go panics, as does the server",
	schema: `{"type":"object","x-kubernetes-validations":[{"rule":"[?dyn(optional.of(1)), 2].size() == 2"},
		{"rule":"true","messageExpression":"string({?'a': dyn(optional.of(1))}.size())"},{"rule":"{dyn(b'a'): 1}.size() == 1"}]}`,
	want: []string{
		`/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations/0/rule: Invalid value: spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: ` +
			`compilation failed: internal error: runtime error: index out of range [0] with length 0`,
		`/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations/1/messageExpression: Invalid value: spec.validation.openAPIV3Schema.x-kubernetes-validations[1].messageExpression: ` +
			`messageExpression compilation failed: internal error: runtime error: index out of range [0] with length 0`,
		`/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations/2/rule: Invalid value: spec.validation.openAPIV3Schema.x-kubernetes-validations[2].rule: ` +
			`program instantiation failed: internal error: runtime error: hash of unhashable type types.Bytes`,
	},
}, {
	name:   "rules below items of what is no list, where the server panics",
	schema: `{"type":"object","x-kubernetes-validations":[{"rule":"true"}],"properties":{"o":{"type":"object","items":{"type":"object","properties":{"a":{"type":"string","x-kubernetes-validations":[{"rule":"true"}]}}}}}}`,
	want: []string{`/spec/versions/0/schema/openAPIV3Schema/properties/o/items/properties/a/x-kubernetes-validations: Forbidden: ` +
		`spec.validation.openAPIV3Schema.properties[o].items.properties[a].x-kubernetes-validations: ` +
		`are not possible below items or additionalProperties of a value that has none by its type`},
}, {
	name:   "rules of items of what is no list, which are stored and never run",
	schema: `{"type":"object","properties":{"o":{"type":"object","items":{"type":"string","x-kubernetes-validations":[{"rule":"true"}]}}}}`,
}, {
	name:   "a factor that is not of the type of elements with a default",
	schema: `{"type":"object","properties":{"l":{"type":"array","default":[{"n":1}],"items":{"type":"object","properties":{"n":{"type":"integer","multipleOf":0.5}}}}}}`,
	want: []string{`/spec/versions/0/schema/openAPIV3Schema/properties/l/default: Invalid value: spec.validation.openAPIV3Schema.properties[l].default: ` +
		`MultipleOf value must be of type integer (default format) in [0].n`},
}, {
	name:   "a factor that is not positive",
	schema: `{"type":"object","properties":{"n":{"type":"integer","multipleOf":-2,"default":4}}}`,
	want: []string{`/spec/versions/0/schema/openAPIV3Schema/properties/n/default: Invalid value: spec.validation.openAPIV3Schema.properties[n].default: ` +
		`factor MultipleOf declared for  must be positive: -2`},
}, {
	name:   "rules that do not compile",
	schema: `{"type":"object","x-kubernetes-validations":[{"rule":"self.nope"}]}`,
	want:   []string{"/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations/0/rule: Invalid value: spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope\n | ....^"},
}, {
	name:    "the root of a schema with a status may have few keywords",
	version: `"subresources":{"status":{}},`,
	schema:  `{"type":"object","maxProperties":3}`,
	want:    []string{`/spec/versions/0/schema/openAPIV3Schema: Invalid value: spec.validation.openAPIV3Schema: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled`},
}}

func decodeCRD(t testing.TB, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal([]byte(text), crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

func TestCheck(t *testing.T) {
	for _, tt := range checkTests {
		t.Run(tt.name, func(t *testing.T) {
			crd := decodeCRD(t, fmt.Sprintf(checkCRD, tt.version, tt.schema))
			before := crd.DeepCopy()
			report := Check(crd, WithNotes())
			if diff := cmp.Diff(before, crd); diff != "" {
				t.Errorf("Check changed the definition (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, reportLines(report)); diff != "" {
				t.Errorf("Check errors (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warn, warningLines(report)); diff != "" {
				t.Errorf("Check warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func reportLines(r *Report) []string {
	var out []string
	for _, e := range r.Errors {
		out = append(out, fmt.Sprintf("%s: %s: %s: %s", e.Pointer, e.Type, e.Field, e.Detail))
	}
	return out
}

func warningLines(r *Report) []string {
	var out []string
	for _, w := range r.Warnings {
		out = append(out, w.Pointer+": "+w.Text)
	}
	return out
}

// TestCheckUpdate checks that an update may keep existing errors, but may not
// change names under which objects are stored.
func TestCheckUpdate(t *testing.T) {
	sets := func(item string) string {
		return fmt.Sprintf(checkCRD, "", `{"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"`+item+`}}}}`)
	}
	old := decodeCRD(t, sets(""))
	if report := CheckUpdate(decodeCRD(t, sets(`,"description":"x"`)), old); !report.Accepted() {
		t.Errorf("CheckUpdate refuses what was there: %v", report.Err())
	}
	if report := Check(old); report.Accepted() {
		t.Error("Check accepts a set of objects that are not atomic")
	}
	renamed := decodeCRD(t, strings.ReplaceAll(sets(""), "example.com", "example.org"))
	renamed.Name = old.Name
	want := []string{"/spec/group: Invalid value: spec.group: field is immutable"}
	if diff := cmp.Diff(want, reportLines(CheckUpdate(renamed, old))); diff != "" {
		t.Errorf("CheckUpdate of the group (-want +got):\n%s", diff)
	}
	community := decodeCRD(t, strings.ReplaceAll(sets(`,"x-kubernetes-map-type":"atomic"`), "example.com", "example.k8s.io"))
	if Check(community).Accepted() || !CheckUpdate(community, community).Accepted() {
		t.Errorf("a group of the community without approval: %v, and over itself %v", Check(community).Err(), CheckUpdate(community, community).Err())
	}
	if got := len(CheckUpdate(nil, old).Errors); got != 1 {
		t.Errorf("CheckUpdate(nil) has %d errors, want 1", got)
	}
}

// TestCheckOwners checks that duplicate owners cause a warning. The server
// removes them before it checks the owners: field paths have the indices after
// that, pointers the indices in the definition.
func TestCheckOwners(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(checkCRD, "", `{"type":"object","properties":{"n":{"type":"string","format":"nope"}}}`),
		`"metadata":{`, `"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"A","name":"","uid":"2"},{"apiVersion":"v1","kind":"A","name":"","uid":"2"}],`, 1)
	crd := decodeCRD(t, text)
	const owners = "/metadata/ownerReferences: .metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1, 2"
	const format = `/spec/versions/0/schema/openAPIV3Schema/properties/n/format: unrecognized format "nope"`
	wantErrors := []string{"/metadata/ownerReferences/2/name: Required value: metadata.ownerReferences[1].name: must not be empty"}
	for _, tt := range []struct {
		name   string
		report *Report
		want   []string
	}{
		{"Check", Check(crd), []string{owners, format}},
		{"CheckUpdate", CheckUpdate(crd, crd), []string{owners}},
	} {
		if diff := cmp.Diff(tt.want, warningLines(tt.report)); diff != "" {
			t.Errorf("%s warnings (-want +got):\n%s", tt.name, diff)
		}
		// The server checks the metadata of an update three times, so errors
		// repeat.
		if diff := cmp.Diff(wantErrors, slices.Compact(reportLines(tt.report))); diff != "" {
			t.Errorf("%s errors (-want +got):\n%s", tt.name, diff)
		}
	}
	if len(crd.OwnerReferences) != 4 {
		t.Error("Check drops owners from the definition that it is given")
	}
}

// TestCheckSetWarning checks that two sets of objects cause only one warning.
func TestCheckSetWarning(t *testing.T) {
	set := `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object","x-kubernetes-map-type":"atomic"}}`
	crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object","properties":{"b":`+set+`,"a":`+set+`,"f":{"type":"string","format":"x"},"e":{"type":"string","format":"x"}}}`))
	want := []string{
		`/spec/versions/0/schema/openAPIV3Schema/properties/e/format: unrecognized format "x"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/f/format: unrecognized format "x"`,
		`/spec/versions/0/schema/openAPIV3Schema/properties/a/x-kubernetes-list-type: x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules`,
	}
	if diff := cmp.Diff(want, warningLines(Check(crd))); diff != "" {
		t.Errorf("Check warnings (-want +got):\n%s", diff)
	}
}

// TestCheckEndless checks that a schema that contains itself is an error.
func TestCheckEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object"}`))
	root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	root.Not = root
	if Check(crd).Accepted() {
		t.Error("Check accepts a schema that contains itself")
	}
	finite := decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object"}`))
	if CheckUpdate(crd, finite).Accepted() || CheckUpdate(finite, crd).Accepted() {
		t.Error("CheckUpdate accepts a schema that contains itself")
	}
}

// FuzzCheck checks any JSON that decodes to a definition: the report is the
// same twice, and an accepted definition compiles.
func FuzzCheck(f *testing.F) {
	for _, tt := range checkTests {
		f.Add([]byte(fmt.Sprintf(checkCRD, tt.version, tt.schema)))
	}
	fuzz.Run(f, func(t *testing.T, data []byte) {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if json.Unmarshal(data, crd) != nil {
			return
		}
		report := Check(crd, WithNotes())
		again := Check(crd, WithNotes())
		if diff := cmp.Diff(reportLines(report), reportLines(again)); diff != "" {
			t.Errorf("Check differs from itself:\n%s", diff)
		}
		if diff := cmp.Diff(report.Notes, again.Notes); diff != "" {
			t.Errorf("notes differ from themselves:\n%s", diff)
		}
		CheckUpdate(crd, crd)
		if !report.Accepted() {
			return
		}
		if _, err := crdkit.Compile(crd); err != nil {
			t.Errorf("Check accepts what Compile does not: %v", err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	corpus := testkit.FindCorpus(b)
	for _, d := range corpus.Definitions {
		if !strings.Contains(d.Path, "gateway") && !strings.Contains(d.Path, "certificates") {
			continue
		}
		b.Run("crd="+d.CRD.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Check(d.CRD)
			}
		})
	}
}

// TestCheckExactPointers checks that pointers lead to the single annotation,
// finalizer or part of a default that is wrong, even if the server does not
// name it.
func TestCheckExactPointers(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(checkCRD, "", `{"type":"object","properties":{
		"a":{"type":"array","items":{"type":"object","properties":{"b.c":{"type":"integer"},"b":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},"default":[{},{"b.c":"x"}]}}}`),
		`"metadata":{`, `"metadata":{"annotations":{"a/b":"ok","not ok":"x"},"labels":{"l":"not ok"},"finalizers":["a/b","not/ok/at/all"],`, 1)
	scans := map[string]bool{}
	for _, e := range Check(decodeCRD(t, text)).Errors {
		scans[e.Pointer] = true
	}
	for _, want := range []string{
		"/metadata/annotations/not ok", "/metadata/labels/l", "/metadata/finalizers/1",
		"/spec/versions/0/schema/openAPIV3Schema/properties/a/default/1/b.c",
	} {
		if !scans[want] {
			t.Errorf("no error points to %s; they point to %v", want, slices.Sorted(maps.Keys(scans)))
		}
	}
}
