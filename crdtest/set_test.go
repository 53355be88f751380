package crdtest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/crdtest"
)

const (
	definitionFile = "../testdata/crontab/crd.yaml"
	head           = "apiVersion: jobs.example.org/v1\nkind: CronTab\n"
	validText      = head + "metadata: {name: a}\nspec: {cronSpec: '* * * * *', image: i}\n"
)

func load(t testing.TB) *crdtest.Set {
	t.Helper()
	return crdtest.Load(t, definitionFile)
}

// TestReports compares what tests print.
func TestReports(t *testing.T) {
	for _, tt := range []struct {
		name string
		test func(t testing.TB, s *crdtest.Set)
		want string
	}{
		{"a met expectation prints nothing", func(t testing.TB, s *crdtest.Set) {
			s.Create(t, validText)
			s.Create(t, newCronTab(), crdtest.Admitted(), crdtest.Warned(), crdtest.Errors())
			s.Create(t, strings.Replace(validText, "image: i", "image: i, replicas: -1", 1),
				crdtest.Refused("spec.replicas", "greater than or equal to 0"), crdtest.Refused("", "Invalid value"))
		}, ``},
		{"one error meets one expectation of Exactly", func(t testing.TB, s *crdtest.Set) {
			s.Create(t, strings.Replace(validText, "image: i", "image: i, replicas: -1", 1), crdtest.Exactly(
				crdtest.Refused("spec.replicas", "greater"), crdtest.Refused("spec.replicas", "Invalid")))
		}, `create CronTab "a": refused
  unmet: an error at spec.replicas with "Invalid"
  unexpected: 4:41: .spec.replicas: Invalid value: -1: should be a non-negative integer`},
		{"other errors do not matter to Refused, but to Exactly and Errors", func(t testing.TB, s *crdtest.Set) {
			bad := strings.Replace(validText, "cronSpec: '* * * * *', image: i", "cronSpec: x, image: ''", 1)
			s.Create(t, bad, crdtest.Refused("spec.image", "at least 1"))
			s.Create(t, bad, crdtest.Exactly(crdtest.Refused("spec.image", "at least 1")))
			s.Create(t, bad, crdtest.Errors("spec.image: Required value"))
		}, `create CronTab "a": refused
  unexpected: 4:8: spec.cronSpec: Invalid value: "x": spec.cronSpec in body should match '^(\d+|\*)(/\d+)?(\s(\d+|\*)(/\d+)?){4}$'
create CronTab "a": refused
  unmet: the error "spec.image: Required value"
  unexpected: 4:8: spec.cronSpec: Invalid value: "x": spec.cronSpec in body should match '^(\d+|\*)(/\d+)?(\s(\d+|\*)(/\d+)?){4}$'
  unexpected: 4:21: spec.image: Invalid value: "": spec.image in body should be at least 1 chars long`},
		{"a rule is named by its expression or its message", func(t testing.TB, s *crdtest.Set) {
			bad := strings.Replace(validText, "image: i", "image: i, suspend: true", 1)
			s.Create(t, bad, crdtest.RefusedBy("!self.suspend ||\n  self.replicas == 0"))
			s.Create(t, bad, crdtest.RefusedBy("a suspended CronTab must not ask for replicas"))
			s.Create(t, bad, crdtest.RefusedBy("self.suspend"))
			s.Create(t, validText, crdtest.RefusedBy("!self.suspend || self.replicas == 0"))
		}, `create CronTab "a": refused
  unmet: an error of the rule "self.suspend", but no rule of the version has this expression or message
  unexpected: 4:1: spec.replicas: Invalid value: a suspended CronTab must not ask for replicas
    rule: !self.suspend || self.replicas == 0 (../testdata/crontab/crd.yaml:87:15)
    because !self.suspend is false, and self.replicas (1) == 0 is false
create CronTab "a": admitted
  unmet: an error of the rule "!self.suspend || self.replicas == 0"`},
		{"warnings", func(t testing.TB, s *crdtest.Set) {
			unknown := strings.Replace(validText, "image: i", "image: i, replica: 1", 1)
			s.Create(t, unknown)
			s.Create(t, unknown, crdtest.Warned(`unknown field "spec.replica"`))
			s.Create(t, unknown, crdtest.Warned("deprecated"))
			s.WithRequestOptions(crdkit.Strict).Create(t, unknown, crdtest.Refused("", "strict decoding error"))
		}, `create CronTab "a": admitted
  unmet: a warning with "deprecated"
  unexpected warning: unknown field "spec.replica"
create CronTab "a": refused
  unmet: an error at any field with "strict decoding error"
  unexpected: 4:41: unknown field "spec.replica"
    because spec has no field "replica"; did you mean "replicas"?`},
		{"repeated keys", func(t testing.TB, s *crdtest.Set) {
			repeated := strings.Replace(validText, "image: i", "image: i, image: j", 1)
			s.Create(t, repeated, crdtest.Warned(`key "image" already set in map`))
			s.Update(t, validText, repeated, crdtest.Warned(`key "image" already set in map`))
			s.UpdateStatus(t, validText, repeated, crdtest.Warned())
			s.Create(t, strings.TrimPrefix(repeated, head))
		}, `update status of CronTab "a": admitted
  unexpected warning: yaml: unmarshal errors:
    line 4: key "image" already set in map
crdtest: reading the object: a text with repeated keys must have apiVersion and kind: yaml: unmarshal errors:
  line 2: key "image" already set in map
(the test ends)`},
		{"stored", func(t testing.TB, s *crdtest.Set) {
			s.Create(t, validText, crdtest.Stored(`
spec:
  cronSpec: '* * * * *'
  image: i
  replicas: 1
  suspend: false
  concurrencyPolicy: Allow
  history: {successful: 3, failed: 1}
`))
			s.Create(t, validText, crdtest.Stored(map[string]any{}))
			s.Create(t, strings.Replace(validText, "image: i", "image: ''", 1), crdtest.Stored(validText))
		}, `create CronTab "a": admitted
  unmet: stored as wanted (-want +got):
      (diff)
create CronTab "a": refused
  unmet: admitted, to be stored
  unexpected: 4:31: spec.image: Invalid value: "": spec.image in body should be at least 1 chars long`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := record(func(t testing.TB) { tt.test(t, load(t)) })
			if diff := cmp.Diff(tt.want, withoutDiff(got)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

// withoutDiff replaces the output of cmp.Diff, which is not stable.
func withoutDiff(text string) string {
	before, diff, ok := strings.Cut(text, "(-want +got):\n")
	if !ok {
		return text
	}
	after := ""
	if i := strings.Index(diff, "\ncreate"); i >= 0 {
		after = diff[i:]
	}
	return before + "(-want +got):\n      (diff)" + after
}

// TestUpdates makes old objects by requests.
func TestUpdates(t *testing.T) {
	s := load(t)
	created := s.Create(t, validText)
	suspended := strings.Replace(validText, "image: i", "image: i, suspend: true", 1)
	s.Update(t, created, suspended, crdtest.RefusedBy("!self.suspend || self.replicas == 0"))
	s.Update(t, validText, strings.Replace(suspended, "suspend", "replicas: 0, suspend", 1), crdtest.Admitted())

	old := validText + "status: {replicas: 3}\n"
	kept := s.Update(t, old, validText)
	if got, _, _ := unstructured.NestedInt64(kept.Object.Object, "status", "replicas"); got != 3 {
		t.Errorf("after an update status.replicas is %d, want 3, that of the old object", got)
	}
	s.UpdateStatus(t, kept, strings.Replace(old, "3", "4", 1), crdtest.Stored(`
spec: {cronSpec: '* * * * *', image: i, replicas: 1, suspend: false, concurrencyPolicy: Allow, history: {successful: 3, failed: 1}}
status: {replicas: 4}
`))
	s.UpdateStatus(t, kept, strings.Replace(old, "3", "x", 1), crdtest.Refused("status.replicas", "must be of type integer"))

	// The rule is ratcheted, because the update does not change spec.
	existing := s.Existing(t, suspended)
	s.Update(t, existing, strings.Replace(suspended, "name: a", "name: a, labels: {b: c}", 1), crdtest.Admitted())
	s.Update(t, existing, strings.Replace(suspended, "image: i", "image: j", 1), crdtest.RefusedBy("!self.suspend || self.replicas == 0"))

	var typed CronTab
	created.Decode(t, &typed)
	if typed.Spec.Replicas == nil || *typed.Spec.Replicas != 1 || typed.Kind != "CronTab" {
		t.Errorf("decoded %+v, want replicas 1 and kind CronTab", typed)
	}
}

// TestFatal ends tests that cannot run.
func TestFatal(t *testing.T) {
	for _, tt := range []struct {
		name string
		test func(t testing.TB)
		want string
	}{
		{"no file", func(t testing.TB) { crdtest.Load(t, "none.yaml") },
			"crdtest: none.yaml: no such file or directory"},
		{"no definition", func(t testing.TB) { crdtest.Load(t, "../testdata/crontab/object.yaml") },
			`crdtest: no definition in ["../testdata/crontab/object.yaml"]`},
		{"nothing to load", func(t testing.TB) { crdtest.Load(t) }, "crdtest: no files or directories are given"},
		{"a definition twice", func(t testing.TB) { crdtest.Load(t, definitionFile, definitionFile) },
			"crdtest: ../testdata/crontab/crd.yaml, document 1: definition crontabs.jobs.example.org is also in ../testdata/crontab/crd.yaml"},
		{"a refused definition", func(t testing.TB) {
			text, err := os.ReadFile(definitionFile)
			if err != nil {
				t.Fatal(err)
			}
			text = []byte(strings.Replace(string(text), "minLength: 1\n", "minLength: x\n", 1))
			crdtest.LoadFS(t, fstest.MapFS{"a.yaml": {Data: text}}, "a.yaml")
		}, "crdtest: a.yaml, document 1: "},
		{"a rule that does not compile", func(t testing.TB) {
			text, err := os.ReadFile(definitionFile)
			if err != nil {
				t.Fatal(err)
			}
			text = []byte(strings.Replace(string(text), "self.replicas == 0'", "self.replica == 0'", 1))
			crdtest.LoadFS(t, fstest.MapFS{"a.yaml": {Data: text}}, ".")
		}, "crdtest: a.yaml, document 1: the server refuses definition crontabs.jobs.example.org:\n87:15: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: "},
		{"no file system", func(t testing.TB) { crdtest.LoadFS(t, nil, ".") }, "crdtest: the file system is nil"},
		{"a nil definition", func(t testing.TB) { crdtest.New(t, nil).Create(t, validText) },
			`crdtest: reading the object: no version of the set is that of an object with apiVersion "jobs.example.org/v1" and kind "CronTab"`},
		{"two objects", func(t testing.TB) { load(t).Create(t, validText+"---\n"+validText) },
			"crdtest: reading the object: the text has several documents, want one"},
		{"no object", func(t testing.TB) { load(t).Create(t, "# nothing\n") }, "crdtest: reading the object: the text has no object"},
		{"not an object", func(t testing.TB) { load(t).Create(t, 3) }, "crdtest: reading the object: a value of type int is not an object"},
		{"nil", func(t testing.TB) { load(t).Create(t, nil) }, "crdtest: reading the object: "},
		{"another kind", func(t testing.TB) { load(t).Kind(t, "jobs.example.org/v1", "CronTab").Create(t, "{kind: X}") },
			`crdtest: reading the object: crdkit: kind of the object is "X", want "CronTab"`},
		{"a type without a definition", func(t testing.TB) { load(t).Create(t, struct{}{}) },
			"crdtest: reading the object: no version of the set is that of an object of type struct {} without apiVersion and kind"},
		{"a refused old object", func(t testing.TB) { load(t).Update(t, "{metadata: {name: a}}", validText) },
			"crdtest: creating the old object:\ncreate CronTab \"a\": refused\n  unexpected: 1:1: spec: Required value"},
		{"a response that was refused", func(t testing.TB) {
			s := load(t)
			s.Update(t, s.Create(t, "{metadata: {name: a}}", crdtest.Refused("spec", "Required")), validText)
		}, "crdtest: the old object was refused: CronTab.jobs.example.org \"a\" is invalid: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := record(tt.test)
			if !strings.HasPrefix(got, tt.want) || !strings.HasSuffix(got, "\n(the test ends)") {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestInputs gives one object in all its forms.
func TestInputs(t *testing.T) {
	s := load(t)
	text := strings.TrimPrefix(validText, head)
	spec := map[string]any{"cronSpec": "* * * * *", "image": "i"}
	object := map[string]any{"metadata": map[string]any{"name": "a"}, "spec": spec}
	want := s.Create(t, validText).Object
	for name, in := range map[string]any{
		"text without a kind": text,
		"bytes":               []byte(validText),
		"JSON":                json.RawMessage(`{"metadata":{"name":"a"},"spec":{"cronSpec":"* * * * *","image":"i"}}`),
		"a map":               object,
		"unstructured":        &unstructured.Unstructured{Object: object},
		"a struct":            *newCronTab(),
		"a pointer":           newCronTab(),
		"a response":          s.Create(t, text),
	} {
		if diff := cmp.Diff(want, s.Create(t, in).Object); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if len(object) != 2 || len(spec) != 2 {
		t.Errorf("a request changed its input: %v", object)
	}
}

// TestVersions finds the version of an object without apiVersion and kind.
func TestVersions(t *testing.T) {
	text := record(func(t testing.TB) {
		s := crdtest.Load(t, definitionFile, "../testdata/route/crd.yaml")
		s.Create(t, newCronTab())
		s.Create(t, "{metadata: {name: a}}")
	})
	want := `crdtest: reading the object: an object with apiVersion "" and kind "" may be of `
	if !strings.HasPrefix(text, want) || !strings.HasSuffix(text, ": set apiVersion and kind, or use Set.Kind\n(the test ends)") {
		t.Errorf("got %s", text)
	}
	s := load(t).WithOptions(t, crdkit.KubernetesVersion("1.30"))
	if v := s.Kind(t, "jobs.example.org/v1", "CronTab").Create(t, newCronTab()).Version(); v.Name() != "v1" {
		t.Errorf("version %s, want v1", v.Name())
	}
}

// TestVersionOfPackage finds the version of a struct by the package of its type, if its
// kind has several.
func TestVersionOfPackage(t *testing.T) {
	crd := minimalCRD("apigroups", "APIGroup")
	crd.Spec.Versions = append(crd.Spec.Versions, crd.Spec.Versions[0])
	crd.Spec.Versions[0].Name, crd.Spec.Versions[1].Storage = "v2", false
	set := crdtest.New(t, []*apiextensionsv1.CustomResourceDefinition{crd})
	object := metav1.APIGroup{Name: "a"} // of k8s.io/apimachinery/pkg/apis/meta/v1
	response := set.Create(t, object, crdtest.Refused("metadata.name", "name or generateName is required"))
	if got := response.Version().Name(); got != "v1" {
		t.Errorf("version %s, want v1", got)
	}
}

func TestCRDsAreInOrder(t *testing.T) {
	var names []string
	set := crdtest.New(t, []*apiextensionsv1.CustomResourceDefinition{minimalCRD("bees", "Bee"), minimalCRD("ants", "Ant")})
	for _, crd := range set.CRDs() {
		names = append(names, crd.Name)
	}
	if diff := cmp.Diff([]string{"ants.example.com", "bees.example.com"}, names); diff != "" {
		t.Error(diff)
	}
}

// minimalCRD returns a definition without properties.
func minimalCRD(plural, kind string) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = plural + ".example.com"
	crd.Spec.Group = "example.com"
	crd.Spec.Scope = apiextensionsv1.ClusterScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
	}}
	return crd
}
