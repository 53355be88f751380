package fastpath_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/schema"
)

// A walk that ratchets proposes the innermost wrong value first and then the
// values around it, but not the whole object. A value that it may keep must be one that pruning, dropping
// nulls and defaulting would not change.
func TestRatchet(t *testing.T) {
	const spec = `{type: object, properties: {
		a: {type: object, properties: {b: {type: string, maxLength: 1}, c: {type: integer, default: 1}, n: {type: string}, u: {type: string, nullable: true}}},
		e: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true},
		f: {type: number, maximum: 1},
		k: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: string, maxLength: 1}}},
		l: {type: array, items: {type: string, maxLength: 1, default: d}},
		m: {type: object, additionalProperties: {type: string, maxLength: 1}},
		p: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string, maxLength: 1}}}},
		q: {type: array, x-kubernetes-list-type: set, items: {type: string}, maxItems: 1},
		x: {type: object, additionalProperties: false, properties: {}, maxProperties: 1},
		w: {type: object, maxProperties: 1, properties: {i: {type: integer}, j: {type: integer}}}}}`
	for _, tt := range []struct {
		name, in   string
		forgive    string   // the path of the value that is forgiven
		typed      bool     // Ratchet.Typed
		candidates []string // paths, in order
		out        string   // "" if the object is declined
	}{
		{name: "a scalar", in: `{"a":{"b":"xx","c":2}}`, forgive: "spec.a.b", candidates: []string{"spec.a.b"}, out: `{"a":{"b":"xx","c":2}}`},
		{name: "a scalar of a wrong type", in: `{"a":{"b":5,"c":2}}`, forgive: "spec.a.b", candidates: []string{"spec.a.b"}, out: `{"a":{"b":5,"c":2}}`},
		{name: "a scalar of a wrong type, and all have to be typed", in: `{"a":{"b":5,"c":2}}`, forgive: "spec.a.b", typed: true, candidates: []string{"spec.a.b", "spec.a", "spec"}},
		{name: "the object around it", in: `{"a":{"b":"xx","c":2}}`, forgive: "spec.a", candidates: []string{"spec.a.b", "spec.a"}, out: `{"a":{"b":"xx","c":2}}`},
		{name: "nothing", in: `{"a":{"b":"xx","c":2}}`, candidates: []string{"spec.a.b", "spec.a", "spec"}},
		{name: "an object with an undeclared field", in: `{"a":{"b":"xx","c":2,"z":1}}`, forgive: "spec.a", candidates: []string{"spec.a.b", "spec.a", "spec"}},
		{name: "an object without a default", in: `{"a":{"b":"xx"}}`, forgive: "spec.a", candidates: []string{"spec.a.b", "spec.a", "spec"}},
		{name: "an object with a null to drop", in: `{"a":{"b":"xx","c":2,"n":null}}`, forgive: "spec.a", candidates: []string{"spec.a.b", "spec.a", "spec"}},
		{name: "an object with a null that a default replaces", in: `{"a":{"b":"xx","c":null}}`, forgive: "spec.a", candidates: []string{"spec.a.b", "spec.a", "spec"}},
		{name: "an object with a null that stays", in: `{"a":{"b":"xx","c":2,"u":null}}`, forgive: "spec.a", candidates: []string{"spec.a.b", "spec.a"}, out: `{"a":{"b":"xx","c":2,"u":null}}`},
		{name: "a scalar beside an undeclared field", in: `{"a":{"b":"xx","c":2,"z":1}}`, forgive: "spec.a.b", candidates: []string{"spec.a.b"}, out: `{"a":{"b":"xx","c":2}}`},
		{name: "an element", in: `{"l":["a","bb","c"]}`, forgive: "spec.l[1]", candidates: []string{"spec.l[1]"}, out: `{"l":["a","bb","c"]}`},
		{name: "a list", in: `{"l":["a","bb","c"]}`, forgive: "spec.l", candidates: []string{"spec.l[1]", "spec.l"}, out: `{"l":["a","bb","c"]}`},
		{name: "a list with a null that a default replaces", in: `{"l":["a","bb",null]}`, forgive: "spec.l", candidates: []string{"spec.l[1]", "spec.l", "spec"}},
		{name: "the entry of a map", in: `{"m":{"a":"1","b":"22"}}`, forgive: "spec.m.b", candidates: []string{"spec.m.b"}, out: `{"m":{"a":"1","b":"22"}}`},
		{name: "a map", in: `{"m":{"a":"1","b":"22"}}`, forgive: "spec.m", candidates: []string{"spec.m.b", "spec.m"}, out: `{"m":{"a":"1","b":"22"}}`},
		{name: "a map with a null to drop", in: `{"m":{"a":null,"b":"22"}}`, forgive: "spec.m", candidates: []string{"spec.m.b", "spec.m", "spec"}},
		{name: "an object that preserves fields", in: `{"k":{"b":"xx","z":{"y":null}}}`, forgive: "spec.k", candidates: []string{"spec.k.b", "spec.k"}, out: `{"k":{"b":"xx","z":{"y":null}}}`},
		{name: "in an element of a list of type map", in: `{"p":[{"k":"a","v":"1"},{"k":"b","v":"22"}]}`, forgive: "spec.p[1].v", candidates: []string{"spec.p[1].v"}, out: `{"p":[{"k":"a","v":"1"},{"k":"b","v":"22"}]}`},
		{name: "a list of type map", in: `{"p":[{"k":"a","v":"22"}]}`, forgive: "spec.p", candidates: []string{"spec.p[0].v", "spec.p"}, out: `{"p":[{"k":"a","v":"22"}]}`},
		{name: "a list of type map with equal elements", in: `{"p":[{"k":"a"},{"k":"a"}]}`, forgive: "spec.p", candidates: []string{"spec.p", "spec"}},
		{name: "too many elements of a set", in: `{"q":["a","b"]}`, forgive: "spec.q", candidates: []string{"spec.q"}, out: `{"q":["a","b"]}`},
		{name: "equal elements of a set", in: `{"q":["a","a"]}`, forgive: "spec.q", candidates: []string{"spec.q", "spec"}},
		{name: "too many properties", in: `{"w":{"i":1,"j":2}}`, forgive: "spec.w", candidates: []string{"spec.w"}, out: `{"w":{"i":1,"j":2}}`},
		{name: "an integral float", in: `{"f":2.0}`, forgive: "spec.f", candidates: []string{"spec.f", "spec"}},
		{name: "a float", in: `{"f":2.5}`, forgive: "spec.f", candidates: []string{"spec.f"}, out: `{"f":2.5}`},
		{name: "an embedded resource", in: `{"e":{"kind":"A"}}`, forgive: "spec.e", candidates: []string{"spec.e", "spec"}},
		{name: "two values", in: `{"a":{"b":"xx","c":2},"m":{"a":"22"}}`, forgive: "spec.a.b", candidates: []string{"spec.a.b", "spec.m.a", "spec.m", "spec"}},
		{name: "with white space", in: `{ "l" : [ "a" , "bb" ] }`, forgive: "spec.l[1]", candidates: []string{"spec.l[1]"}, out: `{"l":["a","bb"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := fastpath.Compile(compileGroup(t, &group{Spec: spec}), testConfig)
			for _, splice := range []bool{false, true} {
				var candidates []string
				ratchet := &fastpath.Ratchet{All: true, Typed: tt.typed}
				ratchet.Watch(func(at fastpath.Location) bool {
					candidates = append(candidates, pathOf(t, at))
					return tt.forgive != "" && pathOf(t, at) == tt.forgive
				})
				out, ok := plan.JSON(head+`"spec":`+tt.in+`}`, &fastpath.Request{Splice: splice, Ratchet: ratchet})
				if ok != (tt.out != "") {
					t.Fatalf("accepted is %t (splice %t), candidates %q", ok, splice, candidates)
				}
				if diff := cmp.Diff(tt.candidates, candidates); diff != "" {
					t.Errorf("candidates (-want +got), splice %t:\n%s", splice, diff)
				}
				if !ok {
					continue
				}
				if len(ratchet.Forgiven) != 1 || pathOf(t, ratchet.Forgiven[0].At) != tt.forgive {
					t.Errorf("forgiven are %v", ratchet.Forgiven)
				}
				if got := out.Text(); !splice && got != head2+`"spec":`+tt.out+`}` {
					t.Errorf("output %s", got)
				}
				out.Release()
			}
		})
	}
}

// head2 is head with the metadata that an output has until it is set.
const head2 = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{},`

func pathOf(t *testing.T, at fastpath.Location) string {
	t.Helper()
	path, ok := at.Path()
	if !ok {
		t.Error("a location has no path")
	}
	return path.String()
}

// A value that is not in the old object is not kept, and the walk proposes the
// values around it. If a value is there and has changed, the values around it have
// changed, too, and the walk proposes nothing more.
func TestRatchetRefuses(t *testing.T) {
	n := compileGroup(t, &group{Spec: `{type: object, properties: {a: {type: object, properties: {b: {type: string, maxLength: 1}}}}}`})
	plan := fastpath.Compile(n, testConfig)
	for _, tt := range []struct {
		old  string
		want []string
	}{
		{`{}`, []string{"spec.a.b", "spec.a", "spec"}},
		{`{"a":{}}`, []string{"spec.a.b", "spec.a"}},
		{`{"a":{"b":"yy"}}`, []string{"spec.a.b"}},
	} {
		var candidates []string
		ratchet := &fastpath.Ratchet{Schema: correlate.New(n), Old: head + `"spec":` + tt.old + `}`}
		ratchet.Watch(func(at fastpath.Location) bool {
			candidates = append(candidates, pathOf(t, at))
			return true
		})
		if _, ok := plan.JSON(head+`"spec":{"a":{"b":"xx"}}}`, &fastpath.Request{Ratchet: ratchet}); ok {
			t.Errorf("old %s: a value that changed is accepted", tt.old)
		}
		if diff := cmp.Diff(tt.want, candidates); diff != "" {
			t.Errorf("old %s: candidates (-want +got):\n%s", tt.old, diff)
		}
	}
}

// The status of the request may be forgiven too. Its location starts with status.
func TestRatchetStatus(t *testing.T) {
	cfg := testConfig
	cfg.DropStatus = true
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {status: {type: object, properties: {l: {type: array, items: {type: integer, maximum: 3}}}}}}`}), cfg)
	var candidates []string
	ratchet := &fastpath.Ratchet{All: true}
	ratchet.Watch(func(at fastpath.Location) bool {
		candidates = append(candidates, pathOf(t, at))
		return true
	})
	out, ok := plan.JSON(head+`"status":{"x":1}}`, &fastpath.Request{Status: `{"l":[1,7]}`, Ratchet: ratchet})
	if !ok || out.Text() != head2+`"status":{"l":[1,7]}}` {
		t.Errorf("accepted %t: %q", ok, candidates)
	}
	if diff := cmp.Diff([]string{"status.l[1]"}, candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
}

// A walk that notes wrong values goes on. They are forgiven if nothing changes and the
// texts around them are those of the old object. The paths are those of the outermost
// wrong values.
func TestForgive(t *testing.T) {
	const spec = `{type: object, properties: {
		"n": &n {type: integer, maximum: 9}, f: {type: number, maximum: 1}, s: &s {type: string, maxLength: 1}, b: {type: boolean, enum: [true]}, z: {type: string, nullable: true, enum: [a]},
		a: {type: array, items: *n}, d: {type: object, properties: {d: {type: string, default: d}, "n": *n}},
		o: {type: object, minProperties: 1, maxProperties: 2, required: [p], properties: {p: {type: string}, q: {type: object, required: [p], properties: {p: {type: string}}}, "n": *n}},
		m: &m {type: object, additionalProperties: *n}, m2: *m,
		u: {type: array, x-kubernetes-list-type: map, items: {type: object, properties: {v: *n}}},
		k: {type: object, x-kubernetes-preserve-unknown-fields: true, required: [p], properties: {p: {type: string}}},
		l: &l {type: array, maxItems: 2, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: *s, v: *n, a: {type: array, items: {type: array, items: *n}}}}},
		l2: *l,
		j: {type: object, properties: {"n": *n, s: *s}, anyOf: [{required: ["n"]}, {required: [s]}]},
		t: {type: array, x-kubernetes-list-type: set, items: *s}, w: {type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}},
		x: {type: array, uniqueItems: true, items: {type: integer}},
		v: {type: array, x-kubernetes-list-type: set, items: {type: array, x-kubernetes-list-type: set, items: {type: integer}}}}}`
	n := compileGroup(t, &group{Spec: spec})
	plan := fastpath.Compile(n, testConfig)
	for _, tt := range []struct {
		name, in string
		old      string   // "" if it is as in
		want     []string // nil if the values are not forgiven
	}{
		{name: "an integer", in: `{"n":99}`, want: []string{"spec.n"}},
		{name: "scalars", in: `{"n":99,"f":1.5,"s":"xx","b":false}`, want: []string{"spec.n", "spec.f", "spec.s", "spec.b"}},
		{name: "an escaped text", in: `{"s":"x\u0078"}`, want: []string{"spec.s"}},
		{name: "an integer that changed", in: `{"n":99}`, old: `{"n":98}`},
		{name: "an integer that has got a digit", in: `{"n":199}`, old: `{"n":19}`},
		{name: "an integer that was not there", in: `{"n":99}`, old: `{}`},
		{name: "an integer that was there twice", in: `{"n":99}`, old: `{"n":99,"n":99}`},
		{name: "elements", in: `{"a":[1,99,2,98]}`, want: []string{"spec.a[1]", "spec.a[3]"}},
		{name: "an element beside one that changed", in: `{"a":[1,99]}`, old: `{"a":[2,99]}`},
		{name: "an element beside a new one", in: `{"a":[99,1]}`, old: `{"a":[99]}`},
		{name: "an element of what was no list", in: `{"a":[99]}`, old: `{"a":{"x":99}}`},
		{name: "the entry of a map", in: `{"m":{"x":99,"y":1}}`, old: `{"m":{"x":99,"y":2}}`, want: []string{"spec.m.x"}},
		{name: "an object with an undeclared field", in: `{"o":{"p":"","z":1,"n":99}}`},
		{name: "an object that gets a default", in: `{"d":{"n":99}}`},
		{name: "an object that has its default", in: `{"d":{"d":"d","n":99}}`, want: []string{"spec.d.n"}},
		{name: "an object that lacks a field", in: `{"o":{"n":1}}`, want: []string{"spec.o"}},
		{name: "an object that lacks a field, beside a change", in: `{"o":{"n":1}}`, old: `{"o":{"n":2}}`},
		{name: "too few properties", in: `{"o":{}}`, want: []string{"spec.o"}},
		{name: "wrong values in a wrong object", in: `{"o":{"n":99,"q":{}}}`, want: []string{"spec.o"}},
		{name: "an object with undeclared fields, which counts as changed", in: `{"k":{"z":1}}`},
		{name: "an object that may have undeclared fields", in: `{"k":{}}`, want: []string{"spec.k"}},
		{name: "no branch", in: `{"j":{}}`, want: []string{"spec.j"}},
		{name: "a branch", in: `{"j":{"n":99}}`, want: []string{"spec.j.n"}},
		{name: "in an element by its key", in: `{"l":[{"k":"a","v":99},{"k":"b"}]}`, old: `{"l":[{"k":"b"},{"k":"a","v":99}]}`, want: []string{"spec.l[0].v"}},
		{name: "in an element that has another key", in: `{"l":[{"k":"a","v":99}]}`, old: `{"l":[{"k":"b","v":99}]}`},
		{name: "in a list in an element", in: `{"l":[{"a":[[1],[99]],"k":"a"}]}`, old: `{"l":[{"a":[[1],[99]],"k":"a","v":1}]}`, want: []string{"spec.l[0].a[1][0]"}},
		{name: "in a list in an element that changed", in: `{"l":[{"a":[[1],[99]],"k":"a"}]}`, old: `{"l":[{"a":[[2],[99]],"k":"a"}]}`},
		{name: "in two lists, of which the second changed", in: `{"l":[{"k":"a","v":99}],"l2":[{"k":"a","v":99}]}`, old: `{"l":[{"k":"a","v":99}],"l2":[{"k":"a","v":98}]}`},
		{name: "in two maps, of which the second changed", in: `{"m":{"x":99},"m2":{"x":99}}`, old: `{"m":{"x":99},"m2":{"x":98}}`},
		{name: "in a list of type map without keys", in: `{"u":[{"v":99}]}`},
		{name: "elements without a key", in: `{"l":[{"v":99}]}`},
		{name: "too many elements with keys", in: `{"l":[{"k":"a"},{"k":"b"},{"k":"c"}]}`, want: []string{"spec.l"}},
		{name: "elements with equal keys", in: `{"l":[{"k":"a","v":9},{"k":"a"}]}`, want: []string{"spec.l equal"}},
		{name: "elements with equal keys, and a wrong value", in: `{"l":[{"k":"a","v":99},{"k":"a"}]}`, want: []string{"spec.l equal", "spec.l[0].v"}},
		{name: "elements with equal keys, and a wrong value in the second", in: `{"l":[{"k":"a"},{"k":"a","v":99}]}`},
		{name: "elements with equal keys that are new", in: `{"l":[{"k":"a"},{"k":"a"}]}`, old: `{"l":[{"k":"a"}]}`},
		{name: "elements with equal keys that changed", in: `{"l":[{"k":"a"},{"k":"a"}]}`, old: `{"l":[{"k":"b"},{"k":"b"}]}`, want: []string{"spec.l equal"}},
		{name: "too many elements with equal keys", in: `{"l":[{"k":"a"},{"k":"a"},{"k":"b"}]}`, want: []string{"spec.l", "spec.l equal"}},
		{name: "lists with equal elements beside a change", in: `{"n":1,"l":[{"k":"a"},{"k":"a"}],"t":["x","x"]}`, want: []string{"spec.l equal", "spec.t equal"}},
		{name: "a set with equal elements where the old object has them elsewhere", in: `{"t":["x","x"]}`, old: `{"l":[{"k":"a"},{"k":"a"}]}`, want: []string{"spec.t equal"}},
		{name: "an element of a set", in: `{"t":["xx","y"]}`, want: []string{"spec.t[0]"}},
		{name: "equal elements of a set", in: `{"t":["xx","y","xx"]}`, want: []string{"spec.t equal", "spec.t[0]", "spec.t[2]"}},
		{name: "an element that is null, beside equal ones", in: `{"w":["x",null,"x"]}`, want: []string{"spec.w equal"}},
		{name: "equal elements in lists of equal", in: `{"v":[[1,1],[2,2],[1,1]]}`, want: []string{"spec.v equal", "spec.v[0] equal", "spec.v[1] equal", "spec.v[2] equal"}},
		{name: "equal elements in one list of equal", in: `{"v":[[1,1],[2,2]]}`, want: []string{"spec.v[0] equal", "spec.v[1] equal"}},
		{name: "equal elements of another spelling", in: `{"v":[[1,1.0]]}`},
		{name: "elements that must be unique", in: `{"x":[1,2,1]}`, want: []string{"spec.x"}},
		{name: "a wrong type", in: `{"n":"x"}`},
		{name: "an integral float", in: `{"f":2.0}`},
	} {
		for _, splice := range []bool{false, true} {
			old := tt.old
			if old == "" {
				old = tt.in
			}
			head := head
			if splice { // over metadata whose keys are written with escapes
				head = strings.Replace(head, `"name":`, `"managedFields":[{"fieldsV1":{"k:{\"a\":1}":{}}}],"name":`, 1)
			}
			ratchet := &fastpath.Ratchet{Schema: correlate.New(n), Old: head + `"spec":` + old + `}`}
			if splice {
				ratchet.Document, _ = plan.Document(ratchet.Old)
			}
			out, ok := plan.JSON(head+`"spec":`+tt.in+`}`, &fastpath.Request{Splice: splice, NoteWrong: true, NoteEqual: true})
			if ok && !out.HasWrong() {
				t.Errorf("%s: nothing is wrong", tt.name)
			}
			var got []string
			if ok && !out.Forgive(ratchet, func(path schema.Path, _ any, equal bool) bool {
				text := path.String()
				if equal {
					text += " equal"
				}
				got = append(got, text)
				return true
			}) {
				got = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s, splice %t: forgiven (-want +got):\n%s", tt.name, splice, diff)
			}
			if ok {
				out.Release()
			}
		}
	}
}

// countForgiven returns how many values are forgiven, 0 if not all are.
func countForgiven(out fastpath.Output, f *fastpath.Ratchet) (n int) {
	if !out.Forgive(f, func(schema.Path, any, bool) bool { n++; return true }) {
		return 0
	}
	return n
}

// A walk that has met very many wrong values declines the object.
func TestForgiveMany(t *testing.T) {
	n := compileGroup(t, &group{Spec: `{type: object, properties: {a: {type: array, items: {type: integer, maximum: 9}}}}`})
	plan := fastpath.Compile(n, testConfig)
	for count, want := range map[int]bool{4096: true, 4097: false} {
		text := head + `"spec":{"a":[1` + strings.Repeat(",99", count) + `]}}`
		ratchet := &fastpath.Ratchet{Schema: correlate.New(n), Old: text}
		out, ok := plan.JSON(text, &fastpath.Request{NoteWrong: true})
		if got := ok && countForgiven(out, ratchet) == count; got != want {
			t.Errorf("%d wrong values: forgiven %t, want %t", count, got, want)
		}
	}
}

// Entries of an object that has changed are looked up one by one in the old object, so
// that only some are.
func TestForgiveEntries(t *testing.T) {
	n := compileGroup(t, &group{Spec: `{type: object, properties: {m: {type: object, additionalProperties: {type: integer, maximum: 9}}}}`})
	plan := fastpath.Compile(n, testConfig)
	object := func(count, changed int) string {
		var entries strings.Builder
		for i := range count {
			fmt.Fprintf(&entries, `"k%d":99,`, i)
		}
		return fmt.Sprintf(`%s"spec":{"m":{%s"z":%d}}}`, head, entries.String(), changed)
	}
	for _, tt := range []struct {
		count, changed int
		want           bool
	}{{20, 1, true}, {100, 1, false}, {100, 0, true}} {
		ratchet := &fastpath.Ratchet{Schema: correlate.New(n), Old: object(tt.count, 0)}
		out, ok := plan.JSON(object(tt.count, tt.changed), &fastpath.Request{NoteWrong: true})
		if got := ok && countForgiven(out, ratchet) == tt.count; got != tt.want {
			t.Errorf("%d wrong values, one entry is %d: forgiven %t, want %t", tt.count, tt.changed, got, tt.want)
		}
	}
}

// The status of the request is not noted, as it is that of the old object, and apiVersion
// and kind are always new where validation begins.
func TestForgiveNot(t *testing.T) {
	n := compileGroup(t, &group{Root: `{type: object, properties: {
		spec: {type: object, properties: {kind: {type: string, maxLength: 1}}}, status: {type: object, properties: {x: {type: integer, maximum: 9}}}}}`})
	cfg := testConfig
	cfg.DropStatus = true
	if _, ok := fastpath.Compile(n, cfg).JSON(head+`"spec":{}}`, &fastpath.Request{Status: `{"x":99}`, NoteWrong: true}); ok {
		t.Error("a wrong status of the request is accepted")
	}
	text := head + `"spec":{"kind":"xx"}}`
	for start, want := range []bool{true, false} {
		out, ok := fastpath.Compile(n, testConfig).JSON(text, &fastpath.Request{NoteWrong: true})
		if got := ok && countForgiven(out, &fastpath.Ratchet{Schema: correlate.New(n), Old: text, Start: start}) > 0; got != want {
			t.Errorf("a wrong kind is forgiven %t if validation begins after %d steps, want %t", got, start, want)
		}
	}
}
