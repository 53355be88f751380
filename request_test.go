package crdkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
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
		for _, opts := range [][]crdkit.Option{nil, {testopt.Reference{}}} {
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
		var read *crdkit.ReadResult
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
