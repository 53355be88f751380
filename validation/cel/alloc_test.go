package cel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/validation/cel"
)

// TestNoAllocation checks that typical rules allocate nothing, for a new object
// and for an update. The object has all fields of the schema.
func TestNoAllocation(t *testing.T) {
	const object = `{i: 5, j: 7, num: 1.5, s: some text, b: true, w: 50%, l: [a, b], k: [1, 2], m: {k: v, x: w}, o: {a: z, c: 3},
  ls: [{name: a, v: 1, tags: [x]}, {name: b, v: 2, tags: [z]}], d: 1h, p: 5s, t: "2024-01-01T00:00:00Z"}`
	const schema = `
type: object
properties:
  i: {type: integer}
  j: {type: integer}
  num: {type: number}
  s: {type: string}
  b: {type: boolean}
  w: {x-kubernetes-int-or-string: true}
  l: {type: array, items: {type: string}}
  k: {type: array, items: {type: integer}}
  m: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: self != ''}]}}
  o: {type: object, properties: {a: {type: string}, c: {type: integer}}}
  ls:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      properties: {name: {type: string}, v: {type: integer}, tags: {type: array, items: {type: string}}}
      x-kubernetes-validations: [{rule: self.v >= oldSelf.v}]
  d: {type: string, format: duration}
  p: {type: string}
  t: {type: string, format: date-time}
x-kubernetes-validations: [{rule: "RULE", optionalOldSelf: OPTIONAL}]
`
	for rule, optional := range map[string]bool{
		"self.i < self.j && self.i * 2 + 1 > -self.j":                                           false,
		"self.num < 2.0 || self.num / 2.0 > 1.0":                                                false,
		"self.b ? self.i == 5 : self.j == 5":                                                    false,
		"(has(self.s) ? self.s : '') != 'x' && self.s.startsWith('some')":                       false,
		"self.s.matches('^[a-z ]+$') && size(self.s) < 20":                                      false,
		"self.w == '50%' && self.w in ['50%', '60%']":                                           false,
		"'a' in self.l && self.s in ['x', 'some text'] && 'k' in self.m":                        false,
		"self.l[0] == 'a' && self.m['k'] == 'v'":                                                false,
		"self.ls.all(x, x.tags.exists(t, t != '') && self.ls.exists_one(y, x.name == y.name))":  false,
		"self.ls.filter(x, x.v > 1).size() == 1 && self.ls.map(x, x.v).sum() == 3":              false,
		"self.ls.map(x, x.name).exists(n, n == 'b') && self.m.all(k, size(k) == 1)":             false,
		"self.l == self.l && self.o == self.o":                                                  false,
		"self.d >= duration('30m') && self.t > timestamp('2000-01-01T00:00:00Z')":               false,
		"self.s.lowerAscii() == self.s && duration(self.p) < duration('1h')":                    false,
		"self.ls.all(i, x, i < 2 && x.v > 0) && self.m.exists(k, v, k == v || v == 'w')":        false,
		"self.?s.optMap(x, x == 'some text' && x.size() > 2).orValue(false)":                    false,
		"self.?o.optFlatMap(x, x.?a).orValue('') == 'z' && self.?i.optMap(x, x + 1).hasValue()": false,
		"self.l[?1].orValue('none') == 'b' && !self.m[?'zz'].hasValue()":                        false,
		"self.?s.or(optional.of('b')).value() == 'some text'":                                   false,
		"(self.l + self.l)[3] == 'b' && self.ls.filter(x, x.v > 0)[1].v == 2":                   false,
		"(self.b ? self.l : self.l)[0] == 'a' && (self.b ? self.o : self.o).a == 'z'":           false,
		"self.o == oldSelf.o && self.i >= oldSelf.i":                                            false,
		"oldSelf.hasValue() ? oldSelf.value().i <= self.i : true":                               true,
		"oldSelf.?i.orValue(5) == self.i && oldSelf.?s.hasValue() == oldSelf.hasValue()":        true,
	} {
		text := replaceRule(schema, rule, optional)
		p := compile(t, text)
		obj, old := decode(t, object), decode(t, object)
		for name, opts := range map[string][]cel.EvalOption{"create": nil, "update": {cel.Old(old)}} {
			if res := p.Eval(context.Background(), obj, opts...); len(res.Errors) > 0 {
				t.Fatalf("%s: %s: %v", rule, name, res.Errors)
			}
			if n := fewestAllocs(func() { p.Eval(context.Background(), obj, opts...) }); n != 0 {
				t.Errorf("%s: %s allocates %v times", rule, name, n)
			}
		}
	}
}

// TestLibraryAllocation checks that functions of quantities allocate nothing, and other
// functions with a closure only the text that they return.
func TestLibraryAllocation(t *testing.T) {
	const schema = `
type: object
properties: {q: {type: string}, p: {type: string}, ip: {type: string}, net: {type: string}, url: {type: string}, v: {type: string}, s: {type: string}, l: {type: array, items: {type: string}}}
x-kubernetes-validations: [{rule: "RULE"}]
`
	obj := decode(t, `{q: 512Mi, p: "1.5", ip: 10.1.2.3, net: 10.1.0.0/16, url: "https://example.org/path?q", v: 1.22.3, s: web-store, l: [a, b, c]}`)
	for rule, most := range map[string]float64{
		"isQuantity(self.q) && quantity(self.q).isLessThan(quantity('64Gi'))":                      0,
		"quantity(self.q).compareTo(quantity(self.p)) > 0 && quantity(self.q).isInteger()":         0,
		"quantity(self.q).add(quantity(self.q)).sub(quantity('1Mi')).isGreaterThan(quantity('1'))": 0,
		"quantity(self.q) != quantity(self.p) && quantity(self.p).asApproximateFloat() < 2.0":      0,
		"self.s.upperAscii() == 'WEB-STORE'":                                                       1,
	} {
		p := compile(t, replaceRule(schema, rule, false))
		if res := p.Eval(context.Background(), obj); len(res.Errors) > 0 {
			t.Fatalf("%s: %v", rule, res.Errors)
		}
		if n := fewestAllocs(func() { p.Eval(context.Background(), obj) }); n > most {
			t.Errorf("%s allocates %v times, want %v at most", rule, n, most)
		}
	}
}

// TestErrorAllocation checks how much each error of a call allocates: itself, the error of
// the server, its texts, and its part of the list.
func TestErrorAllocation(t *testing.T) {
	p := compile(t, `
type: object
properties:
  l:
    type: array
    items:
      type: object
      properties: {a: {type: integer}, b: {type: integer}}
      x-kubernetes-validations: [{rule: self.a > 1}, {rule: self.b > 1}, {rule: "!has(self.b)"}]
`)
	loops := compile(t, `
type: object
properties: {l: {type: array, items: {type: object, properties: {a: {type: integer}, b: {type: integer}}}}}
x-kubernetes-validations: [{rule: "self.l.filter(x, x.a > 1).size() > 0"}, {rule: "self.l.map(x, x.b).sum() > 0"}, {rule: "self.l.map(x, x.a > 0, x.b).exists(b, b > 1)"}]
`)
	obj := decode(t, `{l: [{a: 1}, {b: 2}]}`)
	if n := fewestAllocs(func() { loops.Eval(context.Background(), obj) }); n > 3*errorAllocations || len(loops.Eval(context.Background(), obj).Errors) != 3 {
		t.Errorf("loops that fail allocate %v times", n)
	}
	for _, object := range []string{`{l: [{b: 3}]}`, `{l: [{}, {b: 0}, {a: 1}, {a: 5}, {b: 7}]}`} {
		obj := decode(t, object)
		errs := len(p.Eval(context.Background(), obj).Errors)
		if errs == 0 {
			t.Fatalf("%s: no error", object)
		}
		if n := fewestAllocs(func() { p.Eval(context.Background(), obj) }); n > errorAllocations*float64(errs) {
			t.Errorf("%s allocates %v times", object, n)
		}
	}
}

const errorAllocations = 8 // for one error

// TestMessageAllocation checks that a messageExpression allocates once for each
// text that it makes, in addition to errorAllocations.
func TestMessageAllocation(t *testing.T) {
	const schema = `
type: object
properties: {s: {type: string}, i: {type: integer}, b: {type: string}}
x-kubernetes-validations: [{rule: self.i < 2, messageExpression: "MESSAGE"}]
`
	obj := decode(t, `{s: some text, i: 5}`)
	for message, made := range map[string]float64{
		"self.s":                         0,
		"self.b":                         0,
		"self.i > 3 ? 'large' : 'small'": 0,
		"'i is ' + string(self.i) + ', and s is ' + self.s + '.'": 1,
		"(self.s + '!') + (self.s + '?')":                         2,
	} {
		p := compile(t, strings.ReplaceAll(schema, "MESSAGE", message))
		if n := fewestAllocs(func() { p.Eval(context.Background(), obj) }); n > 5+made {
			t.Errorf("%s allocates %v times, want %v at most", message, n, 5+made)
		}
	}
}

// fewestAllocs returns the smallest number of allocations of several runs. The
// garbage collector may empty the pool of runs at any time, and the race
// detector empties it at random.
func fewestAllocs(run func()) float64 {
	fewest := testing.AllocsPerRun(1, run)
	for range 50 {
		fewest = min(fewest, testing.AllocsPerRun(1, run))
	}
	return fewest
}

func replaceRule(schema, rule string, optional bool) string {
	set := ""
	if optional {
		set = ", optionalOldSelf: true"
	}
	return strings.NewReplacer("RULE", rule, ", optionalOldSelf: OPTIONAL", set).Replace(schema)
}
