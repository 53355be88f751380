package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// definitionOf returns a definition with one version that has this schema.
func definitionOf(schema string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.example.com"},
		"spec":{"group":"example.com","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + schema + `}}]}}`
}

// everyKeyword is a schema with each keyword that ReadDefinition reads.
const everyKeyword = `{"description":"d","type":"object","format":"f","title":"t","pattern":"^p\u00e9$","nullable":true,
	"default":{"b":[1,2.50,null,"x"],"a":{}},"example":"e","enum":[null,true,false,-1.5e3,"a",[],{}],
	"maximum":1.5,"minimum":-2,"multipleOf":3,"exclusiveMaximum":true,"exclusiveMinimum":true,"uniqueItems":true,
	"maxLength":1,"minLength":2,"maxItems":3,"minItems":4,"maxProperties":5,"minProperties":9223372036854775807,"required":["a","b"],
	"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-embedded-resource":true,"x-kubernetes-int-or-string":true,
	"x-kubernetes-list-map-keys":["k"],"x-kubernetes-list-type":"map","x-kubernetes-map-type":"atomic",
	"x-kubernetes-validations":[{"rule":"r","message":"m","messageExpression":"e","fieldPath":".f","reason":"FieldValueInvalid","optionalOldSelf":true},{"rule":"s","optionalOldSelf":false}],
	"properties":{"a":{"type":"string","properties":{"c":{"title":"t"},"d":{}}},"b":{"description":"d","properties":{}},"":{}},
	"items":{"type":"array","items":{"type":"string"}},"additionalProperties":{"type":"integer","additionalProperties":false},
	"allOf":[{"type":"string"},{}],"anyOf":[{"format":"a"},{"format":"b"}],"oneOf":[{"not":{"type":"string"}}],"not":{"additionalProperties":true}}`

// TestReadDefinitionReadsEveryKeyword: ReadDefinition reads them as the library does.
func TestReadDefinitionReadsEveryKeyword(t *testing.T) {
	// Fractions, and a property without a name, are left to the library.
	text := strings.NewReplacer("2.50", "2", "-1.5e3", "-1", "1.5", "1", `,"":{}`, "").Replace(definitionOf(everyKeyword))
	if !checkRead(t, text) {
		t.Fatalf("declined:\n%s", text)
	}
}

// TestReadDefinitionReadsVersions: each version gets its own schema, and none if it has none.
func TestReadDefinitionReadsVersions(t *testing.T) {
	text := strings.Replace(definitionOf(`{"title":"c"}`), `{"name":"v1"`, `{"name":"a"},{"name":"b","schema":{}},{"name":"c","schema":{"openAPIV3Schema":null}},
		{"name":"d","schema":{"openAPIV3Schema":{"title":"d"}}},{"name":"v1"`, 1)
	asYAML, err := yaml.JSONToYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	crd := ReadDefinition(asYAML)
	if crd == nil {
		t.Fatal("declined")
	}
	var got []string
	for _, v := range crd.Spec.Versions {
		switch {
		case v.Schema == nil:
			got = append(got, v.Name+": nil")
		case v.Schema.OpenAPIV3Schema == nil:
			got = append(got, v.Name+": empty")
		default:
			got = append(got, v.Name+": "+v.Schema.OpenAPIV3Schema.Title)
		}
	}
	if diff := cmp.Diff([]string{"a: nil", "b: empty", "c: empty", "d: d", "v1: c"}, got); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
}

// TestReadDefinitionDeclines: ReadDefinition leaves to the library what is faulty, and reads
// what is rare as it does.
func TestReadDefinitionDeclines(t *testing.T) {
	right := definitionOf(`{}`)
	if !checkRead(t, right) {
		t.Fatal("a right definition is declined")
	}
	for name, text := range map[string]string{
		"another kind":              strings.Replace(right, "CustomResourceDefinition", "Pod", 1),
		"another apiVersion":        strings.Replace(right, "k8s.io/v1", "k8s.io/v1beta1", 1),
		"versions that are no list": strings.Replace(right, `"versions":[`, `"versions":{},"a":[`, 1),
		"an unknown field":          strings.Replace(right, `"group"`, `"grupp"`, 1),
		"a field of another type":   strings.Replace(right, `"example.com",`, `5,`, 1),
	} {
		if checkRead(t, text) {
			t.Errorf("%s: not declined", name)
		}
	}
	var many []string
	for i := range 49 {
		many = append(many, fmt.Sprintf(`"k%d":1`, i))
	}
	for _, schema := range []string{
		`{` + strings.Join(many, ",") + `}`,
		`5`, `[]`, `{"type":5}`, `{"$ref":"a"}`, `{"unknown":1}`, `{"items":{"unknown":1}}`, `{"nullable":"a"}`, `{"nullable":null}`,
		`{"maximum":"1"}`, `{"maxLength":1.5}`, `{"maxLength":"1"}`, `{"maxLength":9223372036854775808}`,
		`{"required":"a"}`, `{"required":["a",1]}`, `{"enum":{}}`, `{"properties":[]}`, `{"properties":{"a":1}}`,
		`{"items":[{}]}`, `{"additionalProperties":1}`, `{"allOf":{}}`, `{"allOf":[1]}`, `{"not":1}`, `{"x-kubernetes-list-type":1}`,
		`{"x-kubernetes-map-type":1}`, `{"x-kubernetes-preserve-unknown-fields":1}`, `{"x-kubernetes-validations":{}}`, `{"x-kubernetes-validations":[1]}`,
		`{"x-kubernetes-validations":[{"rule":1}]}`, `{"x-kubernetes-validations":[{"rules":"a"}]}`,
		`{"x-kubernetes-validations":[{"reason":1}]}`, `{"x-kubernetes-validations":[{"optionalOldSelf":1}]}`,
	} {
		checkRead(t, definitionOf(schema))
	}
	head := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	if ReadDefinition([]byte(head+"spec:\n  group: a\n")) == nil {
		t.Error("the head is declined")
	}
	for _, text := range []string{"", right, head + "kind: CustomResourceDefinition\n", head + "spec: {}\nspec: {}\n", head + "spec:\n  group: a\n  group: a\n",
		head + "metadata:\n  labels:\n    a: b\n    a: b\n"} {
		if ReadDefinition([]byte(text)) != nil {
			t.Errorf("%q is not declined", text)
		}
	}
}

// TestTokenizeCountsOnlyNesting: lists and objects side by side are not nested.
func TestTokenizeCountsOnlyNesting(t *testing.T) {
	for name, part := range map[string]string{
		"lists": "a%d:\n- b\n", "mappings": "a%d:\n  b: c\n", "lists in lists": "a%d:\n- b:\n  - c\n",
	} {
		var text strings.Builder
		for i := range 3 * MaxDepth {
			fmt.Fprintf(&text, part, i)
		}
		if !checkTokenize(t, text.String()) {
			t.Errorf("%d %s are declined", 3*MaxDepth, name)
		}
	}
}

// TestTokenizeKnowsBooleans: what YAML 1.1 reads as a boolean or as null is no string,
// in any case that it knows.
func TestTokenizeKnowsBooleans(t *testing.T) {
	read := 0
	for _, scalar := range []string{
		"y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "true", "True", "TRUE",
		"false", "False", "FALSE", "null", "Null", "NULL", "~", "yess", "falsee", "nulls", "fals", "nil", "none", ".nan", ".inf", "0", "-0", "-1", "01", "0x1", "1_0", "1e3", "1.", ".5", "+1", "1:30", "2026-01-01", "=", "<<",
	} {
		for _, text := range []string{"a: " + scalar + "\n", "- " + scalar + "\n- b\n", "a:\n  - " + scalar + "\n"} {
			if checkTokenize(t, text) {
				read++
			}
		}
	}
	if read < 10 {
		t.Errorf("only %d texts are read", read)
	}
}

// TestTokenizeReadsEnds: the last value of a text is read whatever it is.
func TestTokenizeReadsEnds(t *testing.T) {
	for _, text := range []string{"a: |\n  b\n", "a: |-\n  b\n  c\n", "a: |\n  b\n\n", "a:\n- |\n  b\n", "a: 'b'\n", "a: \"b\"\n", "a: b\n", "a:\n", "a: []\n", "a: {}\n", "a:\n- b\n"} {
		if !checkTokenize(t, text) {
			t.Errorf("%q is declined", text)
		}
	}
	for _, text := range []string{"a: \"x\\\ny\"\n", "a: \"x\\\n y\"\n", "a:\n  b: \"x\\\n  y\"\n", "a:\n  b: \"x\\\n   y\"\n", "- a: \"x\\\n\n  y\"\n"} {
		checkTokenize(t, text)
	}
}

// TestPointerOfPath: a path leads as far as the document has it. An index has no sign, and a
// name may have dots.
func TestPointerOfPath(t *testing.T) {
	tree, err := ReadTree([]byte(`{"a":[{"b.c":[1],"b":{"c":2}},7],"d":{"e/f":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":              "",
		"a":             "/a",
		"a[0]":          "/a/0",
		"a[1]":          "/a/1",
		"a[2]":          "/a",
		"a[-1]":         "/a",
		"a[x]":          "/a",
		"a[0":           "/a",
		"a[]":           "/a",
		"a[0].b.c[0]":   "/a/0/b.c/0",
		"a[0].b.c.d":    "/a/0/b.c",
		"a[0].b.d":      "/a/0/b",
		"a[0][b.c][0]":  "/a/0/b.c/0",
		"a[1].b":        "/a/1",
		"d.e/f":         "/d/e~1f",
		"d[e/f]":        "/d/e~1f",
		"d[e/f":         "/d",
		"x":             "",
		"a[0].b.c[0].x": "/a/0/b.c/0",
	} {
		if got := tree.Pointer(path); got != want {
			t.Errorf("Pointer(%q) = %q, want %q", path, got, want)
		}
	}
}
