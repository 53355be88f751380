package fastpath

import (
	"fmt"
	"strings"
	"testing"
)

// TestHead: if apiVersion, kind and metadata come first, the walk takes them at once. The result is
// the same as for a head with a space, which it does not take at once.
func TestHead(t *testing.T) {
	for _, c := range []struct {
		name, schema, members string
		takes                 bool
	}{
		{"plain", "{type: object, properties: {spec: {type: object}}}", `"spec":{"a":1}`, true},
		{"declared", "{type: object, properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}, spec: {type: object}}}", `"spec":{}`, true},
		{"nothing after it", "{type: object}", ``, true},
		{"out of order", "{type: object, properties: {data: {type: string}, spec: {type: object, properties: {a: {type: integer}}}, z: {type: integer}}}", `"z":1,"spec":{"a":1}`, false},
		{"a default before", "{type: object, properties: {a: {type: string, default: x}}}", ``, false},
		{"a default between", "{type: object, properties: {data: {type: string, default: x}}}", ``, false},
		{"a default after", "{type: object, properties: {spec: {type: string, default: x}}}", ``, true},
		{"defaults after", "{type: object, properties: {spec: {type: string, default: x}, z: {type: string}}}", `"z":"y"`, true},
		{"undeclared", "{type: object, properties: {spec: {type: object}}}", `"x":[1,{"a":null}],"spec":{},"y":1`, true},
		{"undeclared that sort first", "{type: object, x-kubernetes-preserve-unknown-fields: true}", `"a":1,"l":2,"spec":1`, true},
		{"spaces", "{type: object, properties: {spec: {type: object}}}", "  \"spec\" : { \"a\" : 1 } ", true},
		{"repeated", "{type: object}", `"kind":"Thing"`, true},
		{"repeated metadata", "{type: object}", `"metadata":{}`, true},
		{"no end", "{type: object}", `,`, true},
		{"many members", "{type: object, required: [s70], properties: {s70: {type: integer}, " + manyDefaults(70) + "}}", `"s70":1,"s00":2`, true},
		{"too few of many members", "{type: object, required: [s70], properties: {s70: {type: integer}, " + manyDefaults(70) + "}}", `"s69":1`, true},
	} {
		p := mustPlan(t, rootSchema(t, c.schema), func(cfg *Config) { cfg.Namespaced = true })
		if got := p.head.text != ""; got != c.takes {
			t.Fatalf("%s: the head is %q", c.name, p.head.text)
		}
		old := strings.Replace(object(head, `"spec":{}`), `{"name":"a"}`, `{"name":"a","namespace":"n","uid":"u"}`, 1)
		for _, metadata := range []string{`{"name":"a","namespace":"n"}`, `{"name":"a","namespace":"n","labels":{"b":"<"}}`, `{ }`, `[]`, ``} {
			text := object(strings.Replace(head, `{"name":"a"}`, metadata, 1), c.members)
			spaced := strings.Replace(text, `"kind":`, `"kind" :`, 1)
			for _, unknown := range []Unknown{RefuseUnknown, WarnOfUnknown, DropUnknown} {
				got, ok := p.create(text, unknown)
				if want, okSpaced := p.create(spaced, unknown); got != want || ok != okSpaced {
					t.Errorf("%s: %s\ngot  %s (%t)\nwant %s (%t)", c.name, text, got, ok, want, okSpaced)
				}
				got, ok = p.update(text, old, unknown)
				if want, okSpaced := p.update(spaced, old, unknown); got != want || ok != okSpaced {
					t.Errorf("%s: an update to %s\ngot  %s (%t)\nwant %s (%t)", c.name, text, got, ok, want, okSpaced)
				}
			}
		}
	}
}

// manyDefaults returns the schemas of n members with defaults, s00 and so on.
func manyDefaults(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("s%02d: {type: integer, default: 7}", i)
	}
	return strings.Join(list, ", ")
}

// TestSpelledHead: apiVersion and kind may be written with escapes.
func TestSpelledHead(t *testing.T) {
	p := mustPlan(t, specSchema(t, "{type: string}"))
	for _, c := range []struct {
		apiVersion, kind string
		ok               bool
	}{
		{`"example.com\/v1"`, `"Thing"`, true},
		{`"example.com/v1"`, `"\u0054hing"`, true},
		{`"example.com\/v2"`, `"Thing"`, false},
		{`"example.com/v1"`, `"Thing\n"`, false},
		{`"example.com/v1"`, `"\ud800"`, false},
		{`"example.com/v1"`, `["Thing"]`, false},
		{`"example.com/v1"`, `xThing"`, false},
		{`"example.com/v1"`, `"\x"`, false},
	} {
		text := `{"apiVersion":` + c.apiVersion + `,"kind":` + c.kind + `,"metadata":{"name":"a"},"spec":"a"}`
		got, ok := p.create(text, RefuseUnknown)
		if ok != c.ok || ok && got != object(storedHead, `"spec":"a"`) {
			t.Errorf("%s becomes %s: %t, want %t", text, got, ok, c.ok)
		}
	}
}

// TestOtherHeads: objects of another kind or version are declined, and so are keys that the
// server could take for kind or apiVersion.
func TestOtherHeads(t *testing.T) {
	n := specSchema(t, "{type: string}")
	p, e := mustPlan(t, n), newEngines(n, testConfig)
	for _, raw := range []string{
		``, `null`, `[]`, `"a"`, `{}`, `{`, `{"`, `{"kind"`, `{"kind":`, `{"kind":"Thing"`, `{"kind":"Thing",`,
		head, head + `}`, head + `"spec":"a"`, head + `"spec":"a"}}`, head + `"spec":"a"} x`,
		head + `"spec":"a","kind":"Thing"}`, head + `"spec":"a","Kind":"Thing"}`, head + `"spec":"a","APIversion":5}`,
		strings.Replace(head, "Thing", "Other", 1) + `"spec":"a"}`,
		strings.Replace(head, "v1", "v2", 1) + `"spec":"a"}`,
		strings.Replace(head, `{"name":"a"}`, "null", 1) + `"spec":"a"}`,
		strings.Replace(head, `{"name":"a"}`, `{"name":"a","name":"b"}`, 1) + `"spec":"a"}`,
		`{"apiVersion":"example.com/v1","kind":"Thing","spec":"a"}`,
		head + `"x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
	} {
		if got, ok := agree(t, p, e, raw); ok {
			t.Errorf("%s is accepted: %s", raw, got)
		}
	}
	if _, ok := agree(t, p, e, " \n"+head+`"spec" : "a" , "x" : [ 1 , { } ] } `); !ok {
		t.Errorf("white space is declined: %t", ok)
	}
	for _, in := range []string{
		`{"metadata":{"name":"a"},"u":2,"spec":"b","kind":"Thing","apiVersion":"example.com/v1"}`,
		`{"apiVersion":"example.com/v1","kind":"Thing","u":2,"metadata":{"name":"a"},"spec":"b"}`,
		`{"apiVersion":"example.com/v1","kind":"Thing","spec":"b","metadata":{"name":"a"},"u":2}`,
		`{"kind":"Thing","spec": "b","apiVersion":"example.com/v1", "metadata" : { "name" : "a" } }`,
	} {
		if got, ok := agree(t, p, e, in); got != object(storedHead, `"spec":"b"`) {
			t.Errorf("%s becomes %s (%t)", in, got, ok)
		}
	}
}
