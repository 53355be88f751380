package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
)

// explained are the cases whose results are not as recorded, with the reasons.
var explained = map[string]string{
	"tests/imageregistry_v1/configs.imageregistry.operator.openshift.io/ChunkSizeMiB.yaml: Should reject configuration with decimal value in chunkSizeMiB for storage s3": formatted,
	"tests/insights_v1/datagathers.insights.openshift.io/InsightsOnDemandDataGather.yaml: lastGatherSeconds must be integer":                                              formatted,
	"tests/insights_v1alpha2/datagathers.insights.openshift.io/InsightsOnDemandDataGather.yaml: lastGatherSeconds must be integer":                                        formatted,
	"istio-api/wasm-invalid.yaml: 11 nil":        nulls,
	"istio-api/wasm-invalid.yaml: 12 nested-nil": nulls,
}

const (
	formatted = "with a format that the server honours, the text names the format and not the type; the suite was recorded before int32 was honoured"
	nulls     = "the text is that of another validator: the server drops the null and then misses the field"
)

// A tally counts cases.
type tally struct {
	cases, recorded int
	seen            map[string]bool // explained cases that were met
}

func TestSuites(t *testing.T) {
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Skip("no corpus; set CRDKIT_CORPUS to a directory with suites")
	}
	dir = filepath.Join(dir, "suites")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the corpus has no suites: %v", err)
	}
	total := &tally{seen: map[string]bool{}}
	openshift(t, dir, total)
	corpus, err := testkit.LoadCorpus(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defs := &definitions{corpus: corpus, compiled: map[string]*crdkit.Definition{}}
	istio(t, dir, defs, total)
	snapshotter(t, dir, defs, total)
	gateway(t, dir, defs, total)
	for name := range explained {
		if !total.seen[name] {
			t.Errorf("%s is explained but comes out as recorded", name)
		}
	}
	t.Logf("suites: %d cases, %d as recorded", total.cases, total.recorded)
}

// judge counts a case. problem is the difference between its result and the recorded
// result, "" if they are the same.
func (c *tally) judge(t *testing.T, name, problem string) {
	t.Helper()
	c.cases++
	if problem == "" {
		c.recorded++
		return
	}
	if _, ok := explained[name]; ok {
		c.seen[name] = true
		return
	}
	t.Errorf("%s: %s", name, problem)
}

// compareVerdict returns the difference between an error and the recorded text, "" for
// none. The recorded text is "" if there was no error.
func compareVerdict(err error, want string) string {
	switch {
	case want == "" && err == nil:
		return ""
	case want == "":
		return fmt.Sprintf("refused: %v", err)
	case err == nil:
		return fmt.Sprintf("admitted, want %q", want)
	}
	got := withoutValues(err.Error())
	// The order of errors differs: crdkit sorts them.
	for _, part := range strings.Split(want, ", <nil>") {
		part = strings.ReplaceAll(strings.TrimSuffix(part, "]"), "is invalid: [", "is invalid: ")
		_, part, ok := cutInvalid(part)
		if !strings.Contains(got, withoutValues(part)) || ok && !strings.Contains(got, "is invalid: ") {
			return fmt.Sprintf("refused with %q, want %q", err, want)
		}
	}
	return ""
}

// cutInvalid splits the text of an error at "is invalid: ".
func cutInvalid(text string) (object, rest string, ok bool) {
	if object, rest, ok = strings.Cut(text, "is invalid: "); ok {
		return object, rest, true
	}
	return "", text, false
}

var shown = regexp.MustCompile(`(Invalid value|Duplicate value|Unsupported value): (map\[string\]interface \{\}\{[^}]*\}?|\{[^}]*\}|"(?:[^"\\]|\\.)*"|-?[0-9][-0-9.e+]*|true|false|null)(: )?`)

// typeFirst is the end of a text that shows a type for the value.
var typeFirst = regexp.MustCompile(`^"(string|object|array|integer)": `)

// withoutValues removes the values from the texts of errors.
func withoutValues(text string) string {
	text = typeFirst.ReplaceAllString(text, "")
	return strings.TrimSpace(shown.ReplaceAllString(text, "$1: "))
}

func compareObject(got map[string]any, want string) string {
	if want == "" {
		return ""
	}
	wanted, err := testkit.Decode([]byte(want))
	if err != nil {
		return err.Error()
	}
	a, b := maps.Clone(wanted), maps.Clone(got)
	delete(a, "metadata")
	delete(b, "metadata")
	if diff := cmp.Diff(a, b); diff != "" {
		return "object (-want +got):\n" + diff
	}
	return ""
}

func object(text string) (*unstructured.Unstructured, error) {
	content, err := testkit.Decode([]byte(text))
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	if _, ok := content["metadata"].(map[string]any); !ok {
		content["metadata"] = map[string]any{}
	}
	if u.GetName() == "" && u.GetGenerateName() == "" {
		u.SetName("test")
	}
	return u, nil
}

// create returns the object that a server stores for obj, or its refusal.
func create(def *crdkit.Definition, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	v, ok := def.Version(obj.GroupVersionKind().Version)
	if !ok {
		return nil, fmt.Errorf("no version %q", obj.GetAPIVersion())
	}
	obj = obj.DeepCopy()
	res, err := v.Create(context.Background(), obj)
	if err != nil {
		return nil, err
	}
	return obj, res.Err()
}

// update returns the object that a server stores when obj replaces stored, or its refusal.
func update(def *crdkit.Definition, obj, stored *unstructured.Unstructured, status bool) (*unstructured.Unstructured, error) {
	ctx := context.Background()
	v := testkit.Must(def.Version(obj.GroupVersionKind().Version))
	old, _, err := v.Read(ctx, stored)
	if err != nil {
		return nil, err
	}
	obj = obj.DeepCopy()
	do := v.Update
	if status {
		do = v.UpdateStatus
	}
	res, err := do(ctx, obj, old)
	if err != nil {
		return nil, err
	}
	return obj, res.Err()
}

// A suite is a file of openshift/api.
type suite struct {
	Tests struct {
		OnCreate []struct {
			Name, Initial, Expected, ExpectedError string
		} `json:"onCreate"`
		OnUpdate []struct {
			Name, Initial, Updated, Expected   string
			ExpectedError, ExpectedStatusError string
			InitialCRDPatches                  json.RawMessage `json:"initialCRDPatches"`
		} `json:"onUpdate"`
	} `json:"tests"`
}

func openshift(t *testing.T, dir string, total *tally) {
	dir = filepath.Join(dir, "openshift-api")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Logf("no suites of openshift: %v", err)
		return
	}
	for i, line := range strings.Split(strings.TrimSpace(string(index)), "\n") {
		fields := strings.Split(line, "\t")
		if i == 0 || len(fields) < 2 {
			continue
		}
		openshiftSuite(t, dir, fields[0], fields[1], total)
	}
}

func openshiftSuite(t *testing.T, dir, path, crdPath string, total *tally) {
	data, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	var s suite
	if err := yaml.Unmarshal(data, &s); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	crd, err := os.ReadFile(filepath.Join(dir, crdPath))
	if err != nil {
		t.Fatal(err)
	}
	def := compile(t, crd)
	for _, c := range s.Tests.OnCreate {
		total.judge(t, path+": "+c.Name, onCreate(def, c.Initial, c.Expected, c.ExpectedError))
	}
	for _, c := range s.Tests.OnUpdate {
		first := def
		if len(c.InitialCRDPatches) > 0 {
			first = compile(t, patched(t, crd, c.InitialCRDPatches))
		}
		total.judge(t, path+": "+c.Name, onUpdate(first, def, c.Initial, c.Updated, c.Expected, c.ExpectedError, c.ExpectedStatusError))
	}
}

func compile(t *testing.T, data []byte) *crdkit.Definition {
	t.Helper()
	crd, err := definition.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	return def
}

func patched(t *testing.T, crd []byte, patches json.RawMessage) []byte {
	t.Helper()
	text, err := yaml.YAMLToJSON(crd)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(patches)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = patch.Apply(text); err != nil {
		t.Fatal(err)
	}
	return text
}

func onCreate(def *crdkit.Definition, initial, expected, expectedError string) string {
	obj, err := object(initial)
	if err != nil {
		return err.Error()
	}
	got, err := create(def, obj)
	if problem := compareVerdict(err, expectedError); problem != "" || err != nil {
		return problem
	}
	return compareObject(got.Object, expected)
}

// onUpdate does the same as the runner of openshift/api: it creates the object
// and writes its status, then it updates the object and writes its status
// again.
func onUpdate(first, def *crdkit.Definition, initial, updated, expected, expectedError, expectedStatusError string) string {
	obj, err := object(initial)
	if err != nil {
		return err.Error()
	}
	stored, err := create(first, obj)
	if err != nil {
		return fmt.Sprintf("creating the first object: %v", err)
	}
	if status, ok := obj.Object["status"]; ok {
		if stored, err = writeStatus(first, stored, status); err != nil {
			return fmt.Sprintf("writing the first status: %v", err)
		}
	}
	next, err := object(updated)
	if err != nil {
		return err.Error()
	}
	result, err := update(def, next, stored, false)
	if problem := compareVerdict(err, expectedError); problem != "" || err != nil {
		return problem
	}
	if status, ok := next.Object["status"]; ok {
		result, err = writeStatus(def, result, status)
		if problem := compareVerdict(err, expectedStatusError); problem != "" || err != nil {
			return problem
		}
	}
	return compareObject(result.Object, expected)
}

func writeStatus(def *crdkit.Definition, stored *unstructured.Unstructured, status any) (*unstructured.Unstructured, error) {
	obj := stored.DeepCopy()
	obj.Object["status"] = status
	return update(def, obj, stored, true)
}

// definitions compiles the definitions of a corpus at their first use.
type definitions struct {
	corpus   *testkit.Corpus
	compiled map[string]*crdkit.Definition
}

func (d *definitions) find(t *testing.T, obj *unstructured.Unstructured) *crdkit.Definition {
	t.Helper()
	gk := obj.GroupVersionKind().GroupKind()
	if def, ok := d.compiled[gk.String()]; ok {
		return def
	}
	for _, candidate := range d.corpus.Definitions {
		if candidate.CRD.Spec.Group == gk.Group && candidate.CRD.Spec.Names.Kind == gk.Kind {
			def, err := crdkit.Compile(candidate.CRD)
			if err != nil {
				t.Fatal(err)
			}
			d.compiled[gk.String()] = def
			return def
		}
	}
	t.Fatalf("no definition of %s", gk)
	return nil
}

// documents returns the documents of a file that are not blank.
func documents(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, doc := range strings.Split("\n"+string(data), "\n---") {
		if obj, err := testkit.Decode([]byte(doc)); err == nil && len(obj) > 0 {
			out = append(out, doc)
		}
	}
	return out
}
