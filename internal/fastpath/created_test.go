package fastpath_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// The walks prepare the metadata of new objects, in its place, also if the members
// after it are removed.
func TestCreatedMetadata(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {spec: {type: integer}}}`}), testConfig)
	const canonical = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":1,"name":"a","namespace":"n"},"spec":1}`
	for in, spliced := range map[string]string{
		`{"metadata":{"name":"a"},"u":2,"spec":1,"kind":"Thing","apiVersion":"example.com/v1"}`:    `{"metadata":{"generation":1,"name":"a","namespace":"n"},"spec":1,"kind":"Thing","apiVersion":"example.com/v1"}`,
		`{"apiVersion":"example.com/v1","kind":"Thing","u":2,"metadata":{"name":"a"},"spec":1}`:    `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":1,"name":"a","namespace":"n"},"spec":1}`,
		`{"apiVersion":"example.com/v1","kind":"Thing","spec":1,"metadata":{"name":"a"},"u":2}`:    `{"apiVersion":"example.com/v1","kind":"Thing","spec":1,"metadata":{"generation":1,"name":"a","namespace":"n"}}`,
		`{"kind":"Thing","spec": 1,"apiVersion":"example.com/v1", "metadata" : { "name" : "a" } }`: `{"kind":"Thing","spec": 1,"apiVersion":"example.com/v1", "metadata" : {"generation":1,"name":"a","namespace":"n"} }`,
	} {
		for splice, want := range map[bool]string{false: canonical, true: spliced} {
			out, ok := plan.JSON(in, &fastpath.Request{Splice: splice, Create: true, Namespaced: true, Namespace: "n"})
			if !ok || out.Metadata() != nil {
				t.Fatalf("%s: accepted %t", in, ok)
			}
			if got := string(out.Append(nil)); got != want || out.View() != want || out.Unmodified() {
				t.Errorf("%s\nAppend %s\nView   %s\nwant   %s (splice %t)", in, got, out.View(), want, splice)
			}
			out.Release()
		}
	}
}

// The walk decodes of an object or list only what its enum and junctors read.
func TestJudged(t *testing.T) {
	for _, tt := range []struct{ schema, valid, wrong string }{
		{`{type: object, anyOf: [{required: [a]}, {required: [b]}], properties: {a: {type: object}, b: {type: integer}, c: {type: integer}}}`, `{"a":{},"c":1}`, `{"c":1}`},
		{`{type: object, oneOf: [{required: [a]}, {required: [b]}], properties: {a: {type: object}, b: {type: integer}}}`, `{"b":1}`, `{"a":{},"b":1}`},
		{`{type: object, anyOf: [{properties: {a: {enum: [x]}}}, {required: [b]}], properties: {a: {type: string}, b: {type: string}}}`, `{"a":"x"}`, `{"a":"y"}`},
		{`{type: object, not: {properties: {a: {properties: {b: {minimum: 5}}}}}, properties: {a: {type: object, properties: {b: {type: integer}}}}}`, `{"a":{"b":4}}`, `{"a":{"b":5}}`},
		{`{type: object, allOf: [{anyOf: [{not: {properties: {a: {maxLength: 1}}}}, {required: [c]}]}], properties: {a: {type: string}, c: {type: string}}}`, `{"a":"xx"}`, `{"a":"x"}`},
		{`{type: object, not: {minProperties: 2}, additionalProperties: {type: string}}`, `{"a":"x"}`, `{"a":"x","b":"y"}`},
		{`{type: object, enum: [{a: {b: 1}}], properties: {a: {type: object, properties: {b: {type: integer}}}}}`, `{"a":{"b":1}}`, `{"a":{"b":2}}`},
		{`{type: object, anyOf: [{enum: [{a: 1}]}, {required: [b]}], properties: {a: {type: integer}, b: {type: integer}}}`, `{"a":1}`, `{"a":2}`},
		{`{type: array, not: {minItems: 2}, items: {type: string}}`, `["a"]`, `["a","b"]`},
		{`{type: array, anyOf: [{items: {maximum: 1}}, {minItems: 3}], items: {type: integer}}`, `[0,1]`, `[0,2]`},
		{`{type: array, anyOf: [{items: {properties: {a: {maximum: 1}}}}], items: {type: object, properties: {a: {type: integer}}}}`, `[{"a":1}]`, `[{"a":2}]`},
	} {
		plan := fastpath.Compile(compileGroup(t, &group{Spec: "{type: object, properties: {v: " + tt.schema + "}}"}), testConfig)
		for _, splice := range []bool{false, true} {
			for range 2 { // The second walk uses the memory of the first.
				if !accepts(plan, head+`"spec":{"v":`+tt.valid+`}}`, fastpath.Request{Splice: splice}) {
					t.Errorf("%s declines %s, splice %t", tt.schema, tt.valid, splice)
				}
				if accepts(plan, head+`"spec":{"v":`+tt.wrong+`}}`, fastpath.Request{Splice: splice}) {
					t.Errorf("%s accepts %s, splice %t", tt.schema, tt.wrong, splice)
				}
			}
		}
	}
}

// An object may have more members than a word has bits.
func TestManyMembers(t *testing.T) {
	const n = 200
	var props, required, all []string
	for i := range n {
		props = append(props, fmt.Sprintf("m%03d: {type: integer}", i))
		all = append(all, fmt.Sprintf(`"m%03d":%d`, i, i))
	}
	for _, i := range []int{0, 63, 64, 65, 127, 128, 199} {
		required = append(required, fmt.Sprintf("m%03d", i))
	}
	plan := fastpath.Compile(compileGroup(t, &group{Spec: fmt.Sprintf("{type: object, required: [%s], properties: {d: {type: integer, default: 1}, %s}}",
		strings.Join(required, ", "), strings.Join(props, ", "))}), testConfig)
	accepts := func(members []string) bool {
		text := head + `"spec":{` + strings.Join(members, ",") + "}}"
		fromText := accepts(plan, text, fastpath.Request{})
		if spliced := accepts(plan, text, fastpath.Request{Splice: true}); spliced != fromText {
			t.Errorf("spliced: %t, written: %t", spliced, fromText)
		}
		return fromText
	}
	if !accepts(all) {
		t.Error("all members are declined")
	}
	for i := range n {
		without := append(append([]string{}, all[:i]...), all[i+1:]...)
		name := fmt.Sprintf("m%03d", i)
		if got, want := accepts(without), !strings.Contains(strings.Join(required, " "), name); got != want {
			t.Errorf("without %s: accepted is %t", name, got)
		}
		if accepts(append(without, all[i], all[i])) {
			t.Errorf("%s is accepted twice", name)
		}
	}
}

// A map that is declined is as it was, also if nulls in it had been replaced.
func TestDeclinedMapIsRestored(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Spec: `{type: object, properties: {
		a: {type: integer, default: 1}, b: {type: integer, default: 2}, l: {type: array, items: {type: integer, default: 3}}, k: {type: string}, z: {type: integer}}}`}), testConfig)
	const text = head + `"spec":{"a":null,"l":[null,4,null],"k":null,"u":{"v":1},"z":"no integer"}}`
	for range 20 { // in several orders of the map
		v, _ := jsonscan.Decode(text)
		want, _ := jsonscan.Decode(text)
		if _, ok := plan.Map(v.(map[string]any), fastpath.MapRequest{Report: true}); ok {
			t.Fatal("a wrong type is accepted")
		}
		if diff := cmp.Diff(want, v); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// Values that are released are used again, and have nothing left of the object
// before.
func TestValuesAreUsedAgain(t *testing.T) {
	n := compileGroup(t, &group{Root: `{type: object, properties: {r: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}}}`})
	plan := fastpath.Compile(n, testConfig)
	for range 3 {
		for _, text := range []string{`{"r":{"a":[{"b":"c"},[1,"d"]],"e":{"f":null}}}`, `{"r":{}}`, `{"r":{"a":["x"],"y":{}}}`} {
			v := plan.Values(nil)
			got, ok := v.RuleInput(text, false)
			if out, err := json.Marshal(withMaps(got)); !ok || err != nil || string(out) != text {
				t.Errorf("RuleInput(%s) = %s, %t", text, out, ok)
			}
			v.Release()
		}
	}
	for _, depth := range []int{100, 600} {
		text := `{"r":{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}`
		if _, ok := plan.Values(nil).RuleInput(text, false); ok != (depth < jsonscan.MaxDepth) {
			t.Errorf("%d lists in one another are read: %t", depth, ok)
		}
	}
}
