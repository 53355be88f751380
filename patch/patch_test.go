package patch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/patch"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, minimum: 0}
              mode: {type: string, default: slow}
              size: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf, message: must not shrink}]}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              replicas: {type: integer}
`

const live = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generation":2,"name":"w","namespace":"default","resourceVersion":"7","uid":"u-1"},` +
	`"spec":{"mode":"slow","replicas":1,"size":5},"status":{"replicas":1}}`

func compile(t testing.TB) *crdkit.Version {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(widgets), crd); err != nil {
		t.Fatal(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	return d.Storage()
}

// TestPatch tests requests. want is what differs from the live object, as a merge patch,
// or the code and the message of the answer.
func TestPatch(t *testing.T) {
	const (
		operations = types.JSONPatchType
		merge      = types.MergePatchType
		result     = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generation":2,"name":"w","namespace":"default","resourceVersion":"7","uid":"u-1"},"spec":{"mode":"slow","replicas":1,"siez":6,"size":5},"status":{"replicas":1}}`
	)
	tests := []struct {
		name     string
		kind     types.PatchType
		body     string
		fields   crdkit.FieldValidation
		status   bool
		want     string
		warnings []string
	}{
		{name: "merge", kind: merge, body: `{"spec":{"replicas":3}}`, want: `{"metadata":{"generation":3},"spec":{"mode":"slow","replicas":3,"size":5}}`},
		{name: "operations", kind: operations, body: `[{"op":"replace","path":"/spec/replicas","value":3}]`, want: `{"metadata":{"generation":3},"spec":{"mode":"slow","replicas":3,"size":5}}`},
		{name: "removed default is set", kind: operations, body: `[{"op":"remove","path":"/spec/mode"}]`, want: `unchanged`},
		{name: "nothing", kind: merge, body: `{}`, want: `unchanged`},
		{name: "status is kept", kind: merge, body: `{"status":{"replicas":9}}`, want: `unchanged`},
		{name: "status", kind: merge, status: true, body: `{"spec":{"replicas":3},"status":{"replicas":9}}`, want: `{"status":{"replicas":9}}`},
		{name: "strategic", kind: types.StrategicMergePatchType, body: `{}`, want: `415 the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`},
		{name: "no JSON", kind: merge, body: `{`, want: `400 invalid JSON patch`},
		{name: "no object", kind: merge, body: `[1]`, want: `400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}`},
		{name: "no object, ignored", kind: merge, fields: crdkit.Ignore, body: `[1]`, want: ` "" is invalid: patch: Invalid value: "[1]": couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`},
		{name: "null", kind: merge, body: `null`, want: `400 Invalid JSON Patch`},
		{name: "no operations", kind: operations, body: `{}`, want: `400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp`},
		{name: "wrong operation", kind: operations, body: `[{"op":5}]`, want: `400 error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string`},
		{name: "wrong operation, ignored", kind: operations, fields: crdkit.Ignore, body: `[5]`, want: `400 json: cannot unmarshal number into Go value of type jsonpatch.Operation`},
		{name: "failing test", kind: operations, body: `[{"op":"test","path":"/spec/size","value":6}]`, want: `422 the server rejected our request due to an error in our request [operation 0 (test): the value differs]`},
		{name: "path into a scalar", kind: operations, body: `[{"op":"add","path":"/spec/mode/x","value":6}]`, want: `422 the server rejected our request due to an error in our request [operation 0 (add): the path does not exist]`},
		{name: "unknown field", kind: merge, body: `{"spec":{"siez":6}}`, want: `unchanged`, warnings: []string{`unknown field "spec.siez"`}},
		{name: "unknown field, strict", kind: merge, fields: crdkit.Strict, body: `{"spec":{"siez":6}}`, want: ` "" is invalid: patch: Invalid value: ` + quote(result) + `: strict decoding error: unknown field "spec.siez"`},
		{name: "duplicate field", kind: merge, body: `{"spec":{"replicas":2,"replicas":1}}`, want: `unchanged`, warnings: []string{`duplicate field "spec.replicas"`}},
		{name: "unknown member of an operation", kind: operations, body: `[{"op":"add","path":"/spec/replicas","value":1,"pth":""}]`, want: `unchanged`, warnings: []string{`json patch unknown field "[0].pth"`}},
		{name: "invalid", kind: merge, body: `{"spec":{"replicas":-1}}`, want: `Widget.example.com "w" is invalid: [.spec.replicas: Invalid value: -1: should be a non-negative integer, spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0]`},
		{name: "transition rule", kind: merge, body: `{"spec":{"size":4}}`, want: `Widget.example.com "w" is invalid: spec.size: Invalid value: 4: must not shrink`},
		{name: "name", kind: merge, body: `{"metadata":{"name":"x"}}`, want: `400 the name of the object (x) does not match the name on the URL (w)`},
		{name: "namespace", kind: merge, body: `{"metadata":{"namespace":"x"}}`, want: `400 the namespace of the provided object does not match the namespace sent on the request`},
		{name: "old version", kind: merge, body: `{"metadata":{"resourceVersion":"6"}}`, want: `409 Operation cannot be fulfilled on widgets.example.com "w": the object has been modified; please apply your changes to the latest version and try again`},
		{name: "no version", kind: merge, body: `{"metadata":{"resourceVersion":null}}`, want: `widgets.example.com "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{name: "malformed version", kind: merge, body: `{"metadata":{"resourceVersion":"x"}}`, want: `500 strconv.ParseUint: parsing "x": invalid syntax`},
		{name: "uid", kind: merge, body: `{"metadata":{"uid":"u-2"}}`, want: `Widget.example.com "w" is invalid: metadata.uid: Invalid value: "u-2": field is immutable`},
		{name: "other apiVersion", kind: merge, body: `{"apiVersion":"example.com/v2"}`, want: `Widget.example.com "w" is invalid: apiVersion: Invalid value: "example.com/v2": must be example.com/v1`, warnings: []string{`unknown field "spec"`, `unknown field "status"`}},
		{name: "apiVersion with an empty group", kind: merge, body: `{"apiVersion":"/v1"}`, want: `Widget "w" is invalid: apiVersion: Invalid value: "v1": must be example.com/v1`},
		{name: "no kind", kind: operations, body: `[{"op":"remove","path":"/kind"}]`, want: ` "" is invalid: patch: Invalid value: ` + quote(strings.Replace(live, `"kind":"Widget",`, "", 1)) + `: Object 'Kind' is missing in '` + strings.Replace(live, `"kind":"Widget",`, "", 1) + `'`},
	}
	p := patch.New(compile(t))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			object := decode(t, live)
			f := p.Patch
			if tt.status {
				f = p.PatchStatus
			}
			res, err := f(context.Background(), object, tt.kind, []byte(tt.body), tt.fields)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, answer(t, res)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, res.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if got := encode(t, object.Object); got != live {
				t.Errorf("the live object is %s", got)
			}
		})
	}
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

// answer describes the result of a request.
func answer(t *testing.T, res *patch.Result) string {
	t.Helper()
	err := res.Err()
	switch {
	case err == nil && res.Unchanged:
		return "unchanged"
	case err == nil:
		changed := map[string]any{}
		before := decode(t, live)
		for name, value := range res.Object.Object {
			if name == "metadata" {
				if g := res.Object.GetGeneration(); g != before.GetGeneration() {
					changed[name] = map[string]any{"generation": g}
				}
			} else if !cmp.Equal(value, before.Object[name]) {
				changed[name] = value
			}
		}
		return encode(t, changed)
	case res.Object != nil:
		t.Error("a refused request has an object")
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		t.Fatalf("the error %v has no status", err)
	}
	text := status.ErrStatus.Message
	if status.ErrStatus.Code != 422 || res.Refusal != nil && len(res.Refusal.Details) > 0 && status.ErrStatus.Details.Causes == nil {
		text = fmt.Sprintf("%d %s", status.ErrStatus.Code, text)
	}
	if res.Refusal != nil && status.ErrStatus.Code == 422 && status.ErrStatus.Details.Causes == nil {
		text += fmt.Sprintf(" %v", res.Refusal.Details)
	}
	return text
}

func decode(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return u
}

func encode(t testing.TB, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestPatched returns what a patch makes of the live object, also if it is refused.
func TestPatched(t *testing.T) {
	p := patch.New(compile(t))
	for _, tt := range []struct {
		name string
		kind types.PatchType
		body string
		want string
	}{
		{"admitted", types.MergePatchType, `{"spec":null,"x":1}`, `{"status":{"replicas":1},"x":1}`},
		{"invalid", types.MergePatchType, `{"spec":{"replicas":-1,"mode":null,"x":1},"status":null}`, `{"spec":{"replicas":-1,"size":5,"x":1}}`},
		{"refused before validation", types.JSONPatchType, `[{"op":"add","path":"/metadata/name","value":"x"},{"op":"remove","path":"/spec"}]`, `{"status":{"replicas":1}}`},
		{"no kind", types.MergePatchType, `{"kind":null,"spec":null}`, `{"status":{"replicas":1}}`},
		{"does not apply", types.JSONPatchType, `[{"op":"remove","path":"/x"}]`, ``},
		{"no patch", types.MergePatchType, `1`, ``},
		{"no object", types.JSONPatchType, `[{"op":"add","path":"","value":[1]}]`, ``},
	} {
		res, err := p.Patch(context.Background(), decode(t, live), tt.kind, []byte(tt.body), crdkit.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if object := res.Patched(); object != nil {
			delete(object.Object, "apiVersion")
			delete(object.Object, "kind")
			delete(object.Object, "metadata")
			got = encode(t, object.Object)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestPatchJSON tests that the requests on JSON return the bytes of the others.
func TestPatchJSON(t *testing.T) {
	p := patch.New(compile(t))
	spaced := strings.ReplaceAll(live, ",", " ,\n")
	for _, body := range []string{`{}`, `{"spec":{"replicas":3}}`, `{"spec":{"free":{"a":[1.0,"<"]}}}`} {
		want, err := p.Patch(context.Background(), decode(t, live), types.MergePatchType, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		got, res, err := p.PatchJSON(context.Background(), []byte(spaced), types.MergePatchType, []byte(body), crdkit.AppendTo([]byte("x")))
		if err != nil || string(got) != "x"+encode(t, want.Object.Object) || res.Unchanged != want.Unchanged {
			t.Errorf("%s: %s, unchanged %v, %v; want %s", body, got, res.Unchanged, err, encode(t, want.Object.Object))
		}
	}
	out, res, err := p.PatchStatusJSON(context.Background(), []byte(live), types.MergePatchType, []byte(`{"status":{"replicas":-2.5}}`))
	if err != nil || out != nil || res.Err() == nil {
		t.Errorf("an invalid status: %s, %v, %v", out, res.Err(), err)
	}
}

func TestNoVerdict(t *testing.T) {
	p, body := patch.New(compile(t)), []byte(`{}`)
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := p.Patch(ended, decode(t, live), types.MergePatchType, body); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if _, err := p.Patch(context.Background(), nil, types.MergePatchType, body); err == nil {
		t.Error("no live object: no error")
	}
	if _, err := p.Patch(context.Background(), decode(t, live), types.MergePatchType, body, crdkit.FieldValidation("x")); err == nil {
		t.Error("an unknown field validation: no error")
	}
	if _, _, err := p.PatchJSON(context.Background(), []byte(`{`), types.MergePatchType, body); err == nil {
		t.Error("a malformed live object: no error")
	}
	var none context.Context // a nil context is allowed
	if _, err := p.Patch(none, decode(t, live), types.MergePatchType, body, nil); err != nil {
		t.Errorf("no context: %v", err)
	}
}

// TestHostile tests patches that are made to take much time or memory.
func TestHostile(t *testing.T) {
	repeat := func(n int, s string) string { return "[" + strings.TrimSuffix(strings.Repeat(s+",", n), ",") + "]" }
	nested := func(n int, inner string) string { return strings.Repeat(`{"a":`, n) + inner + strings.Repeat("}", n) }
	big := `"` + strings.Repeat("x", 1<<20) + `"`
	tests := map[string]struct {
		kind types.PatchType
		body string
		code int
		text string // of the refusal
	}{
		"too many operations":   {types.JSONPatchType, repeat(patch.MaxOperations+1, `{"op":"test","path":"/kind","value":"Widget"}`), 413, "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"},
		"a thousand more":       {types.JSONPatchType, repeat(patch.MaxOperations+1000, `{"op":"test","path":"/kind","value":"Widget"}`), 413, "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 11000"},
		"as many as allowed":    {types.JSONPatchType, repeat(patch.MaxOperations, `{"op":"test","path":"/kind","value":"Widget"}`), 0, ""},
		"too large":             {types.MergePatchType, `{"a":"` + strings.Repeat("x", crdkit.MaxRequestBytes) + `"}`, 413, "Request entity too large: limit is 3145728"},
		"exponential copies":    {types.JSONPatchType, repeat(32, `{"op":"copy","from":"/spec","path":"/spec/a"},{"op":"copy","from":"/spec","path":"/spec/b"}`), 422, "the server rejected our request due to an error in our request"},
		"many copies":           {types.JSONPatchType, `[{"op":"add","path":"/spec/free","value":{"a":` + big + `}},` + repeat(100, `{"op":"copy","from":"/spec/free/a","path":"/spec/free/b"}`)[1:], 422, "the server rejected our request due to an error in our request"},
		"deep merge":            {types.MergePatchType, `{"spec":{"free":` + nested(9000, big) + `}}`, 0, ""},
		"deep value":            {types.JSONPatchType, `[{"op":"add","path":"/spec/free","value":` + nested(9000, big) + `},{"op":"add","path":"/spec/free` + strings.Repeat("/a", 8000) + `/b","value":1}]`, 0, ""},
		"too deep":              {types.MergePatchType, nested(10001, "1"), 400, "invalid JSON patch"},
		"many items at the top": {types.JSONPatchType, `[{"op":"add","path":"/spec/free","value":{"l":` + repeat(50_000, "0") + `}},` + repeat(2000, `{"op":"add","path":"/spec/free/l/0","value":1}`)[1:], 0, ""},
	}
	p := patch.New(compile(t))
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			start, object := time.Now(), decode(t, live)
			res, err := p.Patch(context.Background(), object, tt.kind, []byte(tt.body), crdkit.Ignore)
			if err != nil {
				t.Fatal(err)
			}
			code, text := 0, ""
			if err, ok := errors.AsType[*apierrors.StatusError](res.Err()); ok {
				code, text = int(err.ErrStatus.Code), err.ErrStatus.Message
			}
			if code != tt.code || text != tt.text {
				t.Errorf("%d %s, want %d %s", code, text, tt.code, tt.text)
			}
			if diff := cmp.Diff(decode(t, live).Object, object.Object); diff != "" {
				t.Errorf("the live object changed (-before +after):\n%s", diff)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestInterrupt tests that a patch with many operations ends with its context.
func TestInterrupt(t *testing.T) {
	p := patch.New(compile(t))
	body := "[" + strings.Repeat(`{"op":"test","path":"/kind","value":"Widget"},`, 5000)
	ctx := testkit.EndingContext(100)
	if _, err := p.Patch(ctx, decode(t, live), types.JSONPatchType, []byte(strings.TrimSuffix(body, ",")+"]")); err == nil {
		t.Error("no error")
	}
}
