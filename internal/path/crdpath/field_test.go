package crdpath_test

import (
	"errors"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
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

// dotsTests are paths in the notation Dots.
var dotsTests = []struct{ text, want, err string }{
	{text: ".a.b", want: "a.b"},
	{text: ".m.k.x", want: "m[k].x"},
	{text: ".any.k", want: "any[k]"},
	{text: ".a['b']", err: "array notation is not allowed"},
	{text: ".a[", err: "array notation is not allowed"},
	{text: ".zz['b']", err: "does not refer to a valid field"},
	{text: ".any.k.x", err: "does not refer to a valid field"},
	{text: ".a.", err: "unexpected end of JSON path"},
	{text: "a", err: "expected [ or . but got: a"},
	{text: "]", err: "expected [ or . but got: ]"},
}

func schemas(t testing.TB) (*schema.Node, *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(fieldPathSchema), &props); err != nil {
		t.Fatal(err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n, &props
}

// followProps returns the text of the path that PropsCursor follows.
func followProps(text string, props *apiextensionsv1.JSONSchemaProps, notation crdpath.FieldNotation) (string, error) {
	p := crdpath.PropsCursor{At: props}
	if err := crdpath.FollowField(text, &p, notation); err != nil || p.Path == nil {
		return "", err
	}
	return p.Path.String(), nil
}

// result returns a path or the text of its error.
func result(path string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return path
}

func wanted(path, err string) string {
	if err != "" {
		return "error: " + err
	}
	return path
}

func TestParseField(t *testing.T) {
	n, props := schemas(t)
	for _, test := range fieldPathTests {
		want := wanted(test.want, test.err)
		p, err := crdpath.ParseField(test.text, n)
		if got := result(p.String(), err); got != want {
			t.Errorf("ParseField(%q) = %q, want %q", test.text, got, want)
		}
		if got := result(followProps(test.text, props, crdpath.DotsAndBrackets)); got != want {
			t.Errorf("FollowField(%q) = %q, want %q", test.text, got, want)
		}
	}
}

func TestFollowFieldDots(t *testing.T) {
	_, props := schemas(t)
	for _, test := range dotsTests {
		want := wanted(test.want, test.err)
		if got := result(followProps(test.text, props, crdpath.Dots)); got != want {
			t.Errorf("FollowField(%q) = %q, want %q", test.text, got, want)
		}
	}
	if err := crdpath.FollowField(".a", &crdpath.PropsCursor{}, crdpath.Dots); !errors.Is(err, crdpath.ErrNoField) {
		t.Errorf("FollowField without a schema = %v, want ErrNoField", err)
	}
}

// FuzzParseField checks that a path leads to the same location in a definition's
// schema and in the compiled one, and that its quoted form leads there too.
func FuzzParseField(f *testing.F) {
	for _, test := range fieldPathTests {
		f.Add(test.text)
	}
	for _, test := range dotsTests {
		f.Add(test.text)
	}
	n, props := schemas(f)
	fuzz.Run(f, func(t *testing.T, text string) {
		p, err := crdpath.ParseField(text, n)
		got, want := result(p.String(), err), result(followProps(text, props, crdpath.DotsAndBrackets))
		if got != want {
			t.Errorf("ParseField(%q) = %q, but FollowField gives %q", text, got, want)
		}
		dots, dotsErr := followProps(text, props, crdpath.Dots)
		if dotsErr == nil && (err != nil || dots != p.String()) {
			t.Errorf("FollowField(%q) = %q with dots alone, else %q", text, dots, got)
		}
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
		back, err := crdpath.ParseField(quoted, n)
		if err != nil || back.String() != p.String() {
			t.Errorf("ParseField(%q) = %q, but %q gives %q, %v", text, p, quoted, back, err)
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
