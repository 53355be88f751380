package fastpath

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestAllocations: a request that is handled allocates the object that it returns, if the
// caller has no buffer for it.
func TestAllocations(t *testing.T) {
	const spec = `{type: object, required: [l], properties: {
		a: {type: integer, default: 1},
		l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {
			k: {type: string, pattern: "^[a-z0-9-]+$"}, v: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}}}}}}`
	p := mustPlan(t, rootSchema(t, `{type: object, properties: {status: {type: object}, spec: `+spec+`}}`), dropStatus)
	var b strings.Builder
	b.WriteString(head + `"spec":{"l":[`)
	for i := range 40 {
		b.WriteString(`{"v":5,"k":"key-` + strings.Repeat("x", i) + `"},`)
	}
	b.WriteString(`{"k":"last"}]}}`)
	raw := []byte(b.String())
	created, _ := p.Create(raw, &Request{})
	old := created.Object
	for name, test := range map[string]struct {
		do func(r *Request) (Result, bool)
	}{
		"create": {func(r *Request) (Result, bool) { return p.Create(raw, r) }},
		"update": {func(r *Request) (Result, bool) { return p.Update(raw, old, r) }},
		"status": {func(r *Request) (Result, bool) { return p.UpdateStatus(old, old, r) }},
	} {
		for of, buffer := range map[float64][]byte{1: nil, 0: make([]byte, 0, 2*len(raw))} {
			request := &Request{Buffer: buffer}
			allocs := testing.AllocsPerRun(100, func() {
				if _, ok := test.do(request); !ok {
					t.Fatal(name, "is declined")
				}
			})
			if allocs != of && !testkit.RaceDetector { // with which pools forget
				t.Errorf("%s, %v for the object: %v allocations", name, of, allocs)
			}
		}
	}
}

// TestMemory: the memory that a text takes is bounded by a multiple of its length, accepted or
// not.
func TestMemory(t *testing.T) {
	n := specSchema(t, `{type: object, properties: {
		s: {type: string}, set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
		any: {type: object, x-kubernetes-preserve-unknown-fields: true},
		l: {type: array, items: {type: object, properties: {a: {type: integer, default: 1}, b: {type: integer, default: 2}}}},
		r: {type: object, x-kubernetes-validations: [{rule: "true"}], x-kubernetes-preserve-unknown-fields: true}}}`)
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			if strings.Contains(format, "%") {
				fmt.Fprintf(&b, format, i)
			} else {
				b.WriteString(format)
			}
		}
		return b.String()
	}
	const times, fixed = 256, 1 << 16 // three bytes, {}, may take two defaults
	for name, spec := range map[string]string{
		"deep":      `{"any":` + strings.Repeat(`{"a":[`, 200) + strings.Repeat(`]}`, 200) + `}`,
		"too deep":  `{"any":` + strings.Repeat(`[`, 100_000),
		"unknown":   `{` + many(5000, `"u%d":1`) + `}`,
		"shuffled":  `{"any":{` + many(5000, `"%[1]d":[%[1]d]`) + `}}`,
		"set":       `{"set":[` + many(5000, `"v%d"`) + `]}`,
		"repeated":  `{"set":[` + many(5000, `"v"`) + `]}`,
		"defaults":  `{"l":[` + many(5000, `{}`) + `]}`,
		"nulls":     `{"l":[` + many(5000, `{"a":null}`) + `]}`,
		"escapes":   `{"s":"` + strings.Repeat(`\u0041<`, 5000) + `"}`,
		"for rules": `{"r":{` + many(5000, `"k%d":{"a":["b"]}`) + `}}`,
	} {
		raw := head + `"spec":` + spec + `}`
		p := mustPlan(t, n, func(c *Config) { // which has kept nothing yet
			c.Evaluate = func(context.Context, map[string]any, map[string]any) (uint64, bool) { return 0, true }
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p.Create([]byte(raw), &Request{Unknown: WarnOfUnknown})
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(times*len(raw)+fixed); got > most {
			t.Errorf("%s: %d bytes for a text of %d", name, got, len(raw))
		}
	}
}

// TestReleaseKeepsNoText: a walk that a later call uses does not refer to the texts of this
// call, whether it declines or not.
func TestReleaseKeepsNoText(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object, properties: {
		spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {o: {type: object, properties: {n: {type: integer, maximum: 9}}}, s: {type: array, x-kubernetes-list-type: set, items: {type: string}}}},
		status: {type: object, properties: {o: {type: object, properties: {n: {type: integer, maximum: 9}}}}}}}`), dropStatus)
	for _, tt := range []struct{ name, members, old string }{
		{"accepted", `"u":1,"spec":{"s":["one","two"],"u1":{"u2":[{"u3":1}]}}`, `"spec":{}`},
		{"a wrong value below undeclared fields", `"spec":{"u1":1,"o":{"u1":1,"u2":2,"n":99}}`, `"spec":{}`},
		{"a repeated key in an undeclared field", `"spec":{"u1":{"u2":{"u3":1,"u3":1}}}`, `"spec":{}`},
		{"a wrong element of a set", `"spec":{"s":["one","two",3]}`, `"spec":{}`},
		{"a status that is wrong and dropped", `"spec":{},"status":{"u1":1,"o":{"u1":1,"u2":2,"n":99}}`, `"spec":{}`},
		{"a wrong status of the old object", `"spec":{"u":1}`, `"spec":{},"status":{"o":{"u1":1,"u2":2,"n":99}}`},
	} {
		w := p.walk(object(head, tt.members), &Request{Unknown: WarnOfUnknown})
		w.update(object(head, tt.old))
		w.release()
		if slices.ContainsFunc(w.keys[:cap(w.keys)], func(s string) bool { return s != "" }) {
			t.Errorf("%s: keys are kept: %q", tt.name, w.keys[:cap(w.keys)])
		}
		if n := len(w.cut); n > 0 {
			t.Errorf("%s: %d members of texts are kept", tt.name, n)
		}
		if slices.ContainsFunc(w.steps[:cap(w.steps)], func(s step) bool { return s != step{} }) {
			t.Errorf("%s: steps are kept: %v", tt.name, w.steps[:cap(w.steps)])
		}
		if w.request != nil || w.s+w.otherMetadata+w.newStatus+w.meta.Name+w.oldMeta.Name != "" || w.unknown != nil || w.roots != nil {
			t.Errorf("%s: kept: %+v", tt.name, w.task)
		}
	}
}

// TestReleaseKeepsLittle: a walk that needs much memory is not used again.
func TestReleaseKeepsLittle(t *testing.T) {
	for size, want := range map[int]bool{1: true, maxKept: false} {
		p := mustPlan(t, specSchema(t, "{type: string}"))
		if _, ok := p.Create([]byte(head+`"spec":"`+strings.Repeat("x", size)+`"}`), &Request{}); !ok {
			t.Fatal("declined")
		}
		if kept := p.walks.Get() != nil; kept != want && !testkit.RaceDetector {
			t.Errorf("after a text of %d bytes the walk is kept: %t", size, kept)
		}
	}
}

// TestReleaseKeepsNoValues: released values refer to no text, also if they could not read one to
// its end.
func TestReleaseKeepsNoValues(t *testing.T) {
	for _, text := range []string{
		`{"a":["one",["two","three",["four"]],["five"]],"b":["six"]}`,
		`["one",["two"],"three","four","five",`,
		`{"a":["one",["two",["three",["four","five"]]]`,
	} {
		v := (&Plan{}).newValues()
		v.read(everything, text)
		v.release()
		for _, x := range append(v.stack[:cap(v.stack)], v.lists[:cap(v.lists)]...) {
			if x != nil {
				t.Errorf("%s: %v is kept", text, x)
			}
		}
		for _, m := range v.maps {
			if len(m) > 0 {
				t.Errorf("%s: the maps have %v", text, m)
			}
		}
	}
}

// TestSizes: the structs that a walk reads for every value stay small.
func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, most uintptr
	}{
		{"node", unsafe.Sizeof(node{}), 64},
		{"member", unsafe.Sizeof(member{}), 64},
		{"entry", unsafe.Sizeof(entry{}), entrySize},
	} {
		if tt.got > tt.most {
			t.Errorf("a %s takes %d bytes, at most %d are meant", tt.name, tt.got, tt.most)
		}
	}
}
