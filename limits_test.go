package crdkit_test

import (
	"context"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestRequestSize pins that a body of just MaxRequestBytes is read, on the fast
// path too, and that a larger one is refused.
func TestRequestSize(t *testing.T) {
	p, sample := cronTabPair(t)
	text := string(testkit.Encode(sample))
	for more, admitted := range map[int]bool{-1: true, 0: true, 1: false} {
		raw := []byte(text + strings.Repeat(" ", crdkit.MaxRequestBytes+more-len(text)))
		if taken := onBothPaths(t, p, creating, raw, nil, crdkit.Warn); taken != admitted {
			t.Errorf("%+d bytes: the fast path accepts: %v, want %v", more, taken, admitted)
		}
		res := resultOf(t, p.fast, creating, raw, nil)
		if res.Admitted() != admitted || !admitted && res.Refusal.Code != 413 {
			t.Errorf("%+d bytes: %v, want admitted %v", more, res.Err(), admitted)
		}
	}
}

// TestUnreadableRequest pins how a refusal shows a body that cannot be read: its first
// 30 bytes, as text only if it starts like an object of JSON.
func TestUnreadableRequest(t *testing.T) {
	p, _ := cronTabPair(t)
	for text, want := range map[string]string{
		"":                                  "<empty>",
		`{"a`:                               `{"a`,
		`{` + strings.Repeat("x", 29):       `{` + strings.Repeat("x", 29),
		`{` + strings.Repeat("x", 30):       `{` + strings.Repeat("x", 29) + " ...",
		"[" + strings.Repeat("1", 29):       "5b" + strings.Repeat("31", 29),
		"[" + strings.Repeat("1", 29) + "2": "5b" + strings.Repeat("31", 29) + " ...",
	} {
		res := resultOf(t, p.fast, creating, []byte(text), nil)
		if res.Refusal == nil || !strings.HasSuffix(res.Refusal.Message, " ("+want+")") {
			t.Errorf("%q: %+v, want a message that ends in %q in brackets", text, res.Refusal, want)
		}
	}
}

// TestCompileRefusesIncompleteDefinitions pins the errors of definitions that were
// not checked: each missing part is named, all at once.
func TestCompileRefusesIncompleteDefinitions(t *testing.T) {
	whole := func() *apiextensionsv1.CustomResourceDefinition {
		return &apiextensionsv1.CustomResourceDefinition{
			ObjectMeta: metav1.ObjectMeta{Name: "as.example.org"},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group: "example.org", Scope: apiextensionsv1.NamespaceScoped,
				Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "as", Singular: "a", Kind: "A", ListKind: "AList"},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}, {Name: "v2", Served: true}},
			},
		}
	}
	if _, err := crdkit.Compile(whole()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(*apiextensionsv1.CustomResourceDefinitionSpec)
		want   []string
	}{
		{"group", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Group = "" }, []string{"spec.group: Required"}},
		{"kind", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Names.Kind = "" }, []string{"spec.names.kind: Required"}},
		{"plural", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Names.Plural = "" }, []string{"spec.names.plural: Required"}},
		{"no scope", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Scope = "" }, []string{"spec.scope: Required"}},
		{"unknown scope", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Scope = "World" }, []string{`spec.scope: Unsupported value: "World"`}},
		{"versions of one name", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Versions[1].Name = "v1" }, []string{"must contain unique version names"}},
		{"no stored version", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Versions[0].Storage = false }, []string{"exactly one version marked as storage"}},
		{"two stored versions", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Versions[1].Storage = true }, []string{"exactly one version marked as storage"}},
		{"several", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Group, s.Names.Plural, s.Scope = "", "", "" },
			[]string{"spec.group: Required", "spec.names.plural: Required", "spec.scope: Required"}},
	} {
		crd := whole()
		tt.change(&crd.Spec)
		_, err := crdkit.Compile(crd)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", tt.name, err, want)
			}
		}
	}
}

// TestReadRefusesMalformedObjects pins that stored objects whose metadata or type
// cannot be decoded are errors, which say what is wrong.
func TestReadRefusesMalformedObjects(t *testing.T) {
	def := compileText(t, cronTab)
	v := testkit.Must(def.Version("v1"))
	for _, tt := range []struct {
		name   string
		change func(map[string]any)
		want   string
	}{
		{"metadata of the wrong type", func(m map[string]any) { m["metadata"] = "a" }, "cannot be handled as a"},
		{"another kind", func(m map[string]any) { m["kind"] = "Other" }, "the stored object is a Other"},
		{"an unknown version", func(m map[string]any) { m["apiVersion"] = v.GroupVersionKind().Group + "/v0" }, "request to convert CR from an invalid group/version"},
		{"an apiVersion of three parts", func(m map[string]any) { m["apiVersion"] = "a/b/c" }, "request to convert CR from an invalid group/version"},
	} {
		object := map[string]any{"apiVersion": v.GroupVersionKind().GroupVersion().String(), "kind": v.GroupVersionKind().Kind, "metadata": map[string]any{"name": "a"}}
		if _, _, err := v.Read(context.Background(), &unstructured.Unstructured{Object: object}); err != nil {
			t.Fatal(err)
		}
		tt.change(object)
		out, res, err := v.Read(context.Background(), &unstructured.Unstructured{Object: object})
		if err == nil || !strings.Contains(err.Error(), tt.want) || out != nil || res != nil {
			t.Errorf("%s: Read = %v, %v, want an error with %q", tt.name, out, err, tt.want)
		}
	}
}
