package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
)

// TestSharing checks that two schemas are one node if and only if they are
// equal apart from annotations.
func TestSharing(t *testing.T) {
	props := parse(t, `
type: object
properties:
  a: {type: object, description: one, properties: {x: {type: string, maxLength: 3}}}
  b: {type: object, description: another, properties: {x: {type: string, maxLength: 3, title: T}}}
  c: {type: object, properties: {x: {type: string, maxLength: 4}}}
  d: {type: object, properties: {x: {type: string, maxLength: 3, default: x}}}
  e: {type: array, items: {type: object, properties: {x: {type: string, maxLength: 3}}}}
  i: {type: integer, default: 1, enum: [1]}
  j: {type: integer, default: 1, enum: [1]}
  k: {type: integer, default: 1, enum: [1]}
  l: {type: integer, default: 1, enum: [1]}
`)
	// YAML cannot express that an integral number is a float.
	props.Properties["j"].Default.Raw = []byte("1.0")
	props.Properties["k"].Enum[0].Raw = []byte("1.0")
	root, errs := schema.Compile(props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	same := func(p, q string) bool { return root.Property(p) == root.Property(q) }
	if !same("a", "b") || root.Property("e").Items() != root.Property("a") || !same("i", "l") {
		t.Error("equal schemas are not one node")
	}
	if same("a", "c") || same("a", "d") || same("i", "j") || same("i", "k") {
		t.Error("different schemas are one node")
	}
	want := schema.Stats{Nodes: 16, Depth: 4}
	if diff := cmp.Diff(want, root.Stats()); diff != "" {
		t.Errorf("Stats (-want +got):\n%s", diff)
	}

	apart := compile(t, `{type: object, properties: {a: {type: string}, b: {type: string}}}`, testopt.Unshared{})
	if apart.Property("a") == apart.Property("b") {
		t.Error("Unshared shares")
	}
}

// differing are schemas that differ in one keyword each. Each can also be a branch
// if it has no type.
var differing = []string{
	"{type: object, properties: {x: {type: string}}}", "{type: object, properties: {y: {type: string}}}", "{type: object, properties: {x: {type: integer}}}",
	"{type: object, additionalProperties: {type: string}}", "{type: object, additionalProperties: {type: integer}}", "{type: object}",
	"{type: array, items: {type: string}}", "{type: array, items: {type: integer}}", "{type: array}",
	"{type: array, items: {type: string}, x-kubernetes-list-type: set}", "{type: array, items: {type: string}, x-kubernetes-list-type: atomic}",
	"{type: object, x-kubernetes-map-type: atomic}", "{type: object, x-kubernetes-map-type: granular}",
	"{type: object, x-kubernetes-preserve-unknown-fields: true}", "{type: object, x-kubernetes-embedded-resource: true}",
	"{type: string}", "{type: string, nullable: true}", "{type: string, format: date}", "{type: string, pattern: a}", "{type: string, pattern: b}",
	"{type: string, default: a}", "{type: string, default: b}", "{type: string, enum: [a]}", "{type: string, enum: [a, b]}", "{type: string, enum: [b, a]}",
	"{type: object, x-kubernetes-validations: [{rule: a}]}", "{type: object, x-kubernetes-validations: [{rule: a}, {rule: a}]}",
	"{type: object, x-kubernetes-validations: [{rule: a, message: m}]}", "{type: object, x-kubernetes-validations: [{rule: a, messageExpression: m}]}",
	"{type: object, x-kubernetes-validations: [{rule: a, fieldPath: m}]}", "{type: object, x-kubernetes-validations: [{rule: a, reason: FieldValueInvalid}]}",
	"{type: object, x-kubernetes-validations: [{rule: a, optionalOldSelf: true}]}", "{type: object, x-kubernetes-validations: [{rule: a, optionalOldSelf: false}]}",
	"{minLength: 1}", "{maxLength: 1}", "{minLength: 2}", "{minItems: 1}", "{maxItems: 1}", "{minProperties: 1}", "{maxProperties: 1}", "{maxProperties: 300}",
	"{minimum: 1}", "{minimum: 2}", "{maximum: 1}", "{multipleOf: 1}", "{minimum: 1, exclusiveMinimum: true}", "{maximum: 1, exclusiveMaximum: true}", "{uniqueItems: true}",
	"{required: [a]}", "{required: [b]}", "{required: [a, b]}", "{required: [ab]}",
	"{allOf: [{minLength: 1}]}", "{anyOf: [{minLength: 1}]}", "{oneOf: [{minLength: 1}]}", "{not: {minLength: 1}}", "{not: {minLength: 2}}", "{allOf: [{minLength: 1}, {minLength: 1}]}",
	"{allOf: [{properties: {q: {minLength: 9}}}, {properties: {r: {minLength: 9}}}]}", "{allOf: [{properties: {r: {minLength: 9}}}, {properties: {q: {minLength: 9}}}]}",
	"{properties: {x: {minLength: 1}}}", "{properties: {y: {minLength: 1}}}", "{properties: {x: {minLength: 2}}}", "{properties: {x: {minLength: 1}, y: {minLength: 1}}}",
	"{items: {minLength: 1}}", "{items: {minLength: 2}}", "{additionalProperties: {minLength: 1}}", "{additionalProperties: {minLength: 2}}", "{additionalProperties: false}", "{}",
}

// TestSharingOfEveryKeyword compiles each of differing twice, as a node and as a
// branch. Two of them are one if and only if they are the same schema.
func TestSharingOfEveryKeyword(t *testing.T) {
	var b strings.Builder
	b.WriteString("type: object\nproperties:\n")
	for i, text := range differing {
		for _, copy := range []string{"a", "b"} {
			fmt.Fprintf(&b, "  n%d%s: %s\n  j%d%s: {type: object, not: %s}\n", i, copy, text, i, copy, text)
		}
	}
	root := compile(t, b.String(), schemaopt.Unstructured{})
	nodes, branches := map[*schema.Node]string{}, map[*schema.Branch]string{}
	for i, text := range differing {
		node := func(kind, copy string) *schema.Node { return root.Property(fmt.Sprint(kind, i, copy)) }
		if node("n", "a") != node("n", "b") || node("j", "a").Not() != node("j", "b").Not() {
			t.Errorf("%s is not shared", text)
		}
		if other, found := nodes[node("n", "a")]; found {
			t.Errorf("%s and %s are one node", text, other)
		}
		nodes[node("n", "a")] = text
		if !strings.HasPrefix(text, "{type: ") {
			if other, found := branches[node("j", "a").Not()]; found {
				t.Errorf("%s and %s are one branch", text, other)
			}
			branches[node("j", "a").Not()] = text
		}
	}
}
