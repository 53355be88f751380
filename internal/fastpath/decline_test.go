package fastpath

import (
	"context"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// A declineCase is an object that is declined for a reason, and a similar one that is
// accepted.
type declineCase struct {
	why          string
	schema       string // of spec, or of the whole object if it begins with "root:"
	in, near     string // values of spec, or members of the whole object besides the head
	change       func(*Config)
	inHead       string // the head of in, if it is another one
	old, nearOld string // members of the objects that they replace, "" for a create
	inUnknown    Unknown
}

func (c *declineCase) plan(t *testing.T) (p *Plan, ofRoot bool) {
	t.Helper()
	if c.change == nil {
		c.change = func(*Config) {}
	}
	if root, ofRoot := strings.CutPrefix(c.schema, "root:"); ofRoot {
		return mustPlan(t, rootSchema(t, root), c.change), true
	}
	return mustPlan(t, specSchema(t, c.schema), c.change), false
}

func (c *declineCase) check(t *testing.T) {
	t.Helper()
	p, ofRoot := c.plan(t)
	accepts := func(head, members, old string, unknown Unknown) (ok bool) {
		if !ofRoot {
			members = `"spec":` + members
		}
		if old == "" {
			_, ok = p.create(object(head, members), unknown)
		} else {
			_, ok = p.update(object(head, members), old, unknown)
		}
		return ok
	}
	inHead := c.inHead
	if inHead == "" {
		inHead = head
	}
	if accepts(inHead, c.in, c.old, c.inUnknown) {
		t.Errorf("%s: %s\n%.200s\nis accepted", c.why, c.schema, c.in)
	}
	if !accepts(head, c.near, c.nearOld, WarnOfUnknown) {
		t.Errorf("%s: %s\n%.200s\nis declined", c.why, c.schema, c.near)
	}
}

// TestDeclines shows for every reason to decline an object an input that is declined for it,
// and a similar one that is accepted.
func TestDeclines(t *testing.T) {
	const (
		kept        = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
		resource    = `{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`
		manyMembers = `"a0":1,"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1,"a8":1,"a9":1,"aa":1,"ab":1,"ac":1`
		statusText  = `root:{type: object, properties: {status: {type: object, properties: {x: {type: string}}}}}`
	)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	scale := func(c *Config) { c.Replicas, c.Selector = [][]string{{"spec", "count"}}, []string{"spec", "selector"} }
	rule := func(c *Config) {
		c.Evaluate = func(_ context.Context, obj, _ map[string]any) (uint64, bool) { return 1, obj["spec"] == "good" }
	}
	for _, c := range []declineCase{
		{why: "unreadable", schema: "{type: string}", in: `"\ud800"`, near: `"\ud83d\ude00"`},
		{why: "unreadable", schema: "{type: integer}", in: `01`, near: `1`},
		{why: "tooDeep", schema: "{x-kubernetes-preserve-unknown-fields: true}", in: deep(600), near: deep(500)},
		{why: "repeatedKey", schema: kept, in: `{"a":1,"a":1}`, near: `{"a":1,"b":1}`},
		{why: "repeatedKey", schema: kept, in: `{"b":1,` + manyMembers + `,"b":1}`, near: `{"b":1,` + manyMembers + `}`},
		{why: "repeatedKey", schema: "{type: object, properties: {a: {type: string}}}", in: `{"a":"1","a":"1"}`, near: `{"a":"1"}`},
		{why: "integralFloat", schema: "{type: number}", in: `1e3`, near: `1.5`},
		{why: "integralFloat", schema: kept, in: `{"a":1.0}`, near: `{"a":1}`},

		{why: "otherHead", schema: "{type: string}", inHead: strings.Replace(head, "Thing", "Other", 1), in: `"a"`, near: `"a"`},
		{why: "otherHead", schema: "{type: string}", inHead: strings.Replace(head, `"kind":"Thing",`, "", 1), in: `"a"`, near: `"a"`},
		{why: "likeTypeKey", schema: "{type: string}", inHead: head + `"Kind":"Thing",`, in: `"a"`, near: `"a"`},
		{why: "otherMetadata", schema: "{type: string}", inHead: strings.Replace(head, `{"name":"a"}`, `[]`, 1), in: `"a"`, near: `"a"`},
		{why: "otherMetadata", schema: "{type: string}", inHead: strings.Replace(head, `"a"`, `"A"`, 1), in: `"a"`, near: `"a"`},
		{why: "otherMetadata", schema: "{type: string}", inHead: strings.Replace(head, `"a"`, `"b"`, 1), in: `"a"`, near: `"a"`, old: head + `"spec":"a"}`, nearOld: head + `"spec":"a"}`},
		{why: "wrongStatus", schema: statusText, change: dropStatus, old: head + `"status":{"y":1}}`, nearOld: head + `"status":{"x":"1"}}`},
		{why: "wrongStatus", schema: statusText, change: dropStatus, old: head + `"status":{"x":1}}`, nearOld: head + `"spec":{}}`},
		{why: "wrongStatus", schema: statusText, change: dropStatus, in: `"status":{}`, near: `"status":{}`, old: head + `"status":{"x":1}}`, nearOld: head + `"status":{}}`},
		{why: "wrongStatus", schema: "root:{type: object}", change: dropStatus, old: head + `"status":{}}`, nearOld: head + `"spec":{}}`},
		{why: "wrongOld", schema: "{type: string}", in: `"a"`, near: `"a"`, old: strings.Replace(head, "Thing", "Other", 1) + `"spec":"a"}`, nearOld: head + `"spec":"a"}`},
		{why: "wrongOld", schema: kept, in: `{"a":1}`, near: `{"a":1}`, old: head + `"spec":{"a":1,"a":1}}`, nearOld: head + `"spec":{"a":1,"b":1}}`},

		{why: "wrongType", schema: "{type: string}", in: `1`, near: `"1"`},
		{why: "wrongType", schema: "{type: object}", in: `"1"`, near: `{}`},
		{why: "wrongScalar", schema: "{type: string, maxLength: 3}", in: `"abcd"`, near: `"abc"`},
		{why: "wrongScalar", schema: "{type: integer, maximum: 3}", in: `4`, near: `3`},
		{why: "wrongScalar", schema: "{type: boolean, enum: [true]}", in: `false`, near: `true`},
		{why: "wrongWhole", schema: "{type: object, enum: [{a: 1}], properties: {a: {type: integer}}}", in: `{"a":2}`, near: `{"a":1}`},
		{why: "wrongWhole", schema: "{type: array, items: {type: integer}, not: {minItems: 2}}", in: `[1,2]`, near: `[1]`},
		{why: "wrongCount", schema: "{type: object, maxProperties: 1, additionalProperties: {type: string}}", in: `{"a":"","b":""}`, near: `{"a":""}`},
		{why: "wrongCount", schema: "{type: array, minItems: 1, items: {type: string}}", in: `[]`, near: `[""]`},
		{why: "wrongCount", schema: "{type: array, maxItems: -1, items: {type: string}, nullable: true}", in: `[]`, near: `null`},
		{why: "missingMember", schema: "{type: object, required: [a], properties: {a: {type: string}}}", in: `{}`, near: `{"a":""}`},
		{why: "missingMember", schema: "{type: object, required: [a], properties: {a: {type: string}}}", in: `{"a":null}`, near: `{"a":""}`},
		{why: "closedObject", schema: "{type: object, additionalProperties: false}", in: `{"a":1}`, near: `{}`},
		{why: "equalElements", schema: "{type: array, x-kubernetes-list-type: set, items: {type: string}}", in: `["a","a"]`, near: `["a","b"]`},
		{
			why: "equalElements", schema: "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, nullable: true, required: [k], properties: {k: {type: string}}}}",
			in: `[{"k":"a"},null,{"k":"a"}]`, near: `[{"k":"a"},null,{"k":"b"}]`,
		},
		{why: "wrongScale", schema: kept, change: scale, in: `{"count":-1}`, near: `{"count":1}`},
		{why: "wrongScale", schema: kept, change: scale, in: `{"count":2147483648}`, near: `{"count":2147483647}`},
		{why: "wrongScale", schema: kept, change: scale, in: `{"count":1.5}`, near: `{"count":-0}`},
		{why: "wrongScale", schema: kept, change: scale, in: `{"count":"1"}`, near: `{}`},
		{why: "wrongScale", schema: kept, change: scale, in: `{"count":null}`, near: `{"counts":-1}`},
		{why: "wrongScale", schema: kept, change: scale, in: `{"selector":1}`, near: `{"selector":"a=b"}`},
		{why: "wrongScale", schema: "{x-kubernetes-preserve-unknown-fields: true}", change: scale, in: `[1]`, near: `{"a":[1]}`},
		{why: "brokenRule", schema: "{type: string, x-kubernetes-validations: [{rule: self == 'good'}]}", change: rule, in: `"bad"`, near: `"good"`},
		{why: "undeclaredField", schema: "{type: object}", in: `{"x":1}`, near: `{"x":1}`, inUnknown: RefuseUnknown},

		{why: "wrongDefault", schema: "{type: object, properties: {a: {type: integer, default: 5, maximum: 3}}}", in: `{}`, near: `{"a":1}`},
		{why: "wrongDefault", schema: "{type: array, items: {type: integer, default: 5, maximum: 3}}", in: `[null]`, near: `[1]`},
		{why: "largeDefault", schema: "{type: object, properties: {a: " + nested(9) + "}}", in: `{}`, near: `{"a":[]}`},
		{why: "resourceDefault", schema: "{type: object, properties: {a: {type: object, default: {}, properties: {r: " + resource + "}}}}", in: `{}`, near: `{"a":{}}`},

		{why: "propertiesAndOthers", schema: "{type: object, properties: {a: {type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}}}", in: `{"a":{}}`, near: `{}`},
		{why: "undeclaredRequired", schema: "{type: object, properties: {a: {type: object, required: [b]}}}", in: `{"a":{}}`, near: `{}`},
		{why: "embeddedResource", schema: "{type: object, properties: {a: " + resource + "}}", in: `{"a":{"kind":"A","apiVersion":"v1"}}`, near: `{}`},
		{why: "embeddedResource", schema: "root:{type: object, properties: {status: {type: object, properties: {r: " + resource + "}}}}", change: dropStatus, in: `"status":{"r":{}}`, near: `"status":{}`},
	} {
		if c.why != "undeclaredField" {
			c.inUnknown = WarnOfUnknown
		}
		c.check(t)
	}
}

// nested returns the schema of a list whose default grows to ten to the power of depth values.
func nested(depth int) string {
	if depth == 0 {
		return "{type: integer, default: 1}"
	}
	return "{type: array, default: [" + strings.Repeat("null, ", 9) + "null], items: " + nested(depth-1) + "}"
}

// TestNoSchema: a version without a schema declares nothing.
func TestNoSchema(t *testing.T) {
	p := mustPlan(t, nil)
	if got, _ := p.create(head+`"spec":{}}`, WarnOfUnknown); got != object(storedHead, "") {
		t.Errorf("becomes %s", got)
	}
	if _, ok := p.create(head+`"spec":{}}`, RefuseUnknown); ok {
		t.Error("an undeclared field is accepted")
	}
}

// TestDeclinedNames: no text has a member whose name is not UTF-8, but a default may add one.
func TestDeclinedNames(t *testing.T) {
	for name, want := range map[string]bool{"\xff": false, "x": true} {
		props := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			name: {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"y"`)}},
		}}
		n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": props}})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if _, ok := mustPlan(t, n).create(head+`"spec":{}}`, RefuseUnknown); ok != want {
			t.Errorf("an object with a default of %q is accepted: %t", name, ok)
		}
	}
}

// TestDeclinedSchemas shows for every reason to decline a schema one that has no plan for it,
// and a similar one that has a plan.
func TestDeclinedSchemas(t *testing.T) {
	for _, tt := range []struct {
		why      string
		in, near string
		change   func(*Config)
	}{
		{"propertiesAndOthers", "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}", "{type: object, properties: {a: {type: string}}}", nil},
		{"undeclaredRequired", "{type: object, required: [a]}", "{type: object, required: [a], properties: {a: {type: string}}}", nil},
		{"embeddedResource", "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}", "{type: object}", nil},
		{"rootEntries", "{type: object, additionalProperties: {type: string}}", "{type: object}", nil},
		{"rootNames", `{type: object, properties: {"": {type: string}}, not: {required: [a]}}`, `{type: object, properties: {"": {type: string}}}`, nil},
		{
			"rootNames", `{type: object, properties: {status: {type: object, properties: {IMPORTANT!x: {type: string, not: {maxLength: 1}}}}}}`,
			`{type: object, properties: {status: {type: object, properties: {x: {type: string, not: {maxLength: 1}}}}}}`, nil,
		},
		{"rootWhole", "{type: object, anyOf: [{required: [spec]}], properties: {spec: {type: string}}}", "{type: object, required: [spec], properties: {spec: {type: string}}}", nil},
		{"rootWhole", "{type: object, x-kubernetes-preserve-unknown-fields: true, enum: [{}]}", "{type: object, x-kubernetes-preserve-unknown-fields: true}", nil},
		{"checkedMetadata", "{type: object, properties: {metadata: {type: object, properties: {name: {type: string}}}}}", "{type: object, properties: {metadata: {type: object}}}", nil},
		{"checkedMetadata", "{type: object, properties: {metadata: {type: string}}}", "{type: object, properties: {metadata: {type: object}}}", nil},
		{"requiredStatus", "{type: object, required: [status], properties: {status: {type: object}}}", "{type: object, properties: {status: {type: object}}}", dropStatus},
		{"refusedType", "{type: object, properties: {kind: {type: string, maxLength: 4}}}", "{type: object, properties: {kind: {type: string, maxLength: 5}}}", nil},
		{"refusedType", "{type: object, properties: {apiVersion: {type: integer}}}", "{type: object, properties: {apiVersion: {type: string}}}", nil},
		{"changingMetadata", "{type: object, properties: {metadata: {type: object, properties: {name: {type: string, default: a}}}}}", "{type: object, properties: {metadata: {type: object}}}", nil},
		{"declaredLikeType", "{type: object, properties: {Kind: {type: string}}}", "{type: object, properties: {kinds: {type: string}}}", nil},
	} {
		cfg := testConfig
		if tt.change != nil {
			tt.change(&cfg)
		}
		if Compile(rootSchema(t, tt.in, schemaopt.Unstructured{}), cfg) != nil {
			t.Errorf("%s: %s has a plan", tt.why, tt.in)
		}
		if Compile(rootSchema(t, tt.near, schemaopt.Unstructured{}), cfg) == nil {
			t.Errorf("%s: %s has no plan", tt.why, tt.near)
		}
	}
}
