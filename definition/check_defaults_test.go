package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// propertyX is a schema of objects with the property x.
const propertyX = `{"type":"object","properties":{"x":%s}}`

// TestUnknownFieldsOfDefaults: a default must not have a field that pruning removes. Objects
// in a list keep unknown fields if a list around them preserves them, but not those below a
// declared field.
func TestUnknownFieldsOfDefaults(t *testing.T) {
	const (
		item     = `{"type":"object","properties":{"a":{"type":"object"}}}`
		keep     = `"x-kubernetes-preserve-unknown-fields":true`
		embedded = `{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"metadata":{"type":"object"},"spec":{"type":"object"}}}`
		values   = `{"type":"object","additionalProperties":{"type":"object"}}`
		resource = `"apiVersion":"v1","kind":"A","metadata":{"labels":{"a":"b"}}`
	)
	list := func(items, more string) string { return `{"type":"array","items":` + items + more }
	for _, tt := range []struct {
		name, schema, value string // schema without its end, and the default
		refused             bool
	}{
		{"declared field", item[:len(item)-1], `{"a":{}}`, false},
		{"unknown field", item[:len(item)-1], `{"b":1}`, true},
		{"unknown field below", item[:len(item)-1], `{"a":{"b":1}}`, true},
		{"elements with declared fields", list(item, ""), `[{"a":{}},{}]`, false},
		{"first element with an unknown field", list(item, ""), `[{"b":1},{"a":{}}]`, true},
		{"last element with an unknown field", list(item, ""), `[{"a":{}},{"b":1}]`, true},
		{"inner list with declared fields", list(list(item, "}"), ""), `[[{"a":{}}]]`, false},
		{"inner list with an unknown field", list(list(item, "}"), ""), `[[],[{"b":1}]]`, true},
		{"preserving list with an unknown field", list(item, ","+keep), `[{"b":1}]`, false},
		{"preserving list with an unknown object", list(item, ","+keep), `[{"b":{"c":1}}]`, false},
		{"preserving list with an unknown field below a declared one", list(item, ","+keep), `[{"a":{"c":1}}]`, true},
		{"inner list of a preserving list", list(list(item, "}"), ","+keep), `[[{"b":1}]]`, false},
		{"inner list of a preserving list, below a declared field", list(list(item, "}"), ","+keep), `[[{"a":{"c":1}}]]`, true},
		{"preserving inner list", list(list(item, ","+keep+"}"), ""), `[[{"b":1}]]`, false},
		{"values of a map in a preserving list", list(values, ","+keep), `[{"v":{}}]`, false},
		{"unknown field in a map of a preserving list", list(values, ","+keep), `[{"v":{"b":1}}]`, true},
		{"embedded resource in a list", list(embedded, ""), `[{` + resource + `,"spec":{}}]`, false},
		{"unknown field of an embedded resource in a list", list(embedded, ""), `[{` + resource + `,"b":1}]`, true},
		{"metadata of an embedded resource in a preserving list", list(embedded, ","+keep), `[{` + resource + `,"b":1}]`, false},
		{"unknown field below an embedded resource in a preserving list", list(embedded, ","+keep), `[{` + resource + `,"spec":{"b":1}}]`, true},
		{"embedded resource", embedded[:len(embedded)-1], `{` + resource + `}`, false},
		{"unknown field of an embedded resource", embedded[:len(embedded)-1], `{` + resource + `,"b":1}`, true},
		{"a scalar has no fields", `{"type":"string"`, `"a"`, false},
		{"an object without any fields", `{"type":"object"`, `{}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", fmt.Sprintf(propertyX, tt.schema+`,"default":`+tt.value+`}`)))
			var want []string
			if tt.refused {
				want = []string{`/spec/versions/0/schema/openAPIV3Schema/properties/x/default: Invalid value: spec.validation.openAPIV3Schema.properties[x].default: must not have unknown fields`}
			}
			if diff := cmp.Diff(want, reportLines(Check(crd))); diff != "" {
				t.Errorf("Check (-want +got):\n%s", diff)
			}
			// What is stored already may keep its faults.
			if report := CheckUpdate(crd, crd); !report.Accepted() {
				t.Errorf("CheckUpdate of itself: %v", report.Err())
			}
		})
	}
}

// TestRulesOfDefaultsSpendOneBudget: the rules of all defaults together have one budget.
// Once it is spent no further default is checked.
func TestRulesOfDefaultsSpendOneBudget(t *testing.T) {
	// The cost of one rule is 900 000: a tenth of the length of each text.
	text := strings.Repeat("a", 100_000)
	rule := fmt.Sprintf(`{"rule":"!self.contains('%s')"}`, strings.Repeat("b", 900))
	costly := func(rules int) string {
		return fmt.Sprintf(`{"type":"string","default":%q,"x-kubernetes-validations":[%s]}`, text, strings.Join(repeated(rule, rules), ","))
	}
	const invalid = `{"type":"integer","default":1,"x-kubernetes-validations":[{"rule":"self > 1","message":"small"}]}`
	const tooSmall = `properties/%[1]s/default: Invalid value: spec.validation.openAPIV3Schema.properties[%[1]s].default: small`
	const spent = `properties/%[1]s/default: Invalid value: spec.validation.openAPIV3Schema.properties[%[1]s].default: validation failed due to running out of cost budget, no further validation rules will be run`
	for _, tt := range []struct {
		name   string
		schema []string // of the properties a, b, c
		want   []string
	}{
		{"one default within the budget", []string{costly(11), invalid}, []string{fmt.Sprintf(tooSmall, "b")}},
		{"one default over the budget", []string{costly(12), invalid}, []string{fmt.Sprintf(spent, "a")}},
		{"two defaults within the budget", []string{costly(6), costly(5), invalid}, []string{fmt.Sprintf(tooSmall, "c")}},
		{"two defaults over the budget", []string{costly(6), costly(6), invalid}, []string{fmt.Sprintf(spent, "b")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var properties []string
			for i, s := range tt.schema {
				properties = append(properties, fmt.Sprintf(`"%c":%s`, 'a'+i, s))
			}
			crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object","properties":{`+strings.Join(properties, ",")+`}}`))
			var got []string
			for _, line := range reportLines(Check(crd)) {
				got = append(got, strings.TrimPrefix(line, "/spec/versions/0/schema/openAPIV3Schema/"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Check (-want +got):\n%s", diff)
			}
		})
	}
}

func repeated(text string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = text
	}
	return out
}

// TestDefaultsAndLimits: a default at a limit is valid, one beyond it is not.
func TestDefaultsAndLimits(t *testing.T) {
	for _, tt := range []struct{ limits, valid, invalid string }{
		{`"type":"string"`, `"a"`, `1`},
		{`"type":"string","pattern":"^b$"`, `"b"`, `"a"`},
		{`"type":"string","minLength":2`, `"éé"`, `"é"`},
		{`"type":"string","maxLength":2`, `"éé"`, `"ééé"`},
		{`"type":"string","enum":["a","b"]`, `"b"`, `"c"`},
		{`"type":"string","enum":["aa"],"minLength":2,"maxLength":2`, `"aa"`, `"a"`},
		{`"type":"string","format":"date"`, `"2026-01-02"`, `"x"`},
		{`"type":"string","anyOf":[{"minLength":2}]`, `"aa"`, `"a"`},
		{`"type":"string","not":{"enum":["a"]}`, `"b"`, `"a"`},
		{`"type":"boolean"`, `true`, `"a"`},
		{`"type":"boolean","enum":[true]`, `true`, `false`},
		{`"type":"integer"`, `7`, `"a"`},
		{`"type":"integer","multipleOf":2`, `4`, `5`},
		{`"type":"integer","minimum":3`, `3`, `2`},
		{`"type":"integer","minimum":3,"exclusiveMinimum":true`, `4`, `3`},
		{`"type":"integer","maximum":3`, `3`, `4`},
		{`"type":"integer","maximum":3,"exclusiveMaximum":true`, `2`, `3`},
		{`"type":"integer","minimum":-3,"maximum":-3`, `-3`, `0`},
		{`"type":"integer","enum":[3]`, `3`, `4`},
		{`"type":"integer","format":"int32"`, `2147483647`, `2147483648`},
		{`"type":"integer","format":"int64"`, `2147483648`, `9223372036854775808`},
		{`"type":"number","minimum":0.5`, `0.5`, `0.25`},
		{`"type":"number","maximum":0.5`, `0.5`, `0.75`},
		{`"type":"object"`, `{}`, `[]`},
		{`"type":"object","required":["a"],"properties":{"a":{"type":"string"}}`, `{"a":""}`, `{}`},
		{`"type":"object","minProperties":1,"additionalProperties":{"type":"string"}`, `{"a":""}`, `{}`},
		{`"type":"object","maxProperties":1,"additionalProperties":{"type":"string"}`, `{"a":""}`, `{"a":"","b":""}`},
		{`"type":"object","additionalProperties":{"type":"string"}`, `{"a":"b"}`, `{"a":1}`},
		{`"type":"object","x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-embedded-resource":true`, `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}`, `{}`},
		{`"type":"array","items":{"type":"string"}`, `[]`, `{}`},
		{`"type":"array","items":{"type":"string"}`, `["a"]`, `[1]`},
		{`"type":"array","items":{"type":"string"},"minItems":1`, `["a"]`, `[]`},
		{`"type":"array","items":{"type":"string"},"maxItems":1`, `["a"]`, `["a","b"]`},
		{`"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"`, `["a","b"]`, `["a",1]`},
	} {
		accepted := func(value string) bool {
			crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", fmt.Sprintf(propertyX, `{`+tt.limits+`,"default":`+value+`}`)))
			return Check(crd).Accepted()
		}
		if !accepted(tt.valid) {
			t.Errorf("%s is refused as a default of %s", tt.valid, tt.limits)
		}
		if accepted(tt.invalid) {
			t.Errorf("%s is accepted as a default of %s", tt.invalid, tt.limits)
		}
	}
}

// TestRuleErrorsOfDefaults: an error of a rule about a default has the field of the default,
// followed by the fieldPath of the rule.
func TestRuleErrorsOfDefaults(t *testing.T) {
	const object = `"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.a > 1","message":"small","fieldPath":".a"}]`
	for _, tt := range []struct{ name, schema, pointer, field string }{
		{"whole object", `{` + object + `,"default":{"apiVersion":"v1","kind":"A","a":1}}`, "/default/a", ".default.a"},
		{"property", fmt.Sprintf(propertyX, `{`+object+`,"default":{"a":1}}`), "/properties/x/default/a", ".properties[x].default.a"},
		{"items", fmt.Sprintf(propertyX, `{"type":"array","items":{`+object+`,"default":{"a":1}}}`), "/properties/x/items/default/a", ".properties[x].items.default.a"},
		{"below a whole object", `{"type":"object","default":{"apiVersion":"v1","kind":"A","x":{"a":1}},"properties":{"x":{` + object + `}}}`, "/default/x/a", ".default.x.a"},
		{"element of a default", fmt.Sprintf(propertyX, `{"type":"array","default":[{"a":2},{"a":1}],"items":{`+object+`}}`), "/properties/x/default/1/a", ".properties[x].default[1].a"},
	} {
		crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", tt.schema))
		want := []string{openAPIPointer + tt.pointer + ": Invalid value: spec.validation.openAPIV3Schema" + tt.field + ": small"}
		if diff := cmp.Diff(want, reportLines(Check(crd))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
