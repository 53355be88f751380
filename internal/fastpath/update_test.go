package fastpath

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// withMetadata returns a head with these members of the metadata besides the name.
func withMetadata(members string) string {
	return strings.Replace(head, `"name":"a"`, strings.TrimSuffix(`"name":"a",`+members, ","), 1)
}

// withoutMetadata decodes an object.
func withoutMetadata(t *testing.T, text string) (obj, metadata map[string]any) {
	t.Helper()
	v, ok := jsonscan.Decode(text)
	if !ok {
		t.Fatalf("%s is no JSON", text)
	}
	obj = v.(map[string]any)
	metadata = obj["metadata"].(map[string]any)
	delete(obj, "metadata")
	return obj, metadata
}

// TestUpdateCountsGenerations replaces each object by each other one. An update that changes
// more than metadata counts.
func TestUpdateCountsGenerations(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {
		status: {type: object, x-kubernetes-preserve-unknown-fields: true}, spec: {type: object, properties: {d: {type: string, default: x}}}}}`))
	objects := []string{
		`"a":1`, ` "a" : 1 `, `"a":2`, `"a":1,"b":{"c":[1,"x"],"d":null}`, `"b":{"d":null,"c":[1,"\u0078"]},"a":1`, `"b":{"c":[1,"x"]},"a":1`, `"b":{"c":["x",1],"d":null},"a":1`,
		`"b":1`, `"status":{"x":"1"}`, `"status":{"x":"2"},"a":1`, `"a":1,"status":{ "x" : "1" }`, `"spec":{}`, `"spec":{"d":"x"}`, `"spec":{"d":"\u0078"}`, `"spec":{"d":"y"}`,
		`"spec":{"u":1,"d":"x"},"status":{"x":"1"}`, `"spec":{"d":null}`, `"spec":{"u":1},"status":{"x":"1"}`, `"spec":{"d":"x","unknown":1}`, `"spec":{"unknown":1},"a":1`, ``,
	}
	equal := 0
	for _, a := range objects {
		for _, b := range objects {
			old := object(withMetadata(`"labels":{"a":"b"},"generation":5`), b)
			got, ok := p.update(object(head, a), old, WarnOfUnknown)
			if !ok {
				t.Fatalf("%s over %s is declined: %t", a, b, ok)
			}
			want := int64(6)
			stored, metadata := withoutMetadata(t, got)
			if before, _ := withoutMetadata(t, old); jsonval.Equal(stored, before) {
				want = 5
				equal++
			}
			if metadata["generation"] != want || metadata["labels"] != nil {
				t.Errorf("%s over %s becomes %s", a, b, got)
			}
		}
	}
	if equal <= len(objects) {
		t.Errorf("only %d pairs are equal: the test says little", equal)
	}
}

// TestUpdateKeepsStatus: if status is a subresource, an update keeps the old one.
func TestUpdateKeepsStatus(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object, properties: {a: {type: integer}, status: {type: object, default: {}, properties: {x: {type: string}}}, z: {type: integer}}}`), dropStatus)
	for _, tt := range []struct{ members, old, want string }{
		{`"a":1`, `"a":1,"status":{"x":"1"}`, `"a":1|"status":{"x":"1"}`},
		{`"status":{"x":"2"},"z":1`, `"status":{ "x" : "1" },"z":1`, `|"status":{"x":"1"},"z":1`},
		{`"z":1,"status":{"x":"5","u":1}`, `"z":1,"status":{"x":"1"}`, `|"status":{"x":"1"},"z":1`},
		{`"status":{"x":"2"},"z":1`, `"z":1`, `|"z":1`},
		{`"z":1`, `"z":1`, `|"z":1`},
		{`"status":null,"z":1`, `"status":{},"z":1`, `|"status":{},"z":1`},
	} {
		before, after, _ := strings.Cut(tt.want, "|")
		want := strings.TrimSuffix(`{`+before+`,`, ",") + "," + withMetadata("")[1:]
		if before == "" {
			want = withMetadata("")
		}
		got, ok := p.update(object(head, tt.members), object(head, tt.old), DropUnknown)
		if want = object(want, after); got != want {
			t.Errorf("%s over %s becomes %s (%t), want %s", tt.members, tt.old, got, ok, want)
		}
	}
}

// TestOldObjects: an old object that [Plan.Update] cannot cut into members is declined.
func TestOldObjects(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object, x-kubernetes-preserve-unknown-fields: true}`))
	for old, want := range map[string]bool{
		head + `"u":1}`:                                                  true,
		" \n" + head + `"u":1} `:                                         true,
		withMetadata(`"other":1`) + `"u":1}`:                             false,
		withMetadata(`"name":"a"`) + `"u":1}`:                            false,
		strings.Replace(head, `{"name":"a"}`, `{}`, 1) + `"u":1}`:        false,
		head + `"u":1,"u":1}`:                                            false,
		head + `"u":1.0}`:                                                false,
		head + `"u":1,"kind":"Thing"}`:                                   false,
		head + `"u":1,"Kind":"Thing"}`:                                   false,
		head + `"u":1} x`:                                                false,
		`{"apiVersion":"example.com/v1","kind":"Thing"}`:                 false,
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":null}`: false,
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":[]}`:   false,
		strings.Replace(head, "Thing", "Other", 1) + `"u":1}`:            false,
		strings.Replace(head, "v1", "v2", 1) + `"u":1}`:                  false,
		`{"kind":"Thing","metadata":{"name":"a"}}`:                       false,
		`{"apiVersion":"example.com/v1","metadata":{"name":"a"}}`:        false,
		`{}`: false, `[]`: false, `x`: false, ``: false, `null`: false,
	} {
		if got, ok := p.update(object(head, `"u":1`), old, WarnOfUnknown); ok != want || ok && got != object(head, `"u":1`) {
			t.Errorf("over %s: %s, %t, want %t", old, got, ok, want)
		}
	}
}

// TestUpdateRequests: the namespace of the request, and updates whose objects must have the
// same resource version.
func TestUpdateRequests(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object}`), func(c *Config) { c.Namespaced = true })
	for _, tt := range []struct {
		new, old, want string // members of metadata; want is "" if the update is declined
		request        Request
	}{
		{`"namespace":"n"`, `"namespace":"n"`, `"namespace":"n"`, Request{}},
		{``, `"namespace":"n"`, `"namespace":"n"`, Request{Namespace: "n"}},
		{`"namespace":"m"`, `"namespace":"n"`, ``, Request{}},
		{`"namespace":"n"`, `"namespace":"n"`, ``, Request{Namespace: "m"}},
		{`"namespace":"n","resourceVersion":"1"`, `"namespace":"n","resourceVersion":"1"`, `"namespace":"n","resourceVersion":"1"`, Request{SameVersion: true}},
		{`"namespace":"n"`, `"namespace":"n","resourceVersion":"1"`, `"namespace":"n","resourceVersion":"1"`, Request{}},
		{`"namespace":"n"`, `"namespace":"n","resourceVersion":"1"`, ``, Request{SameVersion: true}},
	} {
		tt.request.Buffer = []byte("> ")
		res, ok := p.Update([]byte(object(withMetadata(tt.new), "")), []byte(object(withMetadata(tt.old), "")), &tt.request)
		if want := "> " + object(withMetadata(tt.want), ""); ok != (tt.want != "") || ok && string(res.Object) != want {
			t.Errorf("%s over %s: %s, %t", tt.new, tt.old, res.Object, ok)
		}
	}
}

// TestWarnings: undeclared fields come first, in the order of their paths, and then finalizers
// that the old object does not have.
func TestWarnings(t *testing.T) {
	p := mustPlan(t, specSchema(t, `{type: object, properties: {l: {type: array, items: {type: object}}}}`))
	raw := object(withMetadata(`"finalizers":["x"]`), `"z":1,"spec":{"u":1,"l":[{},{"b":2,"a":1}]},"a":1`)
	fields := []string{`unknown field "a"`, `unknown field "spec.l[1].a"`, `unknown field "spec.l[1].b"`, `unknown field "spec.u"`, `unknown field "z"`}
	const finalizer = `metadata.finalizers: "x": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`
	created, _ := p.Create([]byte(raw), &Request{Unknown: WarnOfUnknown})
	if diff := cmp.Diff(append(fields, finalizer), created.Warnings); diff != "" {
		t.Errorf("create (-want +got):\n%s", diff)
	}
	updated, _ := p.Update([]byte(raw), created.Object, &Request{Unknown: WarnOfUnknown})
	if diff := cmp.Diff(fields, updated.Warnings); diff != "" {
		t.Errorf("update (-want +got):\n%s", diff)
	}
}

// TestWarningsAfterStatus: what follows a status that is dropped has its own path.
func TestWarningsAfterStatus(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object, properties: {status: {type: object}}}`), dropStatus)
	res, _ := p.Create([]byte(object(head, `"status":{"u":1},"z":1`)), &Request{Unknown: WarnOfUnknown})
	if diff := cmp.Diff([]string{`unknown field "status.u"`, `unknown field "z"`}, res.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestUniqueItems: uniqueItems also concerns a list that nothing else restricts.
func TestUniqueItems(t *testing.T) {
	p := mustPlan(t, specSchema(t, `{type: array, uniqueItems: true, items: {type: object, properties: {a: {type: integer}}}}`))
	for spec, want := range map[string]bool{`[{"a":1},{"a":2}]`: true, `[{"a":1},{"a":1}]`: false} {
		if _, ok := p.Create([]byte(object(head, `"spec":`+spec)), &Request{}); ok != want {
			t.Errorf("%s is accepted: %t", spec, ok)
		}
	}
}

// TestIncompleteStatus: a status that is dropped may lack required members, as it is dropped
// before the server validates; what follows it may not.
func TestIncompleteStatus(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object, properties: {
		status: {type: object, required: [c], properties: {c: {type: object, required: [x], properties: {x: {type: string}}}}},
		z: {type: object, required: [x], properties: {x: {type: string}}}}}`), dropStatus)
	for _, tt := range []struct {
		members string
		takes   bool
	}{
		{`"status":{}`, true},
		{`"status":{"u":{},"c":{}},"z":{"x":""}`, true},
		{`"status":{"c":{}},"z":{}`, false},
	} {
		res, ok := p.Create([]byte(object(head, tt.members)), &Request{Unknown: DropUnknown})
		if ok != tt.takes || strings.Contains(string(res.Object), "status") {
			t.Errorf("%s: taken %t, want %t: %s", tt.members, ok, tt.takes, res.Object)
		}
	}
}

// TestUpdateStatus: an update of the status takes nothing but the status of what is sent, and
// declines an object that differs in more.
func TestUpdateStatus(t *testing.T) {
	n := rootSchema(t, `{type: object, required: [spec], properties: {
		spec: {type: object, required: [x], properties: {x: {type: string}, d: {type: integer, default: 7}, l: {type: array, items: {type: object, properties: {y: {type: string}}}}}},
		status: {type: object, properties: {c: {type: integer, default: 1}}}}}`)
	p := mustPlan(t, n, dropStatus)
	oldHead := withMetadata(`"labels":{"k":"v"},"resourceVersion":"3","generation":5`)
	stored := strings.Replace(head, `"name":"a"`, `"generation":5,"labels":{"k":"v"},"name":"a","resourceVersion":"3"`, 1)
	const spec = `"spec":{"d":7,"x":"a"}`
	for _, tt := range []struct {
		sent, old, want string // members besides the head; no want if it is declined
		unknown         []string
	}{
		{spec + `,"status":{"c":2}`, spec, spec + `,"status":{"c":2}`, nil},
		{`"status":{}`, spec + `,"status":{"c":3}`, spec + `,"status":{"c":1}`, nil},
		{spec, spec + `,"status":{"c":3}`, spec, nil},
		{`"status":{"u":1},` + spec, spec, spec + `,"status":{"c":1}`, []string{"status.u"}},
		{spec + `,"status":{"c":2}`, spec + `,"status":{"c":"wrong","c":1}`, spec + `,"status":{"c":2}`, nil},
		{`"spec":{"x":5},"status":{"c":2}`, spec, "", nil},
		{`"status":{"c":2},"z":1`, spec, "", nil},
		{`"status":{"c":2},"z":1`, spec + `,"z":1`, "", nil},
		{`"status":{"c":"text"}`, spec, "", nil},
		{`"status":null`, spec + `,"status":{"c":3}`, "", nil},
		{`"status":{"c":2}`, `"spec":{"x":"a"}`, "", nil},
		{`"status":{"c":2}`, `"spec":{"d":7,"u":1,"x":"a"}`, "", nil},
		{`"status":{"c":2}`, `"spec":{"d":7}`, "", nil},
	} {
		res, ok := p.UpdateStatus([]byte(object(head, tt.sent)), []byte(object(oldHead, tt.old)), &Request{Unknown: WarnOfUnknown})
		if ok != (tt.want != "") || ok && string(res.Object) != object(stored, tt.want) {
			t.Errorf("%s over %s becomes %s (%t), want %s", tt.sent, tt.old, res.Object, ok, tt.want)
		}
		var unknown []string
		for _, path := range tt.unknown {
			unknown = append(unknown, `unknown field "`+path+`"`)
		}
		if diff := cmp.Diff(unknown, res.Warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", tt.sent, diff)
		}
	}
	if _, ok := p.UpdateStatus([]byte(object(strings.Replace(head, `"a"`, `"b"`, 1), `"status":{}`)), []byte(object(oldHead, spec)), &Request{}); ok {
		t.Error("the status of another object is accepted")
	}
	for schema, want := range map[string]bool{`{type: object}`: true, `{type: object, default: {}}`: false} {
		p := mustPlan(t, rootSchema(t, `{type: object, properties: {status: `+schema+`}}`), dropStatus)
		without := []byte(object(head, ""))
		if _, ok := p.UpdateStatus(without, without, &Request{}); ok != want {
			t.Errorf("no status of %s is accepted: %t", schema, ok)
		}
	}
}

// TestRulesOfUpdates: rules that need the old object get both objects as a whole. Others get
// what they read of the new one.
func TestRulesOfUpdates(t *testing.T) {
	n := rootSchema(t, `{type: object, properties: {spec: {type: object, properties: {a: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}, b: {type: integer}}}, status: {type: object, properties: {c: {type: integer}}}}}`)
	for needsOld, want := range map[bool]string{
		true:  `{"a":2,"b":2} null over {"a":1,"b":1} null; {"a":1,"b":1} {"c":2} over {"a":1,"b":1} null; `,
		false: `{"a":2} null over null null; {"a":1} null over null null; `,
	} {
		var got strings.Builder
		p := mustPlan(t, n, dropStatus, func(c *Config) {
			c.NeedsOld = needsOld
			c.Evaluate = func(_ context.Context, obj, old map[string]any) (uint64, bool) {
				for i, x := range []any{obj["spec"], obj["status"], old["spec"], old["status"]} {
					got.Write(testkit.Encode(x))
					got.WriteString([]string{" ", " over ", " ", "; "}[i])
				}
				return 1, true
			}
		})
		update, ok := p.Update([]byte(object(head, `"spec":{"a":2,"b":2}`)), []byte(object(head, `"spec":{"a":1,"b":1}`)), &Request{})
		status, okStatus := p.UpdateStatus([]byte(object(head, `"status":{"c":2}`)), []byte(object(head, `"spec":{"a":1,"b":1}`)), &Request{})
		if !ok || !okStatus || update.Cost != 1 || status.Cost != 1 || got.String() != want {
			t.Errorf("%t, %t: rules get %s, want %s", ok, okStatus, got.String(), want)
		}
		if _, ok := p.Update([]byte(object(head, "")), []byte(object(head, `"spec":{"b":1,"b":1}`)), &Request{}); ok == needsOld {
			t.Errorf("an old object that repeats a member is true, although rules need the old object: %t", needsOld)
		}
	}
}
