package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A requestCase is a sequence of requests on one object, with what each must give. The
// cases are in testdata/cases.
type requestCase struct {
	Name string `json:"name"`
	// Schema is that of the only version, v1. Versions are several versions instead.
	Schema   *apiextensionsv1.JSONSchemaProps                  `json:"schema"`
	Versions []apiextensionsv1.CustomResourceDefinitionVersion `json:"versions"`
	// BelowStatus runs the case a second time: with the schema and all fields below status,
	// and with writes of the status.
	BelowStatus bool `json:"belowStatus"`
	// Stored is stored before the first request, without any check.
	Stored caseFields `json:"stored"`
	Steps  []caseStep `json:"steps"`
}

// A caseStep changes the definition or makes one request.
type caseStep struct {
	Schema  *apiextensionsv1.JSONSchemaProps `json:"schema"`  // replaces that of all versions
	Storage string                           `json:"storage"` // becomes the stored version

	Version     string `json:"version"` // v1 by default
	Subresource string `json:"subresource"`
	Manager     string `json:"manager"` // manager by default
	Fields      string `json:"fields"`  // Strict, Warn or Ignore
	Force       bool   `json:"force"`
	// One of these is the request. An update is a merge patch that the client makes.
	Create, Apply, Merge, Update caseFields
	JSON                         json.RawMessage
	Delete                       bool

	Code      int        `json:"code"`   // of the answer, 0 for success
	Text      string     `json:"text"`   // in the message of a refusal
	Object    caseFields `json:"object"` // what the object then has; null for what it lacks
	Unchanged bool       `json:"unchanged"`
	Gone      bool       `json:"gone"` // the request removes the object
}

// caseFields are fields of an object. Their numbers are as in decoded objects.
type caseFields map[string]any

// UnmarshalJSON keeps integers.
func (f *caseFields) UnmarshalJSON(text []byte) error {
	return utiljson.Unmarshal(text, (*map[string]any)(f))
}

// A caseRun is a case that runs.
type caseRun struct {
	requestCase
	status bool // all fields are below status
	crd    *apiextensionsv1.CustomResourceDefinition
	side   *applySide
	total  *applyTally
}

// TestCases runs the cases on both sides.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	total := &applyTally{features: map[string]int{}}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []requestCase
		if err := yaml.UnmarshalStrict(text, &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range list {
			name := strings.TrimSuffix(filepath.Base(file), ".yaml") + "/" + c.Name
			t.Run(name, func(t *testing.T) { (&caseRun{requestCase: c, total: total}).run(t) })
			if c.BelowStatus {
				t.Run(name+" of status", func(t *testing.T) { (&caseRun{requestCase: c, total: total, status: true}).run(t) })
			}
		}
	}
	fmt.Println(total)
}

func (c *caseRun) run(t *testing.T) {
	c.define()
	c.serve(t)
	if c.Stored != nil {
		if err := c.side.server.Put(c.whole(c.Stored, c.Versions[0].Name).Object); err != nil {
			t.Fatal(err)
		}
	}
	history := ""
	if c.status {
		c.step(t, caseStep{Version: c.Versions[0].Name, Manager: "creator", Create: caseFields{"status": map[string]any{}}}, &history)
	}
	for i, s := range c.Steps {
		if s.Schema != nil || s.Storage != "" {
			c.redefine(t, s)
			continue
		}
		s.Version, s.Manager = defaultText(s.Version, c.Versions[0].Name), defaultText(s.Manager, "manager")
		history += fmt.Sprintf("step %d\n", i+1)
		c.step(t, s, &history)
		if t.Failed() {
			t.Fatal(history)
		}
	}
}

func defaultText(text, standard string) string {
	if text == "" {
		return standard
	}
	return text
}

// define makes the definition of the case.
func (c *caseRun) define() {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name, crd.Spec.Group, crd.Spec.Scope = "cases.cases.example.com", "cases.example.com", apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "cases", Singular: "case", Kind: "Case", ListKind: "CaseList"}
	if len(c.Versions) == 0 {
		c.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: c.schema(c.Schema)}}
		if c.status {
			c.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
		}
	}
	crd.Spec.Versions = c.Versions
	c.crd = crd
}

func (c *caseRun) schema(props *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.CustomResourceValidation {
	if c.status {
		props = &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"status": *props}}
	}
	return &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props}
}

// serve makes both sides of the definition.
func (c *caseRun) serve(t *testing.T) {
	t.Helper()
	s, err := serveBoth(&testkit.Definition{Path: c.Name, CRD: c.crd.DeepCopy()})
	if err != nil {
		t.Fatal(err)
	}
	c.side = &applySide{servedDefinition: s}
	if c.side.appliers, err = apply.NewAll(s.ours, s.crd); err != nil {
		t.Fatal(err)
	}
}

// redefine changes the definition and keeps the stored object.
func (c *caseRun) redefine(t *testing.T, s caseStep) {
	t.Helper()
	for i := range c.crd.Spec.Versions {
		v := &c.crd.Spec.Versions[i]
		if s.Schema != nil {
			v.Schema = c.schema(s.Schema)
		}
		if s.Storage != "" {
			v.Storage = v.Name == s.Storage
		}
	}
	stored, tick := c.stored(t), c.side.tick
	c.serve(t)
	c.side.tick = tick
	if stored != nil {
		if err := c.side.server.Put(stored.Object); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *caseRun) stored(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	stored, err := c.side.server.Stored("ns", "a")
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// whole returns an object of the case from its fields.
func (c *caseRun) whole(fields caseFields, version string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: testkit.Clone(c.placed(fields))}
	u.SetAPIVersion("cases.example.com/" + version)
	u.SetKind("Case")
	if u.GetName() == "" {
		u.SetName("a")
	}
	u.SetNamespace("ns")
	return u
}

// placed returns fields where the case has them: at the root, or below the status.
func (c *caseRun) placed(fields caseFields) map[string]any {
	if c.status && fields["status"] == nil {
		return map[string]any{"status": map[string]any(fields)}
	}
	return fields
}

// step makes the request of a step on both sides and checks the answer.
func (c *caseRun) step(t *testing.T, s caseStep, history *string) {
	t.Helper()
	if s.Delete {
		answer := c.side.server.Do(server.Request{Method: http.MethodDelete, Version: s.Version, Namespace: "ns", Name: "a"})
		*history += "DELETE\n"
		if answer.Code >= 300 || answer.Panic != "" || s.Gone != (c.stored(t) == nil) {
			t.Errorf("the server answers %v", answer)
		}
		return
	}
	v := c.side.version(s.Version)
	step, res := c.request(t, s, v), new(apply.Result)
	ours := step.ours
	step.ours = func() (*apply.Result, error) {
		var err error
		res, err = ours()
		return res, err
	}
	*history += step.text + "\n"
	if !c.total.step(t, c.side, v, step, *history) {
		t.Fatalf("the sequence does not go on:\n%s", *history)
	}
	if gone := c.stored(t) == nil; gone != s.Gone && res.Err() == nil {
		t.Errorf("gone is %v, want %v", gone, s.Gone)
	}
	if got := resultCode(res); got != s.Code || s.Code != 0 && !strings.Contains(res.Err().Error(), s.Text) {
		t.Errorf("the code is %d (%v), want %d with %q", got, res.Err(), s.Code, s.Text)
	}
	if res.Err() == nil && res.Unchanged != s.Unchanged {
		t.Errorf("unchanged is %v, want %v", res.Unchanged, s.Unchanged)
	}
	if s.Object != nil {
		c.contains(t, s, res)
	}
}

// contains checks that the result has what the step names, and lacks what it has as null.
func (c *caseRun) contains(t *testing.T, s caseStep, res *apply.Result) {
	t.Helper()
	if res.Object == nil {
		t.Fatalf("no object: %v", res.Err())
	}
	got := testkit.Encode(res.Object.Object)
	merged, err := jsonpatch.MergePatch(got, testkit.Encode(c.placed(s.Object)))
	if err != nil {
		t.Fatal(err)
	}
	if !sameJSON(t, got, merged) {
		t.Errorf("the object is not as wanted (-want +got):\n%s", cmp.Diff(string(merged), string(got)))
	}
}

func resultCode(res *apply.Result) int {
	if res.Err() == nil {
		return 0
	}
	status, ok := errors.AsType[*apierrors.StatusError](res.Err())
	if !ok {
		return -1
	}
	return int(status.ErrStatus.Code)
}

// request returns the request of a step on both sides.
func (c *caseRun) request(t *testing.T, s caseStep, v *crdkit.Version) applyStep {
	t.Helper()
	ctx, a := context.Background(), c.side.appliers[s.Version]
	if c.status && s.Create == nil {
		s.Subresource = "status"
	}
	step := applyStep{request: server.Request{Method: "PATCH", Version: s.Version, Namespace: "ns", Name: "a", Subresource: s.Subresource, Manager: s.Manager, Fields: s.Fields, Force: s.Force}}
	if stored := c.stored(t); stored != nil {
		live, _, err := v.Read(ctx, stored)
		if err != nil {
			t.Fatal(err)
		}
		step.live = live
	}
	live, r, opts := step.live, &step.request, []crdkit.RequestOption{crdkit.FieldValidation(s.Fields), inNamespace(v, "ns")}
	switch {
	case s.Apply != nil:
		config := c.whole(s.Apply, s.Version)
		r.Type, r.Body = types.ApplyYAMLPatchType, testkit.Encode(config.Object)
		step.ours = func() (*apply.Result, error) {
			return a.Apply(ctx, apply.Request{Live: live, Body: r.Body, Manager: r.Manager, Force: r.Force}, opts...)
		}
		if s.Subresource == "status" {
			step.ours = func() (*apply.Result, error) {
				return a.Apply(ctx, apply.Request{Live: live, Config: config, Manager: r.Manager, Force: r.Force, Subresource: "status"}, opts...)
			}
		}
	case s.Create != nil:
		obj := c.whole(s.Create, s.Version)
		r.Method, r.Name, r.Body = "POST", "", testkit.Encode(obj.Object)
		step.ours = func() (*apply.Result, error) { return a.Create(ctx, obj, r.Manager, opts...) }
	case s.Update != nil:
		obj := c.edited(t, live, s.Update)
		r.Method, r.Body = "PUT", testkit.Encode(obj.Object)
		step.ours = func() (*apply.Result, error) {
			return a.Update(ctx, obj, apply.Request{Live: live, Manager: r.Manager, Subresource: s.Subresource}, opts...)
		}
	default:
		c.patch(s, r)
		step.ours = func() (*apply.Result, error) {
			request := apply.Request{Live: live, PatchType: r.Type, Body: r.Body, Manager: r.Manager, Subresource: s.Subresource}
			return a.Patch(ctx, request, opts...)
		}
	}
	step.text = fmt.Sprintf("%s %s %s %s force=%v %s", r.Method, r.Version, r.Subresource, r.Manager, r.Force, r.Body)
	return step
}

// patch sets the body of a patch.
func (c *caseRun) patch(s caseStep, r *server.Request) {
	if s.JSON != nil {
		r.Type, r.Body = types.JSONPatchType, s.JSON
		return
	}
	r.Type, r.Body = types.MergePatchType, testkit.Encode(c.placed(s.Merge))
}

// edited returns the live object with a merge patch.
func (c *caseRun) edited(t *testing.T, live *unstructured.Unstructured, change caseFields) *unstructured.Unstructured {
	t.Helper()
	merged, err := jsonpatch.MergePatch(testkit.Encode(live.Object), testkit.Encode(c.placed(change)))
	if err != nil {
		t.Fatal(err)
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON(merged); err != nil {
		t.Fatal(err)
	}
	return out
}
