package fastpath_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// The walks decline the beginning of a text, wherever it ends, and whatever
// follows a text but white space.
func TestTruncated(t *testing.T) {
	const longest = 300
	for _, g := range groups(t) {
		cfg := testConfig
		cfg.DropStatus = g.Status
		plan := fastpath.Compile(compileGroup(t, &g), cfg)
		if plan == nil {
			continue
		}
		for _, c := range g.Cases {
			raw := g.object(c.In)
			if c.Declined || len(raw) > longest {
				continue
			}
			for _, r := range []fastpath.Request{{}, {Splice: true}, {Report: true}, {Splice: true, Report: true, Create: true}, {Create: true}} {
				if !accepts(plan, raw+" \n", r) {
					t.Errorf("%s with white space after it is declined (%+v)", raw, r)
				}
				for _, after := range []string{"x", "}", ",", "{}", "\u00a0"} {
					if accepts(plan, raw+after, r) {
						t.Errorf("%s is accepted (%+v)", raw+after, r)
					}
				}
				for end := range raw {
					if accepts(plan, raw[:end], r) {
						t.Errorf("%s is accepted (%+v)", raw[:end], r)
					}
				}
			}
			for end := range raw {
				if _, ok := plan.Document(raw[:end]); ok {
					t.Errorf("%s is a document", raw[:end])
				}
			}
		}
	}
}

func accepts(plan *fastpath.Plan, raw string, r fastpath.Request) bool {
	out, ok := plan.JSON(raw, &r)
	if ok {
		out.Release()
	}
	return ok
}

func TestDocument(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {status: {type: object, properties: {x: {type: string}}}}}`}), testConfig)
	for _, tt := range []struct {
		text   string
		ok     bool
		status string
	}{
		{head + `"a":1}`, true, ""},
		{" \n" + head + `"a":1} `, true, ""},
		{head + `"status":{"x":"1"}}`, true, `{"x":"1"}`},
		{head + `"status": null }`, true, "null"},
		{head + `"a":1,"a":1}`, false, ""},
		{head + `"a":1,"kind":"Thing"}`, false, ""},
		{head + `"a":1,"Kind":"Thing"}`, false, ""},
		{head + `"a":1} x`, false, ""},
		{`{"apiVersion":"example.com/v1","kind":"Thing"}`, false, ""},
		{`{"apiVersion":"example.com/v1","kind":"Thing","metadata":null}`, false, ""},
		{`{"apiVersion":"example.com/v1","kind":"Thing","metadata":[]}`, false, ""},
		{`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"a":1,"a":1}}`, false, ""},
		{`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{}}`, true, ""},
		{`{"apiVersion":"example.com/v1","kind":"Other","metadata":{}}`, false, ""},
		{`{"apiVersion":"example.com/v2","kind":"Thing","metadata":{}}`, false, ""},
		{`{"kind":"Thing","metadata":{}}`, false, ""},
		{`{"apiVersion":"example.com/v1","metadata":{}}`, false, ""},
		{`{}`, false, ""}, {`[]`, false, ""}, {`x`, false, ""}, {``, false, ""}, {`null`, false, ""},
	} {
		d, ok := plan.Document(tt.text)
		var metadata map[string]any
		if ok {
			metadata, ok = d.DecodeMetadata(nil)
		}
		if ok != tt.ok || ok && d.Status != tt.status {
			t.Errorf("Document(%s) has status %q, %t; want %q, %t", tt.text, d.Status, ok, tt.status, tt.ok)
		}
		if !ok {
			continue
		}
		whole, _ := jsonscan.Decode(tt.text[jsonscan.Space(tt.text, 0):])
		if diff := cmp.Diff(whole.(map[string]any)["metadata"], any(metadata)); diff != "" {
			t.Errorf("metadata of %s (-want +got):\n%s", tt.text, diff)
		}
	}
	for status, want := range map[string]bool{"": true, `{}`: true, `{"x":"1"}`: true, `{"y":"1"}`: false, "null": false, `{"x":null}`: false, "[]": false, `{"x":1.0}`: false, "{": false} {
		if got := plan.KeepsStatus(status, nil); got != want {
			t.Errorf("KeepsStatus(%s) = %t", status, got)
		}
	}
}

// documents are members of objects, some of which are equal.
var documents = []string{
	`"a":1}`, ` "a" : 1 }`, `"a":2}`, `"a":1,"b":{"c":[1,"x"],"d":null}}`, `"b":{"d":null,"c":[1,"\u0078"]},"a":1}`, `"b":{"c":[1,"x"]},"a":1}`, `"b":{"c":["x",1],"d":null},"a":1}`,
	`"b":1}`, `"status":{"x":"1"}}`, `"status":{"x":"2"},"a":1}`, `"a":1,"status":{ "x" : "1" }}`, `"spec":{}}`, `"spec":{"d":"x"}}`, `"spec":{"d":"\u0078"}}`, `"spec":{"d":"y"}}`,
	`"spec":{"u":1,"d":"x"},"status":{"x":"1"}}`, `"spec":{"d":null}}`, `"spec":{"u":1},"status":{"x":"1"}}`,
	`"spec":{"d":"x","unknown":1}}`, `"spec":{"unknown":1},"a":1}`,
}

func without(v any, names ...string) map[string]any {
	m := jsonval.Clone(v).(map[string]any)
	for _, name := range names {
		delete(m, name)
	}
	return m
}

// TestSame compares the comparisons of texts with that of values.
func TestSame(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {
		status: {type: object, x-kubernetes-preserve-unknown-fields: true}, spec: {type: object, properties: {d: {type: string, default: x}}}}}`}), testConfig)
	decode := func(text string) any {
		v, ok := jsonscan.Decode(text)
		if !ok {
			t.Fatalf("%s is no JSON", text)
		}
		return v
	}
	equal := 0
	for _, a := range documents {
		for _, b := range documents {
			a, b := head+a, `{"metadata":{"name":"b"},"kind":"Thing","apiVersion":"example.com/v1",`+b
			old, ok := plan.Document(b)
			next, nextOK := plan.Document(a)
			if !ok || !nextOK {
				t.Fatalf("%s or %s is no document", a, b)
			}
			if got, want := plan.SameOutsideStatus(next, old, nil), jsonval.Equal(without(decode(a), "metadata", "status"), without(decode(b), "metadata", "status")); got != want {
				t.Errorf("SameOutsideStatus(%s, %s) = %t", a, b, got)
			}
			for _, splice := range []bool{false, true} {
				out, ok := plan.JSON(a, &fastpath.Request{Splice: splice})
				if !ok {
					t.Fatalf("%s is declined", a)
				}
				same, ok := out.SameAs(old)
				want := jsonval.Equal(without(decode(out.Text()), "metadata"), without(decode(b), "metadata"))
				if same != want || !ok {
					t.Errorf("%s is the same as %s: %t, %t (splice %t)", a, b, same, ok, splice)
				}
				if want {
					equal++
				}
				out.Release()
			}
		}
	}
	if equal < 2*len(documents) {
		t.Errorf("only %d pairs are equal: the test says little", equal)
	}
	for _, pair := range [][2]string{{"1.0", "1"}, {"[1.0]", "[1]"}, {`{"a":1,"a":1}`, `{"a":1}`}, {"x", "y"}, {"", "1"}} {
		if plan.SameValue(pair[0], pair[1], nil) || plan.SameValue(pair[1], pair[0], nil) {
			t.Errorf("%s and %s are the same, although this cannot be told", pair[0], pair[1])
		}
	}
}

// A member that is removed after one in which something is removed does not count as
// a part of it.
func TestSameBeforeRemovedMembers(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {spec: {type: object, properties: {d: {type: string}}}}}`}), testConfig)
	old, ok := plan.Document(head + `"spec":{"d":"x"}}`)
	if !ok {
		t.Fatal("the old object is no document")
	}
	for text, want := range map[string]bool{
		`"spec":{"d":"x","u":1},"v":2}`:       true,
		`"v":2,"spec":{"u":1,"d":"x"}}`:       true,
		`"v":2,"spec":{"d":"x"},"w":[1]}`:     true,
		`"spec":{"d":"y","u":1},"v":2}`:       false,
		`"spec":{"u":1},"v":{"d":"x"}}`:       false,
		`"spec":{"d":"x"},"v":2,"w":{"z":1}}`: true,
	} {
		for _, splice := range []bool{false, true} {
			out, ok := plan.JSON(head+text, &fastpath.Request{Splice: splice})
			if !ok {
				t.Fatalf("%s is declined", text)
			}
			if same, ok := out.SameAs(old); same != want || !ok {
				t.Errorf("%s is the same: %t, %t (splice %t)", text, same, ok, splice)
			}
			out.Release()
		}
	}
}

// A plan for updates of the status keeps and validates the status alone. It still
// finds the undeclared fields elsewhere.
func TestOnlyStatus(t *testing.T) {
	cfg := testConfig
	cfg.OnlyStatus = true
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, required: [spec], properties: {
		spec: {type: object, required: [x], properties: {x: {type: string}, l: {type: array, items: {type: object, properties: {y: {type: string}}}}}},
		status: {type: object, properties: {c: {type: integer, default: 1}}}}}`}), cfg)
	for _, tt := range []struct {
		in, out string // members; "" if they are declined
		unknown []string
	}{
		{`"spec":{"x":5},"status":{"c":2}`, `"status":{"c":2}`, nil},
		{`"status":{}`, `"status":{"c":1}`, nil},
		{`"status":{"u":1},"spec":{"v":1,"l":[{},{"w":2}]},"z":1`, `"status":{"c":1}`, []string{"spec.l[1].w", "spec.v", "status.u", "z"}},
		{`"status":{"c":"text"}`, "", nil},
	} {
		for _, splice := range []bool{false, true} {
			out, ok := plan.JSON(head+tt.in+"}", &fastpath.Request{Splice: splice, Report: true})
			if ok != (tt.out != "") {
				t.Errorf("%s: accepted is %t", tt.in, ok)
			}
			if !ok {
				continue
			}
			if got, want := out.Text(), head2+tt.out+"}"; !splice && got != want {
				t.Errorf("%s: output %s, want %s", tt.in, got, want)
			}
			if diff := cmp.Diff(tt.unknown, out.Unknown("", "")); diff != "" {
				t.Errorf("%s: unknown fields (-want +got):\n%s", tt.in, diff)
			}
			out.Release()
		}
	}
}

// Long lists are hashed. Each size of the table finds equal elements, and none that
// are not there.
func TestLongLists(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {
		set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
		map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}}}`}), testConfig)
	for _, n := range []int{1, 2, 12, 13, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 200, 256, 300, 600} {
		for member, form := range map[string]string{"set": `"e%d"`, "map": `{"k":"e%d"}`} {
			for _, again := range []int{-1, 0, n / 2, n - 1} {
				elements := make([]string, n, n+1)
				for i := range elements {
					elements[i] = fmt.Sprintf(form, i)
				}
				if again >= 0 {
					elements = append(elements, elements[again])
				}
				raw := head + `"` + member + `":[` + strings.Join(elements, ",") + "]}"
				for _, splice := range []bool{false, true} {
					if got := accepts(plan, raw, fastpath.Request{Splice: splice}); got != (again < 0) {
						t.Errorf("%s of %d elements, %d repeated: accepted is %t (splice %t)", member, n, again, got, splice)
					}
				}
				v, _ := jsonscan.Decode(raw)
				if _, got := plan.Map(v.(map[string]any), fastpath.MapRequest{}); got != (again < 0) {
					t.Errorf("%s of %d elements, %d repeated: accepted is %t as a map", member, n, again, got)
				}
			}
		}
	}
}

// Depth counts what lies in one another, and not what lies side by side.
func TestManySiblings(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {
		l: {type: array, items: {type: array, items: {type: integer}}}, o: {type: array, items: {type: object, properties: {a: {type: integer}}}},
		p: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`}), testConfig)
	for _, element := range []string{`"l":[[1]`, `"o":[{"a":1}`, `"p":{"x":[[1]`, `"p":{"x":[{"a":1}`} {
		start := strings.IndexByte(element, '[') + 1
		raw := head + element + strings.Repeat(","+element[start:], 1000) + "]" + strings.Repeat("}", strings.Count(element[:start], "{")) + "}"
		for _, splice := range []bool{false, true} {
			if !accepts(plan, raw, fastpath.Request{Splice: splice, Report: true}) {
				t.Errorf("1000 times %s is declined (splice %t)", element, splice)
			}
		}
	}
}
