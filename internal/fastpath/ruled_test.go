package fastpath_test

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/validation/cel"
)

// An object is ruled if it has a value with rules, which may be a part of a default. Rules
// that have no effect without an old object do not count.
func TestRuled(t *testing.T) {
	n := compileGroup(t, &group{Spec: `{type: object, properties: {
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
		embedded: {type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}}},
		free: {type: object, properties: {s: {type: string}}}}}`})
	program, errs := cel.Compile(n)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	cfg := testConfig
	cfg.Reads = program.Reads
	plan := fastpath.Compile(n, cfg)
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
		`{"embedded":{"apiVersion":"v1","kind":"K"}}`: true,
	} {
		for _, splice := range []bool{false, true} {
			out, ok := plan.JSON(head+`"spec":`+spec+`}`, &fastpath.Request{Splice: splice})
			if !ok || out.Ruled() != want {
				t.Errorf("%s: taken %t, ruled %t, want %t", spec, ok, ok && out.Ruled(), want)
			}
			if ok {
				out.Release()
			}
		}
	}
	without := fastpath.Compile(n, testConfig)
	if out, ok := without.JSON(head+`"spec":{"fixed":"a"}}`, &fastpath.Request{}); !ok || !out.Ruled() {
		t.Error("a transition rule does not count for rules that read everything")
	}
	for _, name := range []string{"apiVersion", "kind"} {
		n := compileGroup(t, &group{Root: fmt.Sprintf(`{type: object, properties: {%s: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}}}`, name)})
		if out, ok := fastpath.Compile(n, testConfig).JSON(head+`"spec":{}}`, &fastpath.Request{}); !ok || !out.Ruled() {
			t.Errorf("a rule on %s does not count: taken %t", name, ok)
		}
	}
}
