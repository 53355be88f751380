package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/schema"
)

// dumpAnnotations returns the annotations of a tree of nodes as text.
func dumpAnnotations(n *schema.Node, a *schema.Annotations) string {
	if n == nil || a == nil {
		return "-"
	}
	var b strings.Builder
	docs, hasDocs := a.ExternalDocs()
	example, hasExample := a.Example()
	fmt.Fprintf(&b, "(%q %q %v %t %v %t", a.Description(), a.Title(), docs, hasDocs, example, hasExample)
	for name, p := range n.Properties() {
		fmt.Fprintf(&b, " %q:%s", name, dumpAnnotations(p, a.Property(name)))
	}
	additional, _ := n.AdditionalProperties()
	fmt.Fprintf(&b, " items:%s additional:%s)", dumpAnnotations(n.Items(), a.Items()), dumpAnnotations(additional, a.AdditionalProperties()))
	return b.String()
}

// checkInterned compares the trees that Compile returns with and without an
// Interner.
func checkInterned(t *testing.T, in *schemaopt.Shared, props *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	alone, errsAlone := schema.Compile(props)
	got, errs := schema.Compile(props, in)
	if len(errs) != len(errsAlone) || errs.ToAggregate() != nil && errs.ToAggregate().Error() != errsAlone.ToAggregate().Error() {
		t.Fatalf("errors with an Interner are %v, want %v", errs, errsAlone)
	}
	if got == nil {
		return
	}
	if a, b := dump(alone), dump(got); a != b {
		t.Errorf("the tree with an Interner is\n%s\nwant\n%s", b, a)
	}
	if a, b := dumpAnnotations(alone, alone.Annotations()), dumpAnnotations(got, got.Annotations()); a != b {
		t.Errorf("the annotations with an Interner are\n%s\nwant\n%s", b, a)
	}
	if a, b := alone.Stats(), got.Stats(); a != b {
		t.Errorf("Stats() with an Interner = %+v, want %+v", b, a)
	}
	if again, _ := schema.Compile(props, in); again != got {
		t.Error("equal schemas have different roots")
	}
}

// TestInterner compiles real definitions with one Interner, from several
// goroutines.
func TestInterner(t *testing.T) {
	corpus, err := testkit.LoadTestdata("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	in := &schemaopt.Shared{}
	checkInterned(t, in, parse(t, everything))
	var group sync.WaitGroup
	for _, d := range corpus.Definitions {
		group.Go(func() {
			for _, v := range d.CRD.Spec.Versions {
				if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
					checkInterned(t, in, v.Schema.OpenAPIV3Schema)
				}
			}
		})
	}
	group.Wait()
}

// Parts with and without annotations differ, whichever comes first.
func TestInternerAnnotations(t *testing.T) {
	parts := []string{"{type: string}", "{type: string, description: A}", "{type: string, title: A}", "{type: string, description: B}", "{type: string, example: A}",
		"{type: string, externalDocs: {description: A, url: B}}", "{type: string, externalDocs: {description: B, url: A}}"}
	for _, around := range []string{"{type: array, description: D, items: %s}", "{type: object, description: D, additionalProperties: %s}", "{type: object, description: D, properties: {p: %s}}"} {
		var b strings.Builder
		b.WriteString("type: object\nproperties:\n")
		for i, first := range parts {
			for j, second := range parts {
				fmt.Fprintf(&b, "  n%d%d: {type: object, properties: {x: %s, y: %s}}\n", i, j, fmt.Sprintf(around, first), fmt.Sprintf(around, second))
			}
		}
		checkInterned(t, &schemaopt.Shared{}, parse(t, b.String()))
		for _, first := range parts {
			for _, second := range parts {
				checkInterned(t, &schemaopt.Shared{}, parse(t, fmt.Sprintf("{type: object, properties: {x: %s, y: %s, z: %s}}",
					fmt.Sprintf(around, parts[1]), fmt.Sprintf(around, first), fmt.Sprintf(around, second))))
			}
		}
	}
}

func TestInternerShares(t *testing.T) {
	in := &schemaopt.Shared{}
	one := compile(t, `{type: object, description: one, properties: {a: {type: object, description: A, properties: {x: {type: string, description: X}}}}}`, in)
	two := compile(t, `{type: object, description: two, properties: {a: {type: object, description: A, properties: {x: {type: string, description: X}}}, b: {type: string}}}`, in)
	three := compile(t, `{type: object, description: three, properties: {a: {type: object, description: B, properties: {x: {type: string, description: X}}}}}`, in)
	if one == two || one == three {
		t.Error("different schemas have one root")
	}
	if one.Property("a") != two.Property("a") || one.Property("a") != three.Property("a") {
		t.Error("equal parts of two schemas are not one node")
	}
	if one.Annotations().Property("a") != two.Annotations().Property("a") {
		t.Error("equal annotations of two schemas are not shared")
	}
	if one.Annotations().Property("a") == three.Annotations().Property("a") {
		t.Error("different annotations are shared")
	}
	if one.Annotations().Property("a").Property("x") != three.Annotations().Property("a").Property("x") {
		t.Error("equal annotations below different ones are not shared")
	}
	if got := three.Annotations().Property("a").Description(); got != "B" {
		t.Errorf("the description is %q, want B", got)
	}
	if bad, errs := schema.Compile(parse(t, `{type: object, properties: {a: {}}}`), in); bad != nil || len(errs) == 0 {
		t.Errorf("Compile() = %v, %v, want errors", bad, errs)
	}
	if compile(t, `{type: object, description: one, properties: {a: {type: object, description: A, properties: {x: {type: string, description: X}}}}}`, in) != one {
		t.Error("equal schemas have different roots after an error")
	}
}

// FuzzInterner compiles two schemas with one Interner.
func FuzzInterner(f *testing.F) {
	for _, seed := range []string{everything, `{type: object, description: a}`, `{type: object, properties: {a: {type: array, items: {type: string, description: b}}}}`} {
		text, err := yaml.YAMLToJSON([]byte(seed))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, []byte(`{"type": "object", "description": "b", "properties": {"b": {"type": "string", "description": "b"}}}`))
	}
	fuzz.Run(f, func(t *testing.T, first, second []byte) {
		in := &schemaopt.Shared{}
		for _, text := range [][]byte{first, second, first} {
			props := &apiextensionsv1.JSONSchemaProps{}
			if json.Unmarshal(text, props) == nil {
				checkInterned(t, in, props)
			}
		}
	})
}
