package celtypes

import (
	"os"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/schema"
)

// refusedSchema is the schema of the rules of testdata/refused.txt.
const refusedSchema = `
type: object
properties:
  name: {type: string}
  count: {type: integer}
  on: {type: boolean}
  names: {type: array, items: {type: string}}
  counts: {type: array, items: {type: integer}}
  ports: {type: array, items: {type: object, properties: {name: {type: string}, number: {type: integer}}}}
  labels: {type: object, additionalProperties: {type: string}}
  any: {x-kubernetes-int-or-string: true}
  time: {type: string, format: date-time}
  wait: {type: string, format: duration}
  data: {type: string, format: byte}
`

// TestWrong checks that the inference words the errors of the rules of a table as cel-go
// does, each alone and several in one rule, on the lines of a longer text.
func TestWrong(t *testing.T) {
	data, err := os.ReadFile("testdata/refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(refusedSchema), &props); err != nil {
		t.Fatal(err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	rules := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i, rule := range rules[:len(rules):len(rules)] {
		rules = append(rules, "\n("+rule+"\n\n ) || 'é' + "+rules[i/2]+"\n\t|| none.of()")
	}
	for _, minor := range []int{OldestMinor, NewestMinor} {
		language, err := LanguageOf(minor)
		if err != nil {
			t.Fatal(err)
		}
		x := NewChecker(language, perCallLimit, false)
		s := x.Scope(language.NewProvider().TypeOf(SelfType, n, true))
		for _, rule := range rules {
			if got := checkTyping(t, &x, s, rule); got != refused && minor == NewestMinor {
				t.Errorf("%s: cel-go is asked", rule)
			}
		}
	}
}

// TestManyErrors checks how many errors of types are shown.
func TestManyErrors(t *testing.T) {
	language, err := LanguageOf(NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	x := NewChecker(language, perCallLimit, false)
	s := x.Scope(scalar(types.StringType))
	for _, n := range []int{1, 99, 100, 101, 150} {
		if rule := strings.Repeat("none +\n", n-1) + "none"; checkTyping(t, &x, s, rule) != refused {
			t.Errorf("%d errors are not worded", n)
		}
	}
}

// TestOpenBranches has conditions that are no bools, before branches whose types are open.
// The error names them as cel-go does.
func TestOpenBranches(t *testing.T) {
	language, err := LanguageOf(NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	x := NewChecker(language, perCallLimit, false)
	s := x.Scope(scalar(types.StringType))
	for _, rule := range []string{"(self ? {} : {'a': 1}) == 1", "(self ? optional.none() : optional.of(1)).hasValue()", "(1 ? ['a'] : []).size() == 1"} {
		checkTyping(t, &x, s, rule)
	}
}
