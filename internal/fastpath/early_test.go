package fastpath_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/fastpath"
)

// orders calls do with every order of the members.
func orders(members []string, n int, do func([]string)) {
	if n == len(members) {
		do(members)
		return
	}
	for i := n; i < len(members); i++ {
		members[n], members[i] = members[i], members[n]
		orders(members, n+1, do)
		members[n], members[i] = members[i], members[n]
	}
}

// The walk over a new object writes a default as soon as a later member comes. It takes
// it back if the member of the default comes afterwards.
func TestDefaultsOfMembersInEveryOrder(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Spec: `{type: object, maxProperties: 7, properties: {
		a: {type: integer}, b: {type: integer, default: 1}, c: {type: object, default: {}, properties: {d: {type: integer, default: 2}}},
		e: {type: string}, f: {type: boolean, default: true}, g: {type: integer, default: 3}}}`}), testConfig)
	for _, tt := range []struct {
		members []string
		want    string // nothing if the object is declined in every order
	}{
		{nil, `{"b":1,"c":{"d":2},"f":true,"g":3}`},
		{[]string{`"e":"x"`}, `{"b":1,"c":{"d":2},"e":"x","f":true,"g":3}`},
		{[]string{`"a":0`, `"e":"x"`, `"undeclared":1`}, `{"a":0,"b":1,"c":{"d":2},"e":"x","f":true,"g":3}`},
		{[]string{`"a":0`, `"b":5`, `"c":{}`, `"e":"x"`, `"f":false`, `"g":4`}, `{"a":0,"b":5,"c":{"d":2},"e":"x","f":false,"g":4}`},
		{[]string{`"b":null`, `"c":null`, `"g":4`, `"a1":5`}, `{"b":1,"c":{"d":2},"f":true,"g":4}`},
		{[]string{`"c":{ "undeclared":1}`, ` "g":4`}, `{"b":1,"c":{"d":2},"f":true,"g":4}`},
		{[]string{`"b":5`, `"e":"x"`, `"b":5`}, ""},
		{[]string{`"b":5`, `"g":4`, `"b":6`, `"c":{"d":1}`}, ""},
		{[]string{`"c":{"d":"no integer"}`, `"g":4`}, ""},
	} {
		orders(slices.Clone(tt.members), 0, func(members []string) {
			for _, space := range []string{"", " "} {
				text := head + `"spec":{` + space + strings.Join(members, ",") + `}}`
				for _, create := range []bool{false, true} {
					out, ok := plan.JSON(text, &fastpath.Request{Create: create, Namespaced: true, Namespace: "n"})
					if ok != (tt.want != "") {
						t.Fatalf("%s, create %t: accepted is %t", text, create, ok)
					}
					if !ok {
						continue
					}
					if got := out.Member("spec"); got != tt.want {
						t.Errorf("%s, create %t\ngot  %s\nwant %s", text, create, got, tt.want)
					}
					out.Release()
				}
			}
		})
	}
}

// Members that the walk puts in early count like the others, and tell elements apart.
func TestEarlyDefaultsCount(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Spec: `{type: object, properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, c],
		items: {type: object, maxProperties: 3, required: [c], properties: {a: {type: integer, default: 1}, b: {type: integer}, c: {type: integer}, d: {type: integer}}}}}}`}), testConfig)
	for list, want := range map[string]bool{
		`[{"b":1,"c":1},{"a":2,"c":1},{"c":2}]`: true,
		`[{"c":1,"a":2},{"c":1}]`:               true,
		`[{"b":1,"c":1},{"a":1,"c":1}]`:         false,
		`[{"c":1},{"c":1,"a":1}]`:               false,
		`[{"b":1,"c":1,"d":1}]`:                 false,
		`[{"c":1,"d":1,"a":3}]`:                 true,
	} {
		for _, create := range []bool{false, true} {
			if got := accepts(plan, head+`"spec":{"l":`+list+`}}`, fastpath.Request{Create: create, Namespaced: true, Namespace: "n"}); got != want {
				t.Errorf("%s, create %t: accepted is %t", list, create, got)
			}
		}
	}
}

// The walk leaves defaults that it cannot set, and that of a status that it drops, until
// the object is complete.
func TestDefaultsThatAreNotSetEarly(t *testing.T) {
	cfg := testConfig
	cfg.DropStatus = true
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {
		spec: {type: object, properties: {a: {type: integer, minimum: 5, default: 1}, b: {type: integer}}},
		status: {type: object, default: {}}, topology: {type: integer}}}`}), cfg)
	for members, want := range map[string]bool{
		`"spec":{"b":1,"a":6},"topology":1,"status":{}`: true,
		`"spec":{"a":6,"b":1},"status":{},"topology":1`: true,
		`"spec":{},"topology":1`:                        false,
		`"topology":1,"spec":{"b":1}`:                   false,
	} {
		out, ok := plan.JSON(head+members+"}", &fastpath.Request{Create: true, Namespaced: true, Namespace: "n"})
		if ok != want {
			t.Errorf("%s: accepted is %t", members, ok)
		}
		if ok {
			const stored = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":1,"name":"a","namespace":"n"},"spec":{"a":6,"b":1},"topology":1}`
			if got := string(out.Append(nil)); got != stored {
				t.Errorf("%s\ngot  %s\nwant %s", members, got, stored)
			}
			out.Release()
		}
	}
}

// The first member of the whole object may be one that has a default before it.
func TestDefaultBeforeAllMembers(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {a: {type: integer, default: 1}, spec: {type: object}}}`}), testConfig)
	out, ok := plan.JSON(head+`"spec":{}}`, &fastpath.Request{Create: true, Namespaced: true, Namespace: "n"})
	const want = `{"a":1,"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":1,"name":"a","namespace":"n"},"spec":{}}`
	if got := string(out.Append(nil)); !ok || got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
