package fastpath_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/fastpath"
)

// The old object of an update shares the objects and lists that have not changed,
// and is otherwise what it is on its own.
func TestSharedRuleInput(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}}}`}), testConfig)
	const wide = `{"m":{"x":[1]},"l":[{"k":"a","v":{"w":[]}},{"k":"b"},{"k":"c","v":{}}],"o":{"p":{"q":"r"}},"n":1}`
	for _, tt := range []struct {
		name, spec, old string
		same            int // objects and lists below spec that are shared
	}{
		{"nothing changed", wide, wide, 11},
		{"a number changed", wide, strings.Replace(wide, `"n":1`, `"n":2`, 1), 10},
		{"an element changed", wide, strings.Replace(wide, `"k":"b"`, `"k":"x"`, 1), 8},
		{"a value inside changed", wide, strings.Replace(wide, `"w":[]`, `"w":[2]`, 1), 7},
		{"an element is new", wide, strings.Replace(wide, `{"k":"b"},`, "", 1), 8},
		{"a member is new", wide, strings.Replace(wide, `"m":{"x":[1]},`, "", 1), 8},
		{"an element is gone", wide, strings.Replace(wide, `{"k":"b"}`, `{"k":"x"},{"k":"b"}`, 1), 9},
		{"two elements are gone and one is another", wide, strings.Replace(wide, `{"k":"a","v":{"w":[]}},`, `{"k":"x"},{"k":"y"},`, 1), 7},
		{"longer", `{"a":[1]}`, `{"a":[1,2]}`, 0},
		{"a list became an object", `{"a":[]}`, `{"a":{}}`, 0},
		{"all are new", `{}`, wide, 0},
		{"all are gone", wide, `{}`, 0},
	} {
		v := plan.Values(nil)
		for range 2 { // The second time with the memory of the first.
			got, ok := v.RuleInput(fmt.Sprintf(`{"spec":%s}`, tt.spec), true)
			old, oldOK := v.RuleInput(fmt.Sprintf(`{"spec":%s}`, tt.old), true)
			if !ok || !oldOK {
				t.Fatalf("%s: not read", tt.name)
			}
			for _, x := range []struct {
				m    map[string]any
				text string
			}{{got, tt.spec}, {old, tt.old}} {
				var want any
				if err := json.Unmarshal([]byte(x.text), &want); err != nil {
					t.Fatal(err)
				}
				if text, _ := json.Marshal(x.m["spec"]); string(text) != string(marshalled(t, want)) {
					t.Errorf("%s: %s, want %s", tt.name, text, x.text)
				}
			}
			if reflect.ValueOf(got).Pointer() == reflect.ValueOf(old).Pointer() {
				t.Errorf("%s: the whole object is shared", tt.name)
			}
			first := map[uintptr]bool{}
			parts(got["spec"], func(p uintptr) { first[p] = true })
			same := 0
			parts(old["spec"], func(p uintptr) {
				if first[p] {
					same++
				}
			})
			if same != tt.same {
				t.Errorf("%s: %d are shared, want %d", tt.name, same, tt.same)
			}
			v.Release()
			v = plan.Values(nil)
		}
	}
}

// Equal texts of which rules read different members are not shared.
func TestSharedRuleInputByRules(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Spec: `{type: object, properties: {
		a: {type: object, properties: {x: &ruled {type: integer, x-kubernetes-validations: [{rule: "true"}]}, "y": {type: integer}}},
		b: {type: object, properties: {x: {type: integer}, "y": *ruled}}}}`}), testConfig)
	v := plan.Values(nil)
	for text, want := range map[string]string{`{"a":{"x":1,"y":2}}`: `{"a":{"x":1}}`, `{"b":{"x":1,"y":2}}`: `{"b":{"y":2}}`} {
		got, ok := v.RuleInput(`{"spec":`+text+`}`, true)
		if spec := string(marshalled(t, got["spec"])); !ok || spec != want {
			t.Errorf("%s is read as %s, want %s", text, spec, want)
		}
	}
}

func marshalled(t *testing.T, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// parts calls f with the addresses of the objects in v and of the lists that are not
// empty.
func parts(v any, f func(uintptr)) {
	switch v := v.(type) {
	case map[string]any:
		f(reflect.ValueOf(v).Pointer())
		for _, w := range v {
			parts(w, f)
		}
	case []any:
		if len(v) > 0 {
			f(reflect.ValueOf(v).Pointer())
		}
		for _, w := range v {
			parts(w, f)
		}
	}
}
