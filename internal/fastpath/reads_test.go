package fastpath

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/schema"
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

// TestRulesSeeEnough: rules get what they read, and have the same verdict and cost on it as on
// the whole object.
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
		{`self.l.filter(x, has(x.l)).size() == 2`, `{"l":[{"l":[{"s":"deep","t":"x"}],"s":"l0","t":"t0","w":"2024-01-02T03:04:05Z"},{"l":[],"s":"l1"},{"t":"t2"}]}`},
		{`self.l.filter(x, has(x.l)).exists(x, x.l.size() > 0)`, `{"l":[{"l":[{"s":"deep","t":"x"}],"s":"l0","t":"t0","w":"2024-01-02T03:04:05Z"},{"l":[],"s":"l1"},{"t":"t2"}]}`},
		{`self.l.filter(x, has(x.l)).map(x, x.l).exists(l, l.exists(y, y.s == 'deep'))`, `{"l":[{"l":[{"s":"deep","t":"x"}],"s":"l0","t":"t0","w":"2024-01-02T03:04:05Z"},{"l":[],"s":"l1"},{"t":"t2"}]}`},
		{`self.l.map(x, has(x.s), x.s) == ['l0', 'l1']`, `{"l":[{"s":"l0"},{"s":"l1"},{}]}`},
		{`[self.o, self.o].all(x, x.s == 'os')`, `{"o":{"o":{"s":"oos"},"s":"os","t":"ot"}}`},
		{`{'a': self.o}.a.s == 'os'`, `{"o":{"o":{"s":"oos"},"s":"os","t":"ot"}}`},
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
		{`self.l.filter(x, has(x.s)).all(x, x.s != '')`, `{"l":[{"l":[{"s":"deep","t":"x"}],"s":"l0","t":"t0","w":"2024-01-02T03:04:05Z"},{"l":[],"s":"l1"},{"t":"t2"}]}`},
		{`(self.l.filter(x, has(x.s)) + self.l.filter(x, has(x.l))).map(x, [x]).all(x, x[0].s != '')`, `{"l":[{"l":[{"s":"deep","t":"x"}],"s":"l0","t":"t0","w":"2024-01-02T03:04:05Z"},{"l":[],"s":"l1"},{"t":"t2"}]}`},
		{`[[[[[[self.o]]]]]][0][0][0][0][0][0].s == 'os'`, `{"o":{"o":{"s":"oos"},"s":"os","t":"ot"}}`},
		{`self.l.all(self, has(self.s) || has(self.t))`, `{"l":[{"s":"","t":""},{"s":""},{"t":""}]}`},
		{`dyn(self.o).s == 'os'`, `{"o":{"o":{"s":"oos"},"s":"os","t":"ot"}}`},
		{`self.set.isSorted() && self.i == 5`, `{"i":5,"set":["a","b"]}`},
		{`self == self || true`, readsObject},
	} {
		n := specSchema(t, fmt.Sprintf(readsSchema, fmt.Sprintf("{rule: %q}", tt.rule)))
		program, reads := mustProgram(t, n)
		tree := compileReads(n, reads.Reads)
		for _, spec := range []string{readsObject, `{}`, `{"l":[],"m":{},"o":{},"k":[{"s":"a"}]}`} {
			text := object(head, `"spec":`+spec)
			seen, all := readBy(t, tree, text), readBy(t, everything, text)
			if want := readBy(t, everything, tt.want); spec == readsObject && string(testkit.Encode(seen["spec"])) != string(testkit.Encode(want)) {
				t.Errorf("%s sees\n%s, want\n%s", tt.rule, testkit.Encode(seen["spec"]), tt.want)
			}
			sameVerdict(t, program, tt.rule, seen, all)
		}
	}
}

func mustProgram(t *testing.T, n *schema.Node) (*cel.Program, *fieldaccess.Program) {
	t.Helper()
	reads := &fieldaccess.Program{}
	program, errs := cel.Compile(n, reads)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return program, reads
}

// readBy returns what is decoded of an object.
func readBy(t *testing.T, n *readTree, text string) map[string]any {
	t.Helper()
	seen, ok := (&Plan{}).newValues().object(n, text)
	if !ok {
		t.Fatal("not read:", text)
	}
	return seen
}

// sameVerdict checks that a rule has the same verdict and cost on what it sees as on the
// whole object.
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

// TestReads: values that rules are on are decoded, and no others.
func TestReads(t *testing.T) {
	tree := compileReads(rootSchema(t, `{type: object, properties: {
		a: {type: object, properties: {
			r: {type: object, properties: {x: {type: string}, y: {type: integer}}, x-kubernetes-validations: [{rule: "self.x != ''"}]},
			s: {type: string}}},
		l: {type: array, items: {type: object, properties: {u: {type: string}, v: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}}}},
		m: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}},
		n: {type: object, properties: {x: {type: string}}}}}`), nil)
	for in, want := range map[string]string{
		`{}`: `{}`,
		`{"a":{"r":{"x":"1","y":2},"s":"3"},"n":{"x":"1"}}`:           `{"a":{"r":{"x":"1","y":2}}}`,
		`{"l":[{"u":"1","v":"2"},null,{}]}`:                           `{"l":[{"v":"2"},null,{}]}`,
		`{"l":[],"m":{}}`:                                             `{"l":[],"m":{}}`,
		`{"m":{"k":"v","l":null}}`:                                    `{"m":{"k":"v","l":null}}`,
		`{"a":{"r":null}}`:                                            `{"a":{"r":null}}`,
		` { "a" : { "r" : { "x" : "1" } } , "m" : { } } `:             `{"a":{"r":{"x":"1"}},"m":{}}`,
		`{"a": {"r": {"y": 1,"x": "1"}}}`:                             `{"a":{"r":{"x":"1","y":1}}}`,
		`{"l":[ { "v" : "é" } , [ ] ]}`:                               `{"l":[{"v":"é"},[]]}`,
		`{"m":{"a":"\u0041","b":"` + strings.Repeat("x", 300) + `"}}`: `{"m":{"a":"A","b":"` + strings.Repeat("x", 300) + `"}}`,
		`{"a":null,"l":null}`:                                         `{"a":null,"l":null}`,
	} {
		if got := testkit.Encode(readBy(t, tree, in)); string(got) != want {
			t.Errorf("of %s rules read %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{``, `[]`, `{`, ` { `, `{"a":`, `{"a" 1}`, `{"m":{"a"}}`, `{"m":[1,}`, `{"m":"a}`, `{"l":[1,]}`, `{"n":}`, `{"a":{}}x`, `{"a":1,"a":1}`} {
		if got, ok := (&Plan{}).newValues().object(tree, in); ok {
			t.Errorf("of %s rules read %v", in, got)
		}
	}
}

// TestReadsOfParts: if rules only test the presence of a value, only its kind is decoded. If no
// rule reads a value, nothing of it is decoded.
func TestReadsOfParts(t *testing.T) {
	const in = `{"":0,"a":true,"b":false,"c":null,"d":1.5,"e":[1],"f":{"x":1},"g":"x"}`
	empty := &readTree{values: onlyKind}
	empty.setFields(map[string]*readTree{"": onlyValue, "g": onlyValue})
	for want, tree := range map[string]*readTree{
		`{}`: nil,
		`{"":0,"a":true,"b":true,"c":null,"d":0,"e":[],"f":{},"g":"x"}`: empty,
		in: everything,
	} {
		if got := testkit.Encode(readBy(t, tree, in)); string(got) != want {
			t.Errorf("read is %s, want %s", got, want)
		}
	}
}

// TestValuesAreUsedAgain: values whose memory is used again have nothing left of the object
// before.
func TestValuesAreUsedAgain(t *testing.T) {
	p := &Plan{}
	for range 3 {
		for _, text := range []string{`{"r":{"a":[{"b":"c"},[1,"d"]],"e":{"f":null}}}`, `{"r":{}}`, `{"r":{"a":["x"],"y":{}}}`} {
			v := p.newValues()
			got, ok := v.object(everything, text)
			if out := string(testkit.Encode(got)); !ok || out != text {
				t.Errorf("%s is read as %s, %t", text, out, ok)
			}
			v.release()
		}
	}
	for _, depth := range []int{100, 600} {
		text := `{"r":{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}`
		if _, ok := p.newValues().object(everything, text); ok != (depth < jsonscan.MaxDepth) {
			t.Errorf("%d lists in one another are read: %t", depth, ok)
		}
	}
}

// TestRulesRun: rules are evaluated if the object has a value with rules, which may be a part
// of a default. Rules that have no effect without an old object do not count.
func TestRulesRun(t *testing.T) {
	n := specSchema(t, `{type: object, properties: {
		text: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]},
		number: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]},
		flag: {type: boolean, x-kubernetes-validations: [{rule: "self"}]},
		o: {type: object, properties: {s: {type: string}, t: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}}},
		list: {type: array, items: {type: object, properties: {s: {type: string}}, x-kubernetes-validations: [{rule: "self.s != ''"}]}},
		keyed: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [s], items: {type: object, required: [s], properties: {s: {type: string}}, x-kubernetes-validations: [{rule: "self.s != ''"}]}},
		judged: {type: array, items: {type: string}, x-kubernetes-validations: [{rule: "self.size() > 0"}]},
		m: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}},
		fills: {type: object, properties: {d: {type: string, default: x, x-kubernetes-validations: [{rule: "self != ''"}]}, e: {type: integer}}},
		deep: {type: object, properties: {d: {type: object, default: {}, properties: {d: {type: string, default: x, x-kubernetes-validations: [{rule: "self != ''"}]}}}}},
		none: {type: array, items: {type: string, default: x, x-kubernetes-validations: [{rule: "self != ''"}]}},
		fixed: {type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]},
		perhaps: {type: string, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf: true}]},
		free: {type: object, properties: {s: {type: string}}}}}`)
	hasRules := func(n *schema.Node, reads func(*schema.Node) *fieldaccess.ReadSet, members string) bool {
		t.Helper()
		runs := 0
		p := mustPlan(t, n, func(c *Config) {
			c.Reads = reads
			c.Evaluate = func(context.Context, map[string]any, map[string]any) (uint64, bool) { runs++; return 7, true }
		})
		res, ok := p.Create([]byte(object(head, members)), &Request{})
		if !ok || res.Cost != uint64(7*runs) {
			t.Errorf("%s: accepted: %t, %d runs cost %d", members, ok, runs, res.Cost)
		}
		return runs > 0
	}
	_, program := mustProgram(t, n)
	reads := program.Reads
	for spec, want := range map[string]bool{
		`{}`:                             false,
		`{"text":"a"}`:                   true,
		`{"number":1}`:                   true,
		`{"flag":true}`:                  true,
		`{"o":{}}`:                       false,
		`{"o":{"s":"a"}}`:                false,
		`{"o":{"t":"a"}}`:                true,
		`{"list":[]}`:                    false,
		`{"list":[{}]}`:                  true,
		`{"keyed":[{"s":"a"}]}`:          true,
		`{"judged":["a"]}`:               true,
		`{"m":{}}`:                       false,
		`{"m":{"k":"v"}}`:                true,
		`{"fills":{}}`:                   true,
		`{"deep":{}}`:                    true,
		`{"none":[null]}`:                true,
		`{"fixed":"a","free":{"s":"b"}}`: false,
		`{"perhaps":"a"}`:                true,
	} {
		if got := hasRules(n, reads, `"spec":`+spec); got != want {
			t.Errorf("%s: rules run: %t", spec, got)
		}
	}
	if !hasRules(n, nil, `"spec":{"fixed":"a"}`) {
		t.Error("a transition rule does not count for rules that read everything")
	}
	for _, name := range []string{"apiVersion", "kind"} {
		n := rootSchema(t, fmt.Sprintf(`{type: object, properties: {%s: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}}}`, name))
		if !hasRules(n, nil, "") {
			t.Errorf("a rule on %s does not count", name)
		}
	}
}
