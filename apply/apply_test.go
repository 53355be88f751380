package apply_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
)

// code returns the status of a result, 0 for an admitted request.
func code(t *testing.T, res *apply.Result) int {
	t.Helper()
	if res.Err() == nil {
		return 0
	}
	status, ok := errors.AsType[*apierrors.StatusError](res.Err())
	if !ok {
		t.Fatalf("the error %v has no status", res.Err())
	}
	return int(status.ErrStatus.Code)
}

func encode(t *testing.T, u *unstructured.Unstructured) string {
	t.Helper()
	out, err := json.Marshal(u.Object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestRefusals tests configurations that the server refuses.
func TestRefusals(t *testing.T) {
	live := applied(nil, "spec: {replicas: 1, env: [{name: A, value: x}]}", "deployer")
	tests := map[string]struct {
		change  func(config *unstructured.Unstructured)
		manager string
		code    int
		message string
	}{
		"no manager":            {code: 422, manager: "-", message: `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`},
		"long manager":          {manager: strings.Repeat("m", 129), code: 422, message: `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes`},
		"managedFields":         {change: set("metadata", "managedFields", []any{}), code: 400, message: "metadata.managedFields must be nil"},
		"other kind":            {change: func(c *unstructured.Unstructured) { c.SetKind("Other") }, code: 400, message: "invalid object type: example.com/v1, Kind=Other"},
		"other version":         {change: func(c *unstructured.Unstructured) { c.SetAPIVersion("example.com/v2") }, code: 400, message: "invalid object type: example.com/v2, Kind=Widget"},
		"no kind":               {change: func(c *unstructured.Unstructured) { delete(c.Object, "kind") }, code: 400, message: "invalid object type: example.com/v1, Kind="},
		"other name":            {change: func(c *unstructured.Unstructured) { c.SetName("x") }, code: 400, message: "the name of the object (x) does not match the name on the URL (w)"},
		"other namespace":       {change: func(c *unstructured.Unstructured) { c.SetNamespace("x") }, code: 400, message: "the namespace of the provided object does not match the namespace sent on the request"},
		"unknown field":         {change: set("spec", "unknown", "x"), code: 500, message: "failed to create typed patch object (default/w; example.com/v1, Kind=Widget): .spec.unknown: field not declared in schema"},
		"list item twice":       {change: set("spec", "env", []any{map[string]any{"name": "A"}, map[string]any{"name": "A"}}), code: 500, message: `failed to create typed patch object (default/w; example.com/v1, Kind=Widget): .spec.env: duplicate entries for key [name="A",protocol="TCP"]`},
		"list item without key": {change: set("spec", "env", []any{map[string]any{"value": "A"}}), code: 422, message: `Widget.example.com "w" is invalid: spec.env[1].name: Required value`},
		"invalid":               {change: set("spec", "replicas", int64(-1)), manager: "deployer", code: 422, message: `Widget.example.com "w" is invalid: [.spec.replicas: Invalid value: -1: should be a non-negative integer, spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0]`},
		"conflict":              {change: set("spec", "replicas", int64(2)), code: 409, message: `Apply failed with 1 conflict: conflict with "deployer": .spec.replicas`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			config := widget("spec: {}")
			if tt.change != nil {
				tt.change(config)
			}
			manager := strings.TrimPrefix(tt.manager, "-")
			if tt.manager == "" {
				manager = "other"
			}
			before, configured := encode(t, live), encode(t, config)
			res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: config, Manager: manager})
			if err != nil {
				t.Fatal(err)
			}
			if got := code(t, res); got != tt.code || res.Err().Error() != tt.message {
				t.Errorf("%d %v, want %d %s", got, res.Err(), tt.code, tt.message)
			}
			if res.Object != nil || encode(t, live) != before || encode(t, config) != configured {
				t.Error("a refused apply has an object, or changed one")
			}
		})
	}
}

// TestTypeErrors tests that an apply of values that do not fit the schema lists all errors, in
// one order.
func TestTypeErrors(t *testing.T) {
	const head = "failed to create typed patch object (default/w; example.com/v1, Kind=Widget): "
	tests := map[string]struct {
		config string
		want   []string
	}{
		"two unknown fields":       {"spec: {a: 1, b: {c: d}}", []string{".spec.a: field not declared in schema", ".spec.b: field not declared in schema"}},
		"and errors behind them":   {"spec: {a: 1, mode: [1], env: [{name: A, x: 1, value: {}}, {name: A, z: 1}]}\nx: 1", []string{`.spec.a: field not declared in schema`, `.spec.env: duplicate entries for key [name="A",protocol="TCP"]`, `.spec.env[name="A",protocol="TCP"].value: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}`, `.spec.env[name="A",protocol="TCP"].x: field not declared in schema`, `.spec.env[name="A",protocol="TCP"].z: field not declared in schema`, `.spec.mode: expected string, got &value.valueUnstructured{Value:[]interface {}{1}}`, `.x: field not declared in schema`}},
		"an item without its keys": {"spec: {env: [{name: A, x: 1}, a, {name: B, x: 1}], replicas: x}", []string{`.spec.env: element 1: associative list with keys may not have non-map elements`, `.spec.env[name="A",protocol="TCP"].x: field not declared in schema`, `.spec.replicas: expected numeric (int or float), got string`}},
		"an object as a key":       {"spec: {env: [{name: A, x: 1}, {name: {a: 1, b: 2, c: 3}, x: 1}, {name: B, x: 1}]}", []string{`.spec.env: element 1: the key "name" is not a scalar`, `.spec.env[name="A",protocol="TCP"].x: field not declared in schema`}},
		"another type":             {"spec: [{a: 1}]\nstatus: {a: 1}", []string{".spec: expected map, got &{[map[a:1]]}", ".status.a: field not declared in schema"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want := head + "errors:\n  " + strings.Join(tt.want, "\n  ")
			for range 50 {
				res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Config: widget(tt.config), Manager: "m"})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, fmt.Sprint(res.Err())); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestManyTypeErrors tests that the errors of many unknown fields with long paths are counted.
func TestManyTypeErrors(t *testing.T) {
	item := map[string]any{"name": strings.Repeat("x", 10_000)}
	for i := range 1000 {
		item[fmt.Sprint("unknown", i)] = true
	}
	config := widget("spec: {}")
	config.Object["spec"] = map[string]any{"env": []any{item}}
	res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Config: config, Manager: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(res.Err()); len(text) > 5<<20 || !strings.HasSuffix(text, "\n  582 more errors") {
		t.Errorf("%d bytes, %.200s ... %s", len(text), text, text[len(text)-200:])
	}
}

// set returns a function that sets a member of spec or metadata.
func set(parent, name string, value any) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) { u.Object[parent].(map[string]any)[name] = value }
}

// TestBodies tests the bodies of apply requests.
func TestBodies(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\n"
	tests := []struct {
		body   string
		fields crdkit.FieldValidation
		code   int
		text   string
	}{
		{body: head + "spec: {replicas: 1}"},
		{body: "[1]", code: 400, text: "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{body: "a: [", code: 400, text: "error encoding patch: yaml: line 1: did not find expected node content"},
		{body: head + "spec: {replicas: 1, replicas: 1}", code: 400, fields: crdkit.Strict, text: "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 4: key \"replicas\" already set in map"},
		{body: head + "spec: {replicas: 1, replicas: 1}", fields: crdkit.Ignore},
		{body: head + "spec: {replicas: 1}\nx: " + strings.Repeat("x", crdkit.MaxRequestBytes), code: 413, text: "Request entity too large: limit is 3145728"},
	}
	for _, tt := range tests {
		res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Body: []byte(tt.body), Manager: "m"}, tt.fields)
		if err != nil {
			t.Fatal(err)
		}
		if got := code(t, res); got != tt.code || got != 0 && !strings.Contains(res.Err().Error(), tt.text) {
			t.Errorf("%.80s: %d %v, want %d %s", tt.body, got, res.Err(), tt.code, tt.text)
		}
	}
}

// TestConflictBeforeFirstApply tests the values of a conflict with the manager that the server
// makes up for an object without managers.
func TestConflictBeforeFirstApply(t *testing.T) {
	live := widget("spec: {replicas: 1, env: [{name: A, protocol: TCP, value: x}]}")
	live.SetUID("u1")
	config := widget("spec: {replicas: 2, env: [{name: A, protocol: TCP, value: z}]}")
	res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: config, Manager: "deployer"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`.spec.replicas: 1, wanted 2, owned by "before-first-apply" (Update)`,
		`.spec.env[name="A",protocol="TCP"].value: "x", wanted "z", owned by "before-first-apply" (Update)`,
	}
	var got []string
	for _, c := range res.Conflicts {
		got = append(got, c.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
}

// TestHiddenChange tests applies that change stored metadata which no reader sees.
func TestHiddenChange(t *testing.T) {
	for name, config := range map[string]*unstructured.Unstructured{
		"finalizers":  widget("spec: {replicas: 1}"),
		"annotations": widget("spec: {replicas: 1}"),
	} {
		t.Run(name, func(t *testing.T) {
			live := applied(nil, "spec: {replicas: 1}", "m")
			config.Object["metadata"].(map[string]any)[name] = map[string]any{"finalizers": []any{}, "annotations": map[string]any{}}[name]
			res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: config, Manager: "m"})
			after := admitted(t, res, err)
			if _, found, _ := unstructured.NestedFieldNoCopy(after.Object, "metadata", name); found || res.Unchanged {
				t.Errorf("unchanged is %v, the object has the empty value: %v; want neither", res.Unchanged, found)
			}
		})
	}
}

// TestRepeatedKeys tests where in a request the server looks for repeated keys of its body.
func TestRepeatedKeys(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Widget\n"
	const good = head + "metadata: {name: w, namespace: default}\n"
	const stale = head + "metadata: {name: w, namespace: default, resourceVersion: '7'}\n"
	const twice = "spec: {mode: a, mode: a}\nspec: {mode: a, mode: a}"
	const complaint = "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 4: key \"mode\" already set in map\n  line 5: key \"mode\" already set in map\n  line 5: key \"spec\" already set in map"
	warnings := []string{`line 4: key "mode" already set in map`, `line 5: key "mode" already set in map`, `line 5: key "spec" already set in map`}
	live := applied(nil, "spec: {replicas: 1}", "other")
	live.SetResourceVersion("8")
	tests := map[string]struct {
		body, manager string
		fields        crdkit.FieldValidation
		created       bool
		code          int
		text          string
		warnings      []string
	}{
		"admitted":               {body: good + twice, warnings: warnings},
		"ignored":                {body: good + twice, fields: crdkit.Ignore},
		"strict":                 {body: good + twice, fields: crdkit.Strict, code: 400, text: complaint},
		"stale":                  {body: stale + twice, code: 409, text: "the object has been modified", warnings: warnings},
		"strict and stale":       {body: stale + twice, fields: crdkit.Strict, code: 400, text: complaint},
		"strict and a conflict":  {body: good + "spec: {replicas: 2, replicas: 2}", fields: crdkit.Strict, code: 409, text: "Apply failed with 1 conflict"},
		"a conflict":             {body: good + "spec: {replicas: 2, replicas: 2}", code: 409, text: "Apply failed with 1 conflict"},
		"an unknown field":       {body: good + "spec: {z: 2, z: 2}", code: 500, text: ".spec.z: field not declared in schema"},
		"strict and invalid":     {body: good + "spec: {mode: a, mode: a}\nstatus: {replicas: -1}\nspec: {replicas: 1}", fields: crdkit.Strict, code: 400, text: "error strict decoding patch"},
		"new with a uid":         {body: head + "metadata: {name: w, namespace: default, uid: u}\nspec: {mode: a, mode: a}", created: true, code: 409, text: "uid mismatch", warnings: []string{`line 4: key "mode" already set in map`}},
		"strict, new with a uid": {body: head + "metadata: {name: w, namespace: default, uid: u}\n" + twice, created: true, fields: crdkit.Strict, code: 400, text: complaint},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			object := live
			if tt.created {
				object = nil
			}
			var opts []crdkit.RequestOption
			if tt.fields != "" {
				opts = append(opts, tt.fields)
			}
			res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: object, Body: []byte(tt.body), Manager: "m"}, opts...)
			if err != nil {
				t.Fatal(err)
			}
			if got := code(t, res); got != tt.code || got != 0 && !strings.Contains(res.Err().Error(), tt.text) {
				t.Errorf("%d %v, want %d %s", got, res.Err(), tt.code, tt.text)
			}
			if diff := cmp.Diff(tt.warnings, res.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestConfigurationAsYAML tests JSON configurations that mean something else as YAML. The server
// reads them as YAML.
func TestConfigurationAsYAML(t *testing.T) {
	for name, tt := range map[string]struct {
		value, read string
		refused     string
	}{
		"a control character": {"a\u007fb", "", "error decoding patch: error converting YAML to JSON: yaml: control characters are not allowed"},
		"a C1 character":      {"a\u0080b", "", "error decoding patch: error converting YAML to JSON: yaml: control characters are not allowed"},
		"a next line":         {"a\u0085b", "a b", ""},
		"other text":          {"<é\u2028\t\x01>", "<é\u2028\t\x01>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			config := widget("spec: {}")
			config.Object["spec"] = map[string]any{"mode": tt.value}
			res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Config: config, Manager: "m"})
			if err != nil {
				t.Fatal(err)
			}
			if got := res.Err(); (got != nil) != (tt.refused != "") || got != nil && got.Error() != tt.refused {
				t.Fatalf("got %v, want %s", got, tt.refused)
			}
			if res.Object == nil {
				return
			}
			if got, _, _ := unstructured.NestedString(res.Object.Object, "spec", "mode"); got != tt.read {
				t.Errorf("the mode becomes %q, want %q", got, tt.read)
			}
		})
	}
}

// TestHostileManagers tests live objects with managedFields that are malformed or many.
func TestHostileManagers(t *testing.T) {
	entry := func(name, operation, version, fields string) string {
		return fmt.Sprintf(`{"manager":%q,"operation":%q,"apiVersion":%q,"fieldsType":"FieldsV1","time":"2020-01-01T00:00:00Z","fieldsV1":%s}`, name, operation, version, fields)
	}
	var many []string
	for i := range 3000 {
		many = append(many, entry(fmt.Sprint("m", i), "Update", "example.com/v1", `{"f:spec":{"f:replicas":{}}}`))
	}
	tests := map[string]struct {
		entries string
		code    int
		text    string // of the refusal, or of the error
	}{
		"none":                {``, 0, ""},
		"empty":               {`{}`, 500, "failed to decode managed fields: operation must be `Apply` or `Update`"},
		"malformed fields":    {entry("m", "Update", "example.com/v1", `{"x:spec":{}}`), 0, ""},
		"unknown operation":   {entry("m", "Patch", "example.com/v1", `{}`), 500, "failed to decode managed fields: operation must be `Apply` or `Update`"},
		"malformed key":       {entry("o", "Apply", "example.com/v1", `{"f:spec":{"v:{":{}}}`), 500, `failed to decode managed fields: error decoding versioned set from {o Apply example.com/v1 2020-01-01 00:00:00 +0000 UTC FieldsV1 {"f:spec":{"v:{":{}}} }: error decoding set: parsing key as path element: ReadMapCB: expect " after {, but found ` + "\x00" + `, error found in #1 byte of ...|{|..., bigger context ...|{|..., error found in #10 byte of ...|c":{"v:{":{}}}|..., bigger context ...|{"f:spec":{"v:{":{}}}|...`},
		"unknown version":     {entry("m", "Update", "example.com/v0", `{"f:spec":{}}`), 500, `request to convert CR to an invalid group/version: example.com/v0`},
		"other group":         {entry("m", "Update", "other/v1", `{"f:spec":{}}`), 500, `example.com/v1, Kind=Widget is unstructured and is not suitable for converting to "other/v1"`},
		"malformed time":      {strings.Replace(entry("m", "Update", "example.com/v1", `{"f:spec":{}}`), "2020-", "x", 1), -1, `apply: metadata.managedFields[0]: parsing time "x01-01T00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse "x01-01T00:00:00Z" as "2006"`},
		"thousands of owners": {strings.Join(many, ","), 0, ""},
		"no objects":          {`1,"x",null`, -1, `apply: metadata.managedFields[0] is no object`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			live := widget("spec: {replicas: 1}")
			var list []any
			if err := json.Unmarshal([]byte("["+tt.entries+"]"), &list); err != nil {
				t.Fatal(err)
			}
			live.Object["metadata"].(map[string]any)["managedFields"] = list
			before, start := encode(t, live), time.Now()
			res, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: widget("spec: {mode: fast}"), Manager: "m"})
			if (err != nil) != (tt.code < 0) {
				t.Fatal(err)
			}
			text := ""
			if err != nil {
				text = err.Error()
			} else if res.Err() != nil {
				text = res.Err().Error()
			}
			if text != tt.text {
				t.Errorf("%s, want %s", text, tt.text)
			}
			if err != nil {
				return
			}
			if got := code(t, res); got != tt.code {
				t.Errorf("code %d, want %d", got, tt.code)
			}
			if encode(t, live) != before || time.Since(start) > 10*time.Second {
				t.Errorf("the live object changed, or it took long: %v", time.Since(start))
			}
			if _, err := apply.Owners(live); err != nil && !strings.HasPrefix(err.Error(), "apply: ") {
				t.Errorf("Owners: %v", err)
			}
		})
	}
}

// TestTimes tests that times come from the clock, and that nothing but times does not
// change an object.
func TestTimes(t *testing.T) {
	live := applied(nil, "spec: {replicas: 1}", "deployer")
	old := strings.ReplaceAll(encode(t, live), "2024-01-02T12:00:00Z", "2031-05-06T07:08:09Z")
	if err := json.Unmarshal([]byte(old), live); err != nil {
		t.Fatal(err)
	}
	again, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: widget("spec: {replicas: 1}"), Manager: "deployer"})
	if err != nil || !again.Unchanged {
		t.Errorf("the same again: %v, unchanged %v", err, again.Unchanged)
	}
	if diff := cmp.Diff(live.Object, again.Object.Object); diff != "" {
		t.Errorf("(-live +again):\n%s", diff)
	}
	other := applied(live, "spec: {mode: fast}", "other")
	var got []string
	for _, entry := range other.GetManagedFields() {
		got = append(got, entry.Manager+" "+entry.Time.UTC().Format(time.RFC3339))
	}
	if diff := cmp.Diff([]string{"other 2024-01-02T12:00:00Z", "deployer 2031-05-06T07:08:09Z"}, got); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
}

// TestVersions tests that a manager at another version keeps what it owns.
func TestVersions(t *testing.T) {
	live := applied(nil, "spec: {replicas: 1, mode: fast}", "deployer")
	live.SetAPIVersion("example.com/v2")
	config := widget("spec: {replicas: 2}")
	config.SetAPIVersion("example.com/v2")
	res, err := appliers()["v2"].Apply(context.Background(), apply.Request{Live: live, Config: config, Manager: "other"})
	if err != nil || len(res.Conflicts) != 1 {
		t.Fatalf("%v, %v", err, res)
	}
	if got, want := res.Conflicts[0].String(), `.spec.replicas: 1, wanted 2, owned by "deployer" (Apply)`; got != want {
		t.Errorf("conflict %s, want %s", got, want)
	}
	if _, err := appliers()["v1"].Apply(context.Background(), apply.Request{Live: live, Config: config, Manager: "other"}); err == nil {
		t.Error("a live object at another version has no error")
	}
}

func TestNoVerdict(t *testing.T) {
	a, live := appliers()["v1"], applied(nil, "spec: {}", "m")
	ended, end := context.WithCancel(context.Background())
	end()
	for name, err := range map[string]error{
		"two sources":      second(a.Apply(context.Background(), apply.Request{Live: live, Config: live, Body: []byte("{}"), Manager: "m"})),
		"kubectl, status":  second(a.ApplyAsKubectl(context.Background(), apply.Request{Live: live, Config: live, Subresource: "status", Manager: "m"})),
		"a scale as text":  second(a.Apply(context.Background(), apply.Request{Live: live, Body: []byte("{}"), Subresource: "scale", Manager: "m"})),
		"no subresource":   second(a.Apply(context.Background(), apply.Request{Live: live, Config: live, Subresource: "stat", Manager: "m"})),
		"no live status":   second(a.Patch(context.Background(), apply.Request{Subresource: "status", Manager: "m"})),
		"a scale":          second(a.Update(context.Background(), live, apply.Request{Live: live, Subresource: "scale", Manager: "m"})),
		"no such update":   second(a.Update(context.Background(), live, apply.Request{Live: live, Subresource: "stat", Manager: "m"})),
		"no configuration": second(a.Apply(context.Background(), apply.Request{Live: live, Manager: "m"})),
		"no status object": second(a.Apply(context.Background(), apply.Request{Config: live, Manager: "m", Subresource: "status"})),
		"ended":            second(a.Apply(ended, apply.Request{Live: live, Config: widget("spec: {}"), Manager: "m"})),
		"no scale object":  second(a.UpdateScale(context.Background(), nil, nil, "m")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := a.Explain(context.Background(), apply.Request{Live: live, Config: live, Subresource: "status", Manager: "m"}); err == nil {
		t.Error("an explanation of a status: no error")
	}
	if _, err := apply.NewAll(nil, nil); err == nil {
		t.Error("no definition: no error")
	}
	res, err := a.UpdateScale(context.Background(), live, func(*autoscalingv1.Scale) error { return errors.New("mine") }, "m")
	if err != nil || code(t, res) != 500 {
		t.Errorf("an error of the caller: %v, %v", err, res)
	}
	for _, m := range []string{"", "m"} {
		if changed, err := apply.Migrate(live.DeepCopy(), m); changed || err != nil {
			t.Errorf("Migrate without the annotation: %v, %v", changed, err)
		}
	}
}

func second(_ *apply.Result, err error) error { return err }

func TestUnknownManager(t *testing.T) {
	res, err := appliers()["v1"].Create(context.Background(), widget("spec: {replicas: 1}"), "")
	if err != nil || res.Err() != nil {
		t.Fatal(err, res.Err())
	}
	if got := res.Object.GetManagedFields()[0].Manager; got != "unknown" {
		t.Errorf("the manager is %q", got)
	}
}

// TestApplyJSON tests that ApplyJSON answers like Apply.
func TestApplyJSON(t *testing.T) {
	a, ctx := appliers()["v1"], context.Background()
	const head = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"},"spec":`
	live, res, err := a.ApplyJSON(ctx, nil, apply.Request{Body: []byte(head + `{"replicas":1}}`), Manager: "deployer"})
	if err != nil || res.Err() != nil || !res.Created || res.Object != nil {
		t.Fatalf("a new object: %v, %v", err, res)
	}
	before := string(live)
	for body, want := range map[string]string{
		head + `{"replicas":1}}`:              "",
		head + `{"replicas":1,"replicas":1}}`: "",
		head + `{"replicas":2}}`:              "Apply failed with 1 conflict",
		head + `{"replicas":"x"}}`:            "failed to create typed patch object",
		`[`:                                   "error encoding patch",
	} {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(live); err != nil {
			t.Fatal(err)
		}
		other, err := a.Apply(ctx, apply.Request{Live: u, Body: []byte(body), Manager: "other"})
		if err != nil {
			t.Fatal(err)
		}
		got, res, err := a.ApplyJSON(ctx, live, apply.Request{Body: []byte(body), Manager: "other"})
		if err != nil || fmt.Sprint(res.Err()) != fmt.Sprint(other.Err()) || (want == "") != (res.Err() == nil) || want != "" && !strings.Contains(res.Err().Error(), want) {
			t.Errorf("%s: %v, %v, and Apply says %v", body, err, res.Err(), other.Err())
			continue
		}
		if diff := cmp.Diff(other.Warnings, res.Warnings); diff != "" {
			t.Errorf("%s: warnings (-yaml +json):\n%s", body, diff)
		}
		if want != "" {
			if got != nil {
				t.Errorf("%s: a refused apply has the bytes %s", body, got)
			}
		} else if string(got) != encode(t, other.Object) {
			t.Errorf("%s: got %s, want %s", body, got, encode(t, other.Object))
		}
	}
	if string(live) != before {
		t.Error("the live object changed")
	}
	for _, text := range []string{"", "[]", `{"kind":1}`, "null"} {
		if _, _, err := a.ApplyJSON(ctx, []byte(text), apply.Request{Body: []byte(head + `{}}`), Manager: "m"}); err == nil {
			t.Errorf("the live object %q has no error", text)
		}
	}
}
