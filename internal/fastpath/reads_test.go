package fastpath_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/rawobject"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/validation/cel"
)

// The schema and the object that the rules below are for.
const (
	readsSchema = `{type: object, x-kubernetes-validations: [%s], properties: {
		s: {type: string}, t: {type: string}, i: {type: integer}, when: {type: string, format: date-time},
		in-namespace: {type: string}, namespace: {type: string}, port: {x-kubernetes-int-or-string: true},
		o: {type: object, properties: {s: {type: string}, t: {type: string}, o: {type: object, properties: {s: {type: string}}}}},
		l: {type: array, items: {type: object, properties: {s: {type: string}, t: {type: string}, w: {type: string, format: date-time},
			l: {type: array, items: {type: object, properties: {s: {type: string}, t: {type: string}}}}}}},
		k: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [s], items: {type: object, required: [s], properties: {s: {type: string}, t: {type: string}}}},
		set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
		m: {type: object, additionalProperties: {type: string}},
		mo: {type: object, additionalProperties: {type: object, properties: {s: {type: string}, t: {type: string}}}}}}`
	readsObject = `{"s":"a string","t":"text","i":5,"when":"2024-01-02T03:04:05Z","in-namespace":"in","namespace":"ns","port":80,
		"o":{"s":"os","t":"ot","o":{"s":"oos"}},
		"l":[{"s":"l0","t":"t0","w":"2024-01-02T03:04:05Z","l":[{"s":"deep","t":"x"}]},{"s":"l1","l":[]},{"t":"t2"}],
		"k":[{"s":"k0","t":"kt"},{"s":"k1"}],"set":["a","b"],
		"m":{"a":"1","b":"2"},"mo":{"x":{"s":"mx","t":"mt"},"y":{}}}`
)

// The rule input has what the rules read, and they have the same result and cost
// as on the whole object.
func TestRulesSeeEnough(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{`true`, `{}`},
		{`has(self.s)`, `{"s":""}`},
		{`!has(self.when)`, `{"when":"2024-01-02T03:04:05Z"}`},
		{`self.s == 'a string'`, `{"s":"a string"}`},
		{`self.s == oldSelf.s && self.o == oldSelf.o`, `{}`},
		{`self.s.startsWith('a') && self.i > 3 || has(self.o)`, `{"i":5,"o":{},"s":"a string"}`},
		{`size(self.s) == 8`, `{"s":"a string"}`},
		{`has(self.o) && has(self.o.o)`, `{"o":{"o":{}}}`},
		{`has(self.o.o.s) ? self.o.t == 'ot' : self.o.s == ''`, `{"o":{"o":{"s":""},"s":"os","t":"ot"}}`},
		{`self.o == self.o`, `{"o":{"o":{"s":"oos"},"s":"os","t":"ot"}}`},
		{`(self.i > 3 ? self.o : self.o).t == 'ot'`, `{"i":5,"o":{"t":"ot"}}`},
		{`self.in__dash__namespace == 'in' && self.__namespace__ == 'ns'`, `{"in-namespace":"in","namespace":"ns"}`},
		{`type(self.port) == int`, `{"port":80}`},
		{`self.when < timestamp('2025-01-01T00:00:00Z')`, `{"when":"2024-01-02T03:04:05Z"}`},
		{`size(self.l) == 3`, `{"l":[{},{},{}]}`},
		{`self.l.size() > 1 && self.l[0].s == 'l0'`, `{"l":[{"s":"l0"},{"s":"l1"},{}]}`},
		{`self.l[0].l.size() == 1`, `{"l":[{"l":[{}]},{"l":[]},{}]}`},
		{`self.l.all(x, !has(x.w) || x.w > timestamp('2000-01-01T00:00:00Z'))`, `{"l":[{"w":"2024-01-02T03:04:05Z"},{},{}]}`},
		{`self.l.exists(x, has(x.t))`, `{"l":[{"t":""},{},{"t":""}]}`},
		{`self.l.all(x, self.l.exists_one(y, has(x.s) ? has(y.s) && x.s == y.s : has(y.t)))`, `{"l":[{"s":"l0","t":""},{"s":"l1"},{"t":""}]}`},
		{`self.l.all(x, !has(x.l) || x.l.all(y, y.s == 'deep'))`, `{"l":[{"l":[{"s":"deep"}]},{"l":[]},{}]}`},
		{`self.l.filter(x, has(x.l)).size() == 2`, `{"l":[{"l":[]},{"l":[]},{}]}`},
		{`self.l.filter(x, has(x.l)).exists(x, x.l.size() > 0)`, `{"l":[{"l":[{}]},{"l":[]},{}]}`},
		{`self.l.filter(x, has(x.l)).map(x, x.l).exists(l, l.exists(y, y.s == 'deep'))`, `{"l":[{"l":[{"s":"deep"}]},{"l":[]},{}]}`},
		{`self.l.map(x, has(x.s), x.s) == ['l0', 'l1']`, `{"l":[{"s":"l0"},{"s":"l1"},{}]}`},
		{`[self.o, self.o].all(x, x.s == 'os')`, `{"o":{"s":"os"}}`},
		{`{'a': self.o}.a.s == 'os'`, `{"o":{"s":"os"}}`},
		{`self.l.exists(i, x, i == 1 && x.s == 'l1')`, `{"l":[{"s":"l0"},{"s":"l1"},{}]}`},
		{`self.l in [self.l]`, `{"l":[{"l":[{"s":"deep","t":"x"}],"s":"l0","t":"t0","w":"2024-01-02T03:04:05Z"},{"l":[],"s":"l1"},{"t":"t2"}]}`},
		{`'a' in self.set && self.set.size() == 2`, `{"set":["a","b"]}`},
		{`self.set.size() == 2`, `{"set":["",""]}`},
		{`(self.k + self.k).size() == 2`, `{"k":[{"s":"k0","t":"kt"},{"s":"k1"}]}`},
		{`self.k.exists(x, x.s == 'k1')`, `{"k":[{"s":"k0"},{"s":"k1"}]}`},
		{`'a' in self.m`, `{"m":{"a":"","b":""}}`},
		{`size(self.m) == 2 && self.mo.size() == 2`, `{"m":{"a":"","b":""},"mo":{"x":{},"y":{}}}`},
		{`self.m.a == '1'`, `{"m":{"a":"1","b":"2"}}`},
		{`has(self.m.a) && !has(self.m.c)`, `{"m":{"a":"","b":""}}`},
		{`self.m['b'] == '2'`, `{"m":{"a":"1","b":"2"}}`},
		{`self.m.all(k, k in ['a', 'b'])`, `{"m":{"a":"","b":""}}`},
		{`self.mo.all(k, has(self.mo[k].s) == (k == 'x'))`, `{"mo":{"x":{"s":""},"y":{}}}`},
		{`self.mo.exists(k, v, k == 'x' && v.t == 'mt')`, `{"mo":{"x":{"t":"mt"},"y":{}}}`},
		{`self.?s.orValue('') == 'a string'`, `{"s":"a string"}`},
		{`self.?o.?o.?s.hasValue()`, `{"o":{"o":{"s":"oos"}}}`},
		{`self.l.filter(x, has(x.s)).all(x, x.s != '')`, `{"l":[{"s":"l0"},{"s":"l1"},{}]}`},
		{`(self.l.filter(x, has(x.s)) + self.l.filter(x, has(x.l))).map(x, [x]).all(x, x[0].s != '')`, `{"l":[{"l":[],"s":"l0"},{"l":[],"s":"l1"},{}]}`},
		{`[[[[[[self.o]]]]]][0][0][0][0][0][0].s == 'os'`, `{"o":{"o":{"s":"oos"},"s":"os","t":"ot"}}`},
		{`self.l.all(self, has(self.s) || has(self.t))`, `{"l":[{"s":"","t":""},{"s":""},{"t":""}]}`},
		{`dyn(self.o).s == 'os'`, `{"o":{"o":{"s":"oos"},"s":"os","t":"ot"}}`},
		{`self.set.isSorted() && self.i == 5`, `{"i":5,"set":["a","b"]}`},
		{`self == self || true`, readsObject},
	} {
		n := compileGroup(t, &group{Spec: fmt.Sprintf(readsSchema, fmt.Sprintf("{rule: %q}", tt.rule))})
		program, errs := cel.Compile(n)
		if len(errs) > 0 {
			t.Errorf("%s: %v", tt.rule, errs)
			continue
		}
		cfg := testConfig
		cfg.Reads = program.Reads
		for _, spec := range []string{readsObject, `{}`, `{"l":[],"m":{},"o":{},"k":[{"s":"a"}]}`} {
			text := head + `"spec":` + spec + `}`
			seen := seenBy(t, fastpath.Compile(n, cfg), text)
			all := seenBy(t, fastpath.Compile(n, testConfig), text)
			if got, want := testkit.Encode(rawobject.WithMaps(seen["spec"])), compact(t, tt.want); spec == readsObject && string(got) != want {
				t.Errorf("%s sees\n%s, want\n%s", tt.rule, got, want)
			}
			sameVerdict(t, program, tt.rule, seen, all)
		}
	}
}

func seenBy(t *testing.T, plan *fastpath.Plan, text string) map[string]any {
	t.Helper()
	seen, ok := plan.Values(nil).RuleInput(text, false)
	if !ok {
		t.Fatal("not read:", text)
	}
	return seen
}

// sameVerdict checks that a rule has the same verdict and cost on what it sees as
// on the whole object.
func sameVerdict(t *testing.T, program *cel.Program, rule string, seen, all map[string]any) {
	t.Helper()
	var got, want cel.Result
	for range 50 { // a loop over a map may go in any order
		got, want = program.Eval(context.Background(), seen), program.Eval(context.Background(), all)
		if got.Cost == want.Cost {
			break
		}
	}
	if len(got.Errors) != len(want.Errors) || got.Cost != want.Cost && len(want.Errors) == 0 {
		t.Errorf("%s: %d errors at a cost of %d, on the whole object %d at %d\n%v", rule, len(got.Errors), got.Cost, len(want.Errors), want.Cost, want.Errors)
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	v, err := testkit.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(testkit.Encode(v))
}

// withMaps returns a rule input with maps for lists of members.
func withMaps(input map[string]any) map[string]any {
	out := make(map[string]any)
	for name, v := range input {
		out[name] = rawobject.WithMaps(v)
	}
	return out
}

// The rule input of an output is that of its text.
func TestRuleInputOfOutput(t *testing.T) {
	n := compileGroup(t, &group{Root: `{type: object, properties: {
		spec: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "!has(self.d) || self.b != ''"}], properties: {
			a: {type: string}, b: {type: string}, d: {type: object, properties: {x: {type: integer}}}, e: {type: array, items: {type: string}},
			f: {type: object, properties: {g: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}, h: {type: string}}}, z: {type: string}}},
		list: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}, c: {type: string}}}},
		map: {type: object, additionalProperties: {type: object, properties: {a: {type: string}, b: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}, c: {type: string}}}},
		text: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}}}`})
	program, errs := cel.Compile(n)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	cfg := testConfig
	cfg.Reads = program.Reads
	plan := fastpath.Compile(n, cfg)
	for _, rest := range []string{
		`"spec":{}`,
		`"map":{"k":{"c":"1"},"l":{"a":"1","b":"2","c":"3"}},"spec":{}`,
		`"spec":{"a":"1","b":"2","d":{"x":1},"e":["3"],"f":{"g":"4","h":"5"},"z":"6"}`,
		`"spec":{"z":"6","f":{"h":"5","g":"4"},"e":["3"],"d":{"x":1},"b":"2","a":"1"}`,
		`"spec":{"z":"6"}`,
		`"spec":{"a":"1"}`,
		`"spec":{"b":"2","z":"","y":[{"b":"3"}]}`,
		`"spec":{"f":{"h":"5"},"c":{"b":"7"}}`,
		`"spec":{"f":{},"g":1}`,
		`"spec":{"b":"2","zz":{"b":"3"},"aa":{"b":"3"}}`,
		`"list":[{"c":"1","b":"2","a":"3"},{"c":"1"},{}],"spec":{"f":{"g":"4"},"b":"2"},"text":"8"`,
		`"text":"8","list":[],"spec":{"d":{},"f":{"g":"4"}}`,
	} {
		out, ok := plan.JSON(head+rest+`}`, &fastpath.Request{})
		if !ok {
			t.Errorf("%s is declined", rest)
			continue
		}
		values, whole := plan.Values(nil), plan.Values(nil)
		for range 2 { // The second time uses the memory of the first.
			got, ok := out.RuleInput(values)
			want, wantOK := whole.RuleInput(out.View(), false)
			if diff := cmp.Diff(withMaps(want), withMaps(got)); diff != "" || ok != wantOK || !ok {
				t.Errorf("%s: %t, %t: of the text (-) and of the output (+):\n%s", rest, ok, wantOK, diff)
			}
		}
		values.Release()
		whole.Release()
		out.Release()
	}
}
