package crdtest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/crdtest"
)

const (
	mergePatch = types.MergePatchType
	jsonPatch  = types.JSONPatchType
)

// TestPatch patches objects. The expectations are met.
func TestPatch(t *testing.T) {
	s := load(t)
	created := s.Create(t, validText)
	type spec struct {
		Spec map[string]any `json:"spec"`
	}
	for name, body := range map[string]any{
		"YAML":       "spec:\n  replicas: 3\n",
		"JSON":       `{"spec":{"replicas":3}}`,
		"bytes":      []byte(`{"spec":{"replicas":3}}`),
		"raw":        json.RawMessage(`{"spec":{"replicas":3}}`),
		"a struct":   spec{map[string]any{"replicas": 3}},
		"a map":      map[string]any{"spec": map[string]any{"replicas": 3}},
		"operations": `[{op: replace, path: /spec/replicas, value: 3}]`,
		"a list":     []map[string]any{{"op": "add", "path": "/spec/replicas", "value": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			kind := mergePatch
			if name == "operations" || name == "a list" {
				kind = jsonPatch
			}
			for _, old := range []any{created, validText, newCronTab()} {
				patched := s.Patch(t, old, kind, body, crdtest.Admitted(), crdtest.Warned(), crdtest.Errors(), crdtest.Stored(`
spec: {cronSpec: '* * * * *', image: i, replicas: 3, suspend: false, concurrencyPolicy: Allow, history: {successful: 3, failed: 1}}
`))
				if got := patched.Object.GetGeneration(); got != 2 {
					t.Errorf("generation %d, want 2", got)
				}
			}
		})
	}
	withStatus := s.PatchStatus(t, created, mergePatch, `{status: {replicas: 4}}`)
	kept := s.Patch(t, withStatus, mergePatch, `{status: {replicas: 5}}`)
	if got, _, _ := unstructured.NestedInt64(kept.Object.Object, "status", "replicas"); got != 4 {
		t.Errorf("after a patch of the object status.replicas is %d, want 4, that of the old object", got)
	}
	s.PatchStatus(t, created, mergePatch, `{status: {replicas: x}}`, crdtest.Refused("status.replicas", "must be of type integer"))
	// The rule is ratcheted, because the patch does not change spec.
	existing := s.Existing(t, strings.Replace(validText, "image: i", "image: i, suspend: true", 1))
	s.Patch(t, existing, mergePatch, `{metadata: {labels: {a: b}}}`, crdtest.Admitted())
	s.Patch(t, existing, mergePatch, `{spec: {image: j}}`, crdtest.Exactly(crdtest.RefusedBy("!self.suspend || self.replicas == 0")))
	s.Update(t, s.Patch(t, created, mergePatch, `{metadata: {labels: {a: b}}}`), validText)
}

// TestPatchReports compares what tests print.
func TestPatchReports(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind types.PatchType
		body any
		want string
	}{
		{"a rule", mergePatch, "spec: {replicas: 2,\n  suspend: true}", `patch CronTab "a": refused
  unmet: admitted
  unexpected: 1:8: spec.replicas: Invalid value: a suspended CronTab must not ask for replicas
    rule: !self.suspend || self.replicas == 0 (../testdata/crontab/crd.yaml:87:15)
    because !self.suspend is false, and self.replicas (2) == 0 is false`},
		{"operations", jsonPatch, `[{op: add, path: /spec/suspend, value: true},
 {op: add, path: /spec/image, value: ""}]`, `patch CronTab "a": refused
  unmet: admitted
  unexpected: 2:31: spec.image: Invalid value: "": spec.image in body should be at least 1 chars long
  unexpected: spec.replicas: Invalid value: a suspended CronTab must not ask for replicas
    rule: !self.suspend || self.replicas == 0 (../testdata/crontab/crd.yaml:87:15)
    because !self.suspend is false, and self.replicas (1) == 0 is false`},
		{"an appended element", jsonPatch, `[{op: add, path: /spec/hosts, value: [a]}, {op: add, path: /spec/hosts/-, value: a b}]`, `patch CronTab "a": refused
  unmet: admitted
  unexpected: 1:75: spec.hosts[1]: Invalid value: "a b": spec.hosts[1] in body must be of type hostname: "a b"`},
		{"a removed field", jsonPatch, `[{op: test, path: /spec/image, value: i}, {op: remove, path: /spec/image}]`, `patch CronTab "a": refused
  unmet: admitted
  unexpected: 1:43: spec.image: Required value`},
		{"one of two appended elements", jsonPatch, `[{op: add, path: /spec/hosts, value: []}, {op: add, path: /spec/hosts/-, value: a}, {op: add, path: /spec/hosts/-, value: a b}]`, `patch CronTab "a": refused
  unmet: admitted
  unexpected: spec.hosts[1]: Invalid value: "a b": spec.hosts[1] in body must be of type hostname: "a b"`},
		{"an operation that fails", jsonPatch, `[{op: test, path: /spec/image, value: j}]`, `patch CronTab "a": refused
  unmet: admitted
  unexpected: operation 0 (test): the value differs`},
		{"a patch of another type", types.StrategicMergePatchType, `{}`, `patch CronTab "a": refused
  unmet: admitted
  unexpected: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`},
		{"another apiVersion", mergePatch, `{apiVersion: jobs.example.org/v9}`, `patch CronTab "a": refused
  unmet: admitted
  unexpected: 1:2: apiVersion: Invalid value: "jobs.example.org/v9": must be jobs.example.org/v1
  unexpected warning: unknown field "spec"`},
		{"a value", mergePatch, `3`, `patch CronTab "a": refused
  unmet: admitted
  unexpected: error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}`},
		{"an unreadable text", mergePatch, `{`, `crdtest: reading the patch: yaml: line 1: did not find expected node content
(the test ends)`},
		{"repeated keys", mergePatch, "spec: {a: 1, a: 1}", `crdtest: reading the patch: yaml: unmarshal errors:
  line 1: key "a" already set in map
(the test ends)`},
		{"nil", mergePatch, nil, "crdtest: reading the patch: the patch is nil\n(the test ends)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := record(func(t testing.TB) {
				load(t).Patch(t, validText, tt.kind, tt.body, crdtest.Admitted(), crdtest.Warned())
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPatchUnknownFields refuses and warns of unknown fields in patches and in their
// results.
func TestPatchUnknownFields(t *testing.T) {
	got := record(func(t testing.TB) {
		s := load(t)
		s.Patch(t, validText, mergePatch, `{"spec":{"replicas":2,"replicas":2}}`, crdtest.Warned(`duplicate field "spec.replicas"`))
		s = s.WithRequestOptions(crdkit.Strict)
		s.Patch(t, validText, mergePatch, `{spec: {replica: 2}}`)
		s.Patch(t, validText, jsonPatch, `[{op: add, path: /spec/history/old, value: {a: 1}}]`)
		s.Patch(t, validText, jsonPatch, `[{op: add, path: /spec/replicas, value: 1, pth: a}]`)
	})
	want := `patch CronTab "a": refused
  unmet: admitted
  unexpected: 1:9: unknown field "spec.replica"
    because spec has no field "replica"; did you mean "replicas"?
patch CronTab "a": refused
  unmet: admitted
  unexpected: 1:37: unknown field "spec.history.old"
    because spec.history has no field "old"; it has failed, successful
patch CronTab "a": refused
  unmet: admitted
  unexpected: 1:44: json patch unknown field "[0].pth"`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// TestPatchedObject returns the object that was refused.
func TestPatchedObject(t *testing.T) {
	s := load(t)
	for _, tt := range []struct{ name, body, want string }{
		{"with defaults, and pruned", `{"spec":{"replicas":-1,"suspend":null,"unknown":1}}`,
			`{"concurrencyPolicy":"Allow","cronSpec":"* * * * *","history":{"failed":1,"successful":3},"image":"i","replicas":-1,"suspend":false}`},
		{"before validation", `{"metadata":{"name":"b"},"spec":{"unknown":1}}`,
			`{"concurrencyPolicy":"Allow","cronSpec":"* * * * *","history":{"failed":1,"successful":3},"image":"i","replicas":1,"suspend":false,"unknown":1}`},
		{"a patch that does not apply", `"text"`,
			`{"concurrencyPolicy":"Allow","cronSpec":"* * * * *","history":{"failed":1,"successful":3},"image":"i","replicas":1,"suspend":false}`},
	} {
		r := s.Patch(t, validText, mergePatch, tt.body, crdtest.Refused("", ""))
		got, err := json.Marshal(r.Object.Object["spec"])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestPatchCover records the coverage of patches: of those that are refused too, and not
// of those whose result is not validated.
func TestPatchCover(t *testing.T) {
	if os.Getenv("CRDTEST_PATCHES") != "" {
		s := load(t)
		old := s.Existing(t, validText)
		s.Patch(t, old, mergePatch, `{spec: {replicas: 100}}`)
		s.Patch(t, old, mergePatch, `{spec: {concurrencyPolicy: Forbid, replicas: -1}}`, crdtest.Refused("spec.replicas", ""))
		s.Patch(t, old, mergePatch, `{metadata: {name: b}, spec: {concurrencyPolicy: Replace}}`, crdtest.Refused("", "name"))
		s.Patch(t, old, mergePatch, `{apiVersion: v9, spec: {concurrencyPolicy: Replace}}`, crdtest.Refused("apiVersion", ""))
		return
	}
	t.Setenv("CRDTEST_PATCHES", "1")
	file := filepath.Join(t.TempDir(), "cover")
	runCover(t, "TestPatchCover$", file)
	text, err := os.ReadFile(file + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]bool{
		"crontabs.jobs.example.org v1: 2 requests": true,
		`enum never given: "Forbid"`:               false,
		`enum never given: "Replace"`:              true,
		"bound never above: maximum":               true,
	} {
		if strings.Contains(string(text), part) != want {
			t.Errorf("%q in the report: %v, want %v:\n%s", part, !want, want, text)
		}
	}
}

func TestStrings(t *testing.T) {
	s := load(t)
	v := s.Version(t, "jobs.example.org/v1", "CronTab")
	generator, err := crdtest.NewGenerator(v)
	if err != nil {
		t.Fatal(err)
	}
	rule := crdtest.Target{SchemaPointer: "/properties/spec", Expression: "self.a >\n 0"}
	obj := &unstructured.Unstructured{Object: map[string]any{"a": int64(1)}}
	for _, tt := range []struct {
		value any
		want  string
	}{
		{s, "set of crontabs.jobs.example.org"},
		{s.Kind(t, "jobs.example.org/v1", "CronTab"), "set of crontabs.jobs.example.org for jobs.example.org/v1 CronTab"},
		{s.Create(t, validText), `create CronTab "a": admitted`},
		{s.Existing(t, validText), `existing CronTab "a"`},
		{s.Patch(t, validText, mergePatch, `{spec: {replicas: -1}}`, crdtest.Refused("", "")),
			`patch CronTab "a": refused: CronTab.jobs.example.org "a" is invalid: [.spec.replicas: Invalid value: -1: should be a non-negative integer, spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0]`},
		{crdtest.Exactly(crdtest.Refused("a", "b"), crdtest.RefusedBy("c")), `Exactly(Refused("a", "b"), RefusedBy("c"))`},
		{crdtest.Admitted(), "Admitted()"},
		{crdtest.Errors("a: b"), `Errors("a: b")`},
		{crdtest.Warned(), "Warned()"},
		{crdtest.Stored(map[string]any{"a": 1}), "Stored(map[a:1])"},
		{crdtest.Put("/spec/a", 1).Delete("/spec/b"), "put spec.a, delete spec.b"},
		{crdtest.Put("/spec/a", 1).Named("name"), "name"},
		{generator, "generator of jobs.example.org/v1 CronTab"},
		{crdtest.Targets(v)[1], "/properties/spec: rule 0: !self.suspend || self.replicas == 0"},
		{crdtest.Target{SchemaPointer: "/properties/spec", Rule: -1, Keyword: "required", Name: "image"}, "/properties/spec: required image"},
		{crdtest.Target{Rule: -1, Keyword: "maxProperties"}, ": maxProperties"},
		{&crdtest.Violation{Target: rule, Object: obj, Old: obj}, `/properties/spec: rule 0: self.a > 0: update {"a":1} from {"a":1}`},
		{&crdtest.Violation{Target: rule, Object: obj}, `/properties/spec: rule 0: self.a > 0: create {"a":1}`},
	} {
		if got := fmt.Sprint(tt.value); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
