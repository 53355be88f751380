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
			out, ok := plan.JSON(in, fastpath.Request{Splice: splice, Create: true, Namespaced: true, Namespace: "n"})
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
			v := plan.Values()
			got, ok := v.RuleInput(text, false)
			if out, err := json.Marshal(got); !ok || err != nil || string(out) != text {
				t.Errorf("RuleInput(%s) = %s, %t", text, out, ok)
			}
			v.Release()
		}
	}
	for _, depth := range []int{100, 600} {
		text := `{"r":{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}`
		if _, ok := plan.Values().RuleInput(text, false); ok != (depth < jsonscan.MaxDepth) {
			t.Errorf("%d lists in one another are read: %t", depth, ok)
		}
	}
}
