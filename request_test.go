package crdkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/requestopt"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

var requestSections = []string{
	"crd.yaml", "request", "object.yaml", "object.json", "old.yaml",
	"want.yaml", "errors", "refusal", "warnings", "changes", "cost",
}

// TestRequests runs testdata/requests/*.txtar. Each file shows one behaviour of
// requests and has the sections
//
//	crd.yaml     the definition
//	request      the verb (create, update, status, read or store), the
//	             version, and options: strict, ignore, changes, namespace=NAME
//	object.yaml  the object (object.json: sent as JSON)
//	old.yaml     the object that is replaced
//
// and sections for the wanted result: want.yaml (the object, if it is
// admitted), errors, refusal, warnings, changes and cost. Every file runs with
// the fast and with the reference implementation, on objects and on bytes.
func TestRequests(t *testing.T) {
	testkit.RunTxtar(t, "testdata/requests/*.txtar", requestSections, func(t *testing.T, c *testkit.Case) {
		crd, err := definition.Parse([]byte(c.Section("crd.yaml")))
		if err != nil {
			t.Fatal(err)
		}
		for _, opts := range [][]crdkit.Option{nil, {crdkit.Reference()}} {
			def, err := crdkit.Compile(crd, opts...)
			if err != nil {
				t.Fatal(err)
			}
			runRequest(t, c, def)
		}
	})
}

type outcome struct {
	object any // nil if the object is not admitted
	result *crdkit.Result
}

func runRequest(t *testing.T, c *testkit.Case, def *crdkit.Definition) {
	fields := strings.Fields(c.Section("request"))
	if len(fields) < 2 {
		t.Fatalf("request %q", fields)
	}
	v, ok := def.Version(fields[1])
	if !ok {
		t.Fatalf("no version %q", fields[1])
	}
	opts := requestOptions(t, fields[2:])

	got := onBytes(t, c, v, fields[0], opts)
	if onMap, ok := onObject(t, c, v, fields[0], opts); ok {
		// Only the JSON forms report errors of decoding.
		if c.Has("object.yaml") {
			if diff := cmp.Diff(got.object, onMap.object); diff != "" {
				t.Errorf("object from bytes and from a map differ (-bytes +map):\n%s", diff)
			}
			if diff := cmp.Diff(render(got.result), render(onMap.result)); diff != "" {
				t.Errorf("result from bytes and from a map differ (-bytes +map):\n%s", diff)
			}
		}
	}
	want := ""
	if got.object != nil {
		text, err := yaml.Marshal(got.object)
		if err != nil {
			t.Fatal(err)
		}
		want = string(text)
	}
	c.Want(t, "want.yaml", want)
	for name, text := range render(got.result) {
		c.Want(t, name, text)
	}
}

func requestOptions(t *testing.T, fields []string) []crdkit.RequestOption {
	var opts []crdkit.RequestOption
	for _, w := range fields {
		namespace, ok := strings.CutPrefix(w, "namespace=")
		switch {
		case ok:
			opts = append(opts, crdkit.InNamespace(namespace))
		case w == "strict":
			opts = append(opts, crdkit.Strict)
		case w == "ignore":
			opts = append(opts, crdkit.Ignore)
		case w == "changes":
			opts = append(opts, crdkit.ReportChanges())
		default:
			t.Fatalf("unknown option %q", w)
		}
	}
	return opts
}

// jsonOptions returns options for a JSON form.
func jsonOptions(opts []crdkit.RequestOption) []crdkit.JSONOption {
	var out []crdkit.JSONOption
	for _, opt := range opts {
		out = append(out, opt)
	}
	return out
}

// readOptions returns the options that Read takes.
func readOptions(opts []crdkit.RequestOption) []crdkit.ReadOption {
	var out []crdkit.ReadOption
	for _, opt := range opts {
		if opt, ok := opt.(crdkit.ReadOption); ok {
			out = append(out, opt)
		}
	}
	return out
}

// render returns the sections of a result.
func render(r *crdkit.Result) map[string]string {
	out := map[string]string{"errors": "", "refusal": "", "warnings": "", "changes": "", "cost": ""}
	if r == nil {
		return out
	}
	for _, e := range r.Errors {
		out["errors"] += fmt.Sprintf("%s\n\t%s %s\n", e, e.Step, e.Pointer)
	}
	if r.Refusal != nil {
		out["refusal"] = fmt.Sprintf("%d %s: %s\n", r.Refusal.Code, r.Refusal.Reason, r.Refusal.Message)
	}
	for _, w := range r.Warnings {
		out["warnings"] += w + "\n"
	}
	for _, c := range r.Changes {
		out["changes"] += c.String() + "\n"
	}
	if r.Cost > 0 {
		out["cost"] = fmt.Sprintln(r.Cost)
	}
	return out
}

// onBytes runs the JSON form of the request on the text of the file.
func onBytes(t *testing.T, c *testkit.Case, v *crdkit.Version, verb string, requestOpts []crdkit.RequestOption) outcome {
	t.Helper()
	opts := jsonOptions(requestOpts)
	ctx := context.Background()
	raw := []byte(c.Section("object.json"))
	if c.Has("object.yaml") {
		raw = []byte(c.Section("object.yaml"))
		opts = append(opts, crdkit.YAML())
	}
	before := string(raw)
	var old []byte
	if c.Has("old.yaml") {
		var err error
		if old, err = json.Marshal(c.Object(t, "old.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	var (
		out []byte
		res *crdkit.Result
		err error
	)
	switch verb {
	case "create":
		out, res, err = v.CreateJSON(ctx, raw, opts...)
	case "update":
		out, res, err = v.UpdateJSON(ctx, raw, old, opts...)
	case "status":
		out, res, err = v.UpdateStatusJSON(ctx, raw, old, opts...)
	default:
		got, _ := onObject(t, c, v, verb, requestOpts)
		return got
	}
	if err != nil {
		t.Fatal(err)
	}
	if string(raw) != before {
		t.Error("the input was changed")
	}
	if res.Admitted() != (out != nil) || res.Admitted() != (res.Err() == nil) {
		t.Errorf("Admitted = %t with output %q and Err %v", res.Admitted(), out, res.Err())
	}
	if out == nil {
		return outcome{result: res}
	}
	obj, err := testkit.DecodeJSON(out)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{object: obj, result: res}
}

// onObject runs the request on the decoded object. It reports false if the
// object does not decode.
func onObject(t *testing.T, c *testkit.Case, v *crdkit.Version, verb string, opts []crdkit.RequestOption) (outcome, bool) {
	t.Helper()
	ctx := context.Background()
	section := "object.yaml"
	if !c.Has(section) {
		section = "object.json"
	}
	content, err := testkit.Decode([]byte(c.Section(section)))
	if err != nil {
		return outcome{}, false
	}
	obj := &unstructured.Unstructured{Object: content}
	old := &unstructured.Unstructured{}
	if c.Has("old.yaml") {
		old.Object = c.Object(t, "old.yaml")
	}
	oldBefore := old.DeepCopy()
	var res *crdkit.Result
	switch verb {
	case "create":
		res, err = v.Create(ctx, obj, opts...)
	case "update":
		res, err = v.Update(ctx, obj, old, opts...)
	case "status":
		res, err = v.UpdateStatus(ctx, obj, old, opts...)
	case "read":
		var read *crdkit.Result
		if obj, read, err = v.Read(ctx, obj, readOptions(opts)...); err == nil {
			res = &crdkit.Result{Warnings: read.Warnings, Changes: read.Changes}
		}
	case "store":
		obj, err = v.Store(ctx, obj)
		res = &crdkit.Result{}
	default:
		t.Fatalf("unknown verb %q", verb)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(oldBefore, old); diff != "" {
		t.Errorf("the old object was changed (-before +after):\n%s", diff)
	}
	if !res.Admitted() {
		return outcome{result: res}, true
	}
	return outcome{object: any(obj.Object), result: res}, true
}

// TestPatched tests what the option changes in an update. Package patch tests the rest.
func TestPatched(t *testing.T) {
	pair, _ := cronTabPair(t)
	v := pair.fast
	old := []byte(`{"apiVersion":"jobs.example.org/v1","kind":"CronTab","metadata":{"name":"n","namespace":"default","resourceVersion":"5"},"spec":{"cronSpec":"* * * * *","image":"a"}}`)
	owners := `[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}]`
	raw := []byte(strings.NewReplacer(`"image":"a"`, `"image":"a","x":1`, `"name":"n",`, `"name":"n","ownerReferences":`+owners+`,`).Replace(string(old)))
	_, res, err := v.UpdateJSON(context.Background(), raw, old, requestopt.Patched{Complaints: []string{"first"}})
	if err != nil || res.Err() != nil {
		t.Fatal(err, res.Err())
	}
	want := []string{"first", `unknown field "spec.x"`, ".metadata.ownerReferences contains duplicate entries after mutating admission happens; " +
		"API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1"}
	if diff := cmp.Diff(want, res.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	_, res, err = v.UpdateJSON(context.Background(), old, old, requestopt.Patched{Complaints: []string{"first"}}, crdkit.Strict)
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
	}{{nil, 1}, {[]crdkit.JSONOption{requestopt.Patched{}}, 2}} {
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
	res, err := v.Create(context.Background(), obj, requestopt.Merged{})
	if err != nil || res.Err() == nil || !strings.Contains(res.Err().Error(), `spec.replicas: Invalid value: "null"`) {
		t.Errorf("a null: %v, %v", err, res.Err())
	}
	obj = decoded(t, `{"apiVersion":"jobs.example.org/v1","kind":"CronTab","metadata":{"name":"n","namespace":"default"},"spec":{"cronSpec":"* * * * *","image":"a","replicas":1,"suspend":false,"x":1}}`)
	want := testkit.Clone(obj.Object["spec"].(map[string]any))
	if res, err := v.Create(context.Background(), obj, requestopt.Merged{}); err != nil || res.Err() != nil || len(res.Warnings) > 0 {
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
	if _, _, err := v.CreateJSON(context.Background(), raw, requestopt.Patched{}); err == nil {
		t.Error("a patched create has no error")
	}
	if _, _, err := v.UpdateJSON(context.Background(), raw, raw, requestopt.Merged{}); err == nil {
		t.Error("a merged update of JSON has no error")
	}
	if _, err := requestopt.FieldValidation[crdkit.FieldValidation]([]crdkit.JSONOption{nil, crdkit.FieldValidation("x")}); err == nil {
		t.Error("an unknown field validation has no error")
	}
	for want, opts := range map[crdkit.FieldValidation][][]crdkit.JSONOption{
		crdkit.Strict: {{crdkit.Strict, crdkit.AppendTo(nil)}, {crdkit.Ignore, crdkit.Strict}},
		crdkit.Warn:   {nil, {crdkit.YAML()}, {crdkit.Strict, crdkit.FieldValidation("")}},
	} {
		for _, o := range opts {
			if got, err := requestopt.FieldValidation[crdkit.FieldValidation](o); got != want || err != nil {
				t.Errorf("FieldValidation of %v: %q, %v, want %q", o, got, err, want)
			}
		}
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

// TestContextEndsCompile: Compile polls its context in proportion to the definition,
// and returns its error wherever it ends.
func TestContextEndsCompile(t *testing.T) {
	for name, tt := range map[string]struct {
		property string
		polls    int
	}{
		"rules": {"{type: string, x-kubernetes-validations: [{rule: self != 'a%d'}]}", 1_000},
	} {
		t.Run(name, func(t *testing.T) { contextEndsCompile(t, tt.property, tt.polls) })
	}
}

func contextEndsCompile(t *testing.T, property string, polls int) {
	var b strings.Builder
	b.WriteString("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {group: example.com, scope: Namespaced, names: {plural: things, kind: Thing}, " +
		"versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {")
	for i := range 1_000 {
		fmt.Fprintf(&b, "f%d: "+property+",\n", i, i)
	}
	b.WriteString("}}}}]}")
	crd, err := definition.Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	ctx := testkit.EndingContext(1 << 30)
	if _, err := crdkit.Compile(crd, crdkit.WithContext(ctx)); err != nil {
		t.Fatal(err)
	}
	all := ctx.Polls()
	if all < polls {
		t.Errorf("%d polls, want at least %d", all, polls)
	}
	for _, after := range []int{0, 1, all / 2, all - 1} {
		d, err := crdkit.Compile(crd, crdkit.WithContext(testkit.EndingContext(after)))
		if d != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("after %d of %d polls: %v", after, all, err)
		}
	}
}

// TestContextEndsRequest: a request looks at its context before and after its steps, and
// returns its error wherever it ends. The second object is not for the fast path.
func TestContextEndsRequest(t *testing.T) {
	crd, err := definition.Parse([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n" +
		"spec: {group: example.com, scope: Namespaced, names: {plural: things, kind: Thing}, " +
		"versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []string{
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"b"}}`,
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"b"},"unknown":1}`,
	} {
		ctx := testkit.EndingContext(1 << 30)
		if _, res, err := d.Storage().CreateJSON(ctx, []byte(object)); err != nil || len(res.Errors) > 0 {
			t.Fatal(err, res)
		}
		all := ctx.Polls()
		if all < 2 {
			t.Errorf("%d polls, want at least 2", all)
		}
		for after := range all {
			if out, res, err := d.Storage().CreateJSON(testkit.EndingContext(after), []byte(object)); !errors.Is(err, context.Canceled) || out != nil || res != nil {
				t.Errorf("after %d of %d polls: %s, %v, %v", after, all, out, res, err)
			}
		}
	}
}
