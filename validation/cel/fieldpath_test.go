package cel

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/schema"
)

const fieldPathSchema = `
type: object
properties:
  a: {type: object, properties: {b: {type: string}, "c d": {type: string}, "e'f": {type: string}}}
  m: {type: object, additionalProperties: {type: object, properties: {x: {type: string}}}}
  any: {type: object, additionalProperties: true}
  none: {type: object, additionalProperties: false}
  p: {type: object, x-kubernetes-preserve-unknown-fields: true}
  l: {type: array, items: {type: string}}
`

var fieldPathTests = []struct{ text, want, err string }{
	{text: ".a", want: "a"},
	{text: ".a.b", want: "a.b"},
	{text: "['a'].b", want: "a.b"},
	{text: "['a']['c d']", want: "a.c d"},
	{text: `['a']['e\'f']`, want: "a.e'f"},
	{text: ".a.c d", want: "a.c d"},
	{text: ".m.k", want: "m[k]"},
	{text: ".m['k'].x", want: "m[k].x"},
	{text: `.m['\\\a\b\f\n\r\t\v']`, want: "m[\\\a\b\f\n\r\t\v]"},
	{text: `.m['a\\']`, err: `expected single quoted string but got 'a\\']`},
	{text: ".any.k", want: "any[k]"},
	{text: ".none.k", want: "none[k]"},
	{text: "", want: ""},
	{text: ".any.k.x", err: "does not refer to a valid field"},
	{text: ".zz", err: "does not refer to a valid field"},
	{text: ".p.x", err: "does not refer to a valid field"},
	{text: ".l['x']", err: "does not refer to a valid field"},
	{text: ".l[0]", err: "expected single quoted string but got 0"},
	{text: ".m[']", err: "expected single quoted string but got ']"},
	{text: `.m['\x']`, err: `invalid string literal: invalid escape char \x`},
	{text: "a", err: "expected [ or . but got: a"},
	{text: ".", err: "unexpected end of JSON path"},
	{text: ".a[", err: "unexpected end of JSON path"},
	{text: ".m['k'", err: "unexpected end of JSON path"},
	{text: ".m['k'.x", err: "expected ] but got ."},
	{text: "..a", err: "does not refer to a valid field"},
}

func fieldPathNode(t testing.TB) *schema.Node {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(fieldPathSchema), &props); err != nil {
		t.Fatal(err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

func TestParseFieldPath(t *testing.T) {
	n := fieldPathNode(t)
	for _, test := range fieldPathTests {
		p, err := parseFieldPath(test.text, n)
		switch {
		case err != nil && err.Error() != test.err:
			t.Errorf("parseFieldPath(%q) error = %q, want %q", test.text, err, test.err)
		case err == nil && (test.err != "" || p.String() != test.want):
			t.Errorf("parseFieldPath(%q) = %q, want %q %s", test.text, p, test.want, test.err)
		}
	}
}

// FuzzParseFieldPath checks that a path that is accepted leads somewhere, and
// does so again when it is spelled out with quotes.
func FuzzParseFieldPath(f *testing.F) {
	for _, test := range fieldPathTests {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := fieldPathNode(t)
		p, err := parseFieldPath(text, n)
		if err != nil {
			return
		}
		quoted := ""
		for _, s := range p {
			name, _ := s.Name()
			if strings.HasSuffix(name, `\`) {
				return // the quote after it would not end the name
			}
			quoted += "['" + quote(name) + "']"
		}
		back, err := parseFieldPath(quoted, n)
		if err != nil || back.String() != p.String() {
			t.Errorf("parseFieldPath(%q) = %q, but %q gives %q, %v", text, p, quoted, back, err)
		}
	})
}

func quote(name string) string {
	out := ""
	for i := range len(name) {
		if name[i] == '\'' || name[i] == '\\' {
			out += `\`
		}
		out += name[i : i+1]
	}
	return out
}
