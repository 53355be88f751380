package explanation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A testCase is an object for a schema: a spec or a whole object.
type testCase struct {
	Name     string         `json:"name"`
	Object   map[string]any `json:"object"`
	Spec     any            `json:"spec"`
	Old      any            `json:"old"`
	NoValues bool           `json:"noValues"`
}

// definitionOf returns a definition of kind Thing with one version.
func definitionOf(t testing.TB, schemaText string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(schemaText), props); err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name, crd.Spec.Group, crd.Spec.Scope = "things.example.com", "example.com", apiextensionsv1.NamespaceScoped
	crd.Spec.Names.Kind, crd.Spec.Names.Plural = "Thing", "things"
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props},
	}}
	return crd
}

func versionOf(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) *crdkit.Version {
	t.Helper()
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	return d.Storage()
}

// thing returns an object of kind Thing. It copies its parts.
func thing(t testing.TB, object map[string]any, spec any) *unstructured.Unstructured {
	t.Helper()
	obj := map[string]any{"metadata": map[string]any{"name": "a"}}
	if object != nil {
		obj = jsonval.Clone(object).(map[string]any)
	} else if spec != nil {
		obj["spec"] = spec
	}
	obj["apiVersion"], obj["kind"] = "example.com/v1", "Thing"
	obj["metadata"].(map[string]any)["namespace"] = "default"
	text, err := yaml.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := testkit.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: decoded}
}

// explainAll writes the errors of a request and their explanations.
func explainAll(t testing.TB, v *crdkit.Version, obj, old *unstructured.Unstructured, opts ...explanation.Option) string {
	t.Helper()
	ctx := context.Background()
	var res *crdkit.Result
	var err error
	if old != nil {
		old.SetResourceVersion("1")
		obj.SetResourceVersion("1")
		res, err = v.Update(ctx, obj, old)
	} else {
		res, err = v.Create(ctx, obj)
	}
	if err != nil {
		t.Fatal(err)
	}
	x := explanation.New(v, opts...)
	var b strings.Builder
	for _, e := range res.Errors {
		fmt.Fprintf(&b, "%s: %s\n", e.Field, e.Detail)
		why, err := x.Error(ctx, e, obj, old)
		switch {
		case err != nil:
			t.Errorf("%v: %v", e, err)
		case why == nil:
			fmt.Fprintf(&b, "  -\n")
		default:
			fmt.Fprintf(&b, "  text: %s\n", why.Text)
			if why.Decided != "" {
				fmt.Fprintf(&b, "  decided: %s\n", why.Decided)
			}
			for _, o := range why.Operands {
				fmt.Fprintf(&b, "  operand: %s = %s\n", o.Expression, o.Value)
			}
			if why.Suggestion != "" {
				fmt.Fprintf(&b, "  suggestion: %s\n", why.Suggestion)
			}
		}
	}
	if res.Refusal != nil {
		fmt.Fprintf(&b, "refusal: %s\n", res.Refusal.Message)
	}
	return b.String()
}

func TestError(t *testing.T) {
	testkit.RunTxtar(t, "testdata/*.txtar", []string{"schema", "cases", "want"}, func(t *testing.T, c *testkit.Case) {
		v := versionOf(t, definitionOf(t, c.Section("schema")))
		var cases []testCase
		if err := yaml.UnmarshalStrict([]byte(c.Section("cases")), &cases); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, tt := range cases {
			obj := thing(t, tt.Object, tt.Spec)
			var old *unstructured.Unstructured
			if tt.Old != nil {
				old = thing(t, nil, tt.Old)
			}
			var opts []explanation.Option
			if tt.NoValues {
				opts = append(opts, explanation.WithoutValues())
			}
			fmt.Fprintf(&b, "# %s\n%s\n", tt.Name, explainAll(t, v, obj, old, opts...))
		}
		c.Want(t, "want", b.String())
	})
}

// TestWithoutValues checks that no part of the object shows in the explanations of the
// cases in hidden.txtar. The errors of the server may show it.
func TestWithoutValues(t *testing.T) {
	testkit.RunTxtar(t, "testdata/hidden.txtar", []string{"schema", "cases", "want"}, func(t *testing.T, c *testkit.Case) {
		explained := 0
		for line := range strings.Lines(c.Section("want")) {
			if !strings.HasPrefix(line, "  ") {
				continue
			}
			explained++
			text, _, _ := strings.Cut(line, `"SECRET"`) // the rule itself
			if strings.Contains(text, "SECRET") {
				t.Errorf("an explanation shows a value: %s", line)
			}
		}
		if explained == 0 {
			t.Error("there are no explanations")
		}
	})
}

// TestValueLengthBelowOne tests that the default is used below 1, and not at 1.
func TestValueLengthBelowOne(t *testing.T) {
	v := versionOf(t, definitionOf(t, `
type: object
properties:
  spec: {type: object, properties: {a: {type: string, maxLength: 200}}, x-kubernetes-validations: [{rule: "self.a == 'b'"}]}
`))
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "namespace": "b"},
		"spec": map[string]any{"a": strings.Repeat("x", 150)},
	}}
	result, err := v.Create(t.Context(), obj)
	if err != nil || len(result.Errors) != 1 {
		t.Fatal(err, result)
	}
	texts := map[int]string{}
	for _, n := range []int{-1, 0, 1, explanation.DefaultValueLength} {
		why, err := explanation.New(v, explanation.ValueLength(n)).Error(t.Context(), result.Errors[0], obj, nil)
		if err != nil {
			t.Fatal(err)
		}
		texts[n] = why.Text
	}
	want := texts[explanation.DefaultValueLength]
	if texts[-1] != want || texts[0] != want || !strings.Contains(want, "xxx…") || !strings.Contains(texts[1], "(…)") {
		t.Errorf("texts of lengths -1, 0, 1 and the default: %v", texts)
	}
}
