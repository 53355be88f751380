package fastpath

import (
	"testing"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/testkit/enginetest"
)

// TestReleaseKeepsNoText checks that the memory of a walk that a later call uses
// does not refer to the texts of this call, also if a ratchet has dropped a part of
// what the walk had noted, and if the sink has dropped edits.
func TestReleaseKeepsNoText(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{
		"spec":{"type":"object","properties":{"o":{"type":"object","properties":{"n":{"type":"integer","maximum":9}}},"d":{"type":"string","default":"d"},"s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}},
		"status":{"type":"object","properties":{"o":{"type":"object","properties":{"n":{"type":"integer","maximum":9}}}}}}}`))
	plan := Compile(n, Config{APIVersion: "example.com/v1", Kind: "Thing", DropStatus: true})
	const head = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},`
	for _, tt := range []struct{ name, text, old, status string }{
		{"a wrong value below undeclared fields", `"spec":{"o":{"u1":1,"u2":2,"n":99}}}`, `"spec":{}}`, ""},
		{"a wrong element of a set", `"spec":{"s":["one","two",3]}}`, "", ""},
		{"a forgiven value below undeclared fields", `"spec":{"u":1,"o":{"n":99}}}`, `"spec":{"o":{"n":99}}}`, ""},
		{"a wrong status that is dropped", `"spec":{},"status":{"u1":1,"o":{"u1":1,"u2":2,"n":99}}}`, `"spec":{}}`, ""},
		{"a wrong status of the old object", `"spec":{"u":1}}`, `"spec":{}}`, `{"o":{"u1":1,"u2":2,"n":99}}`},
	} {
		for _, splice := range []bool{false, true} {
			w := plan.walk()
			w.s = head + tt.text
			w.request = Request{Report: true, Splice: splice, Status: tt.status}
			if tt.old != "" {
				w.request.Ratchet = &Ratchet{Schema: correlate.New(n), Old: head + tt.old}
				w.request.Ratchet.begin(w.s, tt.status != "", nil)
			}
			w.run()
			w.release()
			for _, e := range w.edits[:cap(w.edits)] {
				if e != (textEdit{}) {
					t.Errorf("%s, splice %t: edits refer to %q%q", tt.name, splice, e.name, e.text)
				}
			}
			for _, e := range w.notes[:cap(w.notes)] {
				if e.name != "" {
					t.Errorf("%s, splice %t: notes refer to %q", tt.name, splice, e.name)
				}
			}
			for _, key := range w.keys[:cap(w.keys)] {
				if key != "" {
					t.Errorf("%s, splice %t: keys refer to %q", tt.name, splice, key)
				}
			}
		}
	}
}

// TestReleaseKeepsNoValues checks that released Values refer to no text, also if they
// could not read one to its end.
func TestReleaseKeepsNoValues(t *testing.T) {
	for _, text := range []string{
		`{"a":["one",["two","three",["four"]],["five"]],"b":["six"]}`,
		`["one",["two"],"three","four","five",`,
		`{"a":["one",["two",["three",["four","five"]]]`,
	} {
		v := (&Plan{}).Values(nil)
		v.read(everything, text)
		v.Release()
		for _, x := range v.stack[:cap(v.stack)] {
			if x != nil {
				t.Errorf("%s: the stack has %v", text, x)
			}
		}
		for _, x := range v.lists[:cap(v.lists)] {
			if x != nil {
				t.Errorf("%s: the lists have %v", text, x)
			}
		}
		for _, m := range v.maps {
			if len(m) > 0 {
				t.Errorf("%s: the maps have %v", text, m)
			}
		}
	}
}
