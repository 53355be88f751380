package definition_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/crdkit/crdkit/definition"
)

func TestParseAll(t *testing.T) {
	item := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a"}}`
	list := `{"apiVersion":"v1","kind":"List","items":[` + item + `,{"apiVersion":"v1","kind":"Pod"},` + item + `]}`
	for _, tt := range []struct {
		text string
		want int
		err  string
	}{
		{text: "", err: "definitions: no document in it"},
		{text: "apiVersion: v1\nkind: Pod\n"},
		{text: item, want: 1},
		{text: item + "\n" + item, want: 2},
		{text: list + "\n---\n" + item, want: 3},
		{text: item + "\n---\n{\n", err: "definitions, document 2: "},
		{text: item + "\n---\nkind: CustomResourceDefinition\napiVersion: v1\n", err: "definitions, document 2: crdkit: definition has apiVersion "},
		{text: strings.Replace(list, `"a"`, `"a","x":1`, 1), err: `definitions, document 1, items[0]: `},
	} {
		crds, err := definition.ParseAll([]byte(tt.text))
		if len(crds) != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%q: %d definitions, %v, want %d, %s...", tt.text, len(crds), err, tt.want, tt.err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "no document where one is expected"},
		{"comments", "# a\n---\n# b\n", "no document where one is expected"},
		{"two documents", crateCRD + "---\n" + crateCRD, "several documents where one is expected"},
		{"no yaml", "a: [1", "did not find expected"},
		{"a scalar", "hello", "the document is a string, want an object"},
		{"a directive and nothing else", "%YAML 1.2\n---\n", "no document where one is expected"},
		{"a list", "- a", "the document is a list, want an object"},
		{"null", "null", "the document is null, want an object"},
		{"a list of definitions", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nitems: []\n", `kind is "CustomResourceDefinitionList"`},
		{"another kind", "apiVersion: v1\nkind: Pod\n", `kind is "Pod", want "CustomResourceDefinition"`},
		{"another version", "apiVersion: apiextensions.k8s.io/v2\nkind: CustomResourceDefinition\n", `apiVersion "apiextensions.k8s.io/v2", want "apiextensions.k8s.io/v1"`},
		{"unknown field", strings.Replace(crateCRD, "scope:", "scape:", 1), `unknown field "spec.scape"`},
		{"wrong case", strings.Replace(crateCRD, "scope:", "Scope:", 1), `unknown field "spec.Scope"`},
		{"unknown field without a name", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spek":{}}`, `crdkit: definition without a name: unknown field "spek"`},
		{"unknown field of v1beta1 without a name", `{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","spek":{}}`, `crdkit: definition without a name: unknown field "spek"`},
		{"duplicate field", strings.Replace(crateCRD, "  scope:", "  group: x\n  scope:", 1), `key "group" already set in map`},
		{"wrong type", strings.Replace(crateCRD, "served: true", "served: maybe", 1), "cannot unmarshal string"},
		{"a kind that is no text", `{"apiVersion":"apiextensions.k8s.io/v1","kind":5}`, "reading a definition: "},
		{"wrong type in v1beta1", `{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","spec":5}`, "reading a definition: "},
		{"only a brace", "{", "reading a definition: "},
		{"json", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":5}`, "cannot unmarshal number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			crd, err := definition.Parse([]byte(tt.text))
			if crd != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, %v; want an error with %q", crd, err, tt.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	crd := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + name + "}\n")}
	}
	files := fstest.MapFS{
		"crd/a.yaml": crd("a"), "crd/b.yml": crd("b"), "crd/c.txt": crd("c"), "crd/below/d.yaml": crd("d"),
		"none/e.yaml": {Data: []byte("kind: List\napiVersion: v1\nitems: []\n")}, "bad/f.yaml": {Data: []byte("a: 1\n---\nb: [\n")},
	}
	for paths, want := range map[string]string{
		"crd":                 "a b",
		"crd/c.txt crd/below": "c d",
		"none":                `crdkit: no definition in ["none"]`,
		"bad/f.yaml":          "bad/f.yaml, document 1: apiVersion is missing or is not a string\nbad/f.yaml, document 2: ",
		"missing":             "missing: file does not exist",
	} {
		crds, err := definition.Read(files, strings.Fields(paths)...)
		got := fmt.Sprint(err)
		if err == nil {
			got = ""
			for _, crd := range crds {
				got += " " + crd.Name
			}
		}
		if got = strings.TrimSpace(got); !strings.HasPrefix(got, want) || err == nil && got != want {
			t.Errorf("%s: %s, want %s", paths, got, want)
		}
	}
	if crds, err := definition.Read(nil, "../testdata/crontab/crd.yaml"); err != nil || len(crds) != 1 {
		t.Errorf("a file of the operating system: %v, %v", crds, err)
	}
}
