package validation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/validation"
)

// If no branch of anyOf is satisfied, the errors of the branch with the highest
// count of checks are reported. TestCounts measures the count of one value: a branch that
// contains it competes with branches whose counts are known.
func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		name, branch, value string
		want                int
	}{
		{"a string", `{}`, `"a"`, 5},
		{"a format", `{format: date}`, `"2020-01-01"`, 8},
		{"a wrong format", `{format: date}`, `"a"`, 8},
		{"a format that is not known", `{format: unknown}`, `"a"`, 5},
		{"a format that is not for this kind", `{format: date}`, `true`, 5},
		{"a length and a pattern", `{maxLength: 1, pattern: a}`, `"a"`, 5},
		{"a boolean", `{}`, `true`, 4},
		{"null", `{}`, `null`, 1},
		{"null with anything else", `{enum: ["a"], allOf: [{}, {}]}`, `null`, 1},
		{"null with a format", `{format: date}`, `null`, 1},
		{"an integer", `{}`, `1`, 6},
		{"an integer with bounds", `{minimum: 1, maximum: 3, multipleOf: 1}`, `1`, 6},
		{"a number", `{}`, `1.5`, 6},
		{"a number with bounds", `{minimum: 1, maximum: 3}`, `1.5`, 6},
		{"a wrong enum", `{enum: ["b"]}`, `"a"`, 5},
		{"an empty list", `{}`, `[]`, 6},
		{"a list whose elements have no schema", `{maxItems: 3}`, `["a","b"]`, 6},
		{"a list of two strings", `{items: {maxLength: 3}}`, `["a","b"]`, 16},
		{"a list of a wrong and a right string", `{items: {maxLength: 1}}`, `["aa","b"]`, 16},
		{"an empty object", `{}`, `{}`, 5},
		{"an object with one string", `{properties: {a: {maxLength: 3}}}`, `{"a":"b"}`, 10},
		{"an object with two values", `{properties: {a: {maxLength: 3}, b: {minimum: 1}}}`, `{"a":"b","b":1}`, 16},
		{"an undeclared property", `{properties: {a: {maxLength: 3}}}`, `{"b":"b"}`, 5},
		{"an object with few of many properties", `{properties: {a: {maxLength: 3}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}, i: {}, j: {}, k: {minimum: 1}}}`, `{"a":"b","k":1}`, 16},
		{"all of two", `{allOf: [{maxLength: 3}, {pattern: a}]}`, `"a"`, 15},
		{"all of two that fail", `{allOf: [{maxLength: 0}, {pattern: b}]}`, `"a"`, 15},
		{"any of two: the first that is satisfied", `{anyOf: [{maxLength: 0, format: date}, {}, {format: date}]}`, `"a"`, 10},
		{"any of two: the best that fails", `{anyOf: [{maxLength: 0}, {format: date}, {maxLength: 0}]}`, `"a"`, 13},
		{"one of two: the satisfied one", `{oneOf: [{maxLength: 0}, {allOf: [{}]}, {maxLength: 0}]}`, `"a"`, 15},
		{"one of two: the best that fails", `{oneOf: [{maxLength: 0}, {format: date}]}`, `"a"`, 13},
		{"one of two: both are satisfied", `{oneOf: [{}, {allOf: [{}]}]}`, `"a"`, 5},
		{"not", `{not: {allOf: [{maxLength: 0}]}}`, `"a"`, 5},
		{"not that fails", `{not: {}}`, `"a"`, 5},
		{"all junctors together", `{allOf: [{}], anyOf: [{}], oneOf: [{format: date}], not: {maxLength: 0}}`, `"2020-01-01"`, 23},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := countOf(t, tt.branch, tt.value); got != tt.want {
				t.Errorf("count = %d, want %d", got, tt.want)
			}
		})
	}
}

// countOf returns the count of a value: the highest one against which its branch
// still wins, as the first of the branches with the highest count does.
func countOf(t *testing.T, branch, value string) int {
	t.Helper()
	for count := range 60 {
		// For a date, {} counts 5 and {format: date} counts 8.
		total := count + 5*7
		dates := 2 * total % 5
		measure := strings.Repeat("{format: date},", dates) + strings.Repeat("{},", (total-8*dates)/5)
		v := validation.New(compile(t, fmt.Sprintf(`{type: object, properties: {v: {type: object,
			properties: {x: {x-kubernetes-preserve-unknown-fields: true, nullable: true}, filler: {type: string}, measure: {type: string}},
			anyOf: [
				{required: [valueWins], properties: {x: %s, filler: {allOf: [{}, {}, {}, {}, {}, {}, {}]}}},
				{required: [measureWins], properties: {measure: {allOf: [%s]}}}]}}}`, branch, strings.TrimSuffix(measure, ","))))
		errs := fmt.Sprint(v.Validate(decode(t, `{"v":{"x":`+value+`,"filler":"2020-01-01","measure":"2020-01-01"}}`)))
		won, lost := strings.Contains(errs, "valueWins"), strings.Contains(errs, "measureWins")
		if won == lost {
			t.Fatalf("the errors do not tell which branch was chosen: %s", errs)
		}
		if lost {
			return count - 1
		}
	}
	return -1
}
