package selection_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/selection"
)

// matchTests are objects and selectors that match or do not match them.
var matchTests = []struct {
	name, path, selector, object string
	scope                        apiextensionsv1.ResourceScope
	want                         bool
	wantErr                      string
}{
	{name: "text", path: ".spec.a", selector: "spec.a=x", object: `{"spec":{"a":"x"}}`, want: true},
	{name: "other text", path: ".spec.a", selector: "spec.a!=x", object: `{"spec":{"a":"x"}}`},
	{name: "integer", path: ".spec.a", selector: "spec.a=7", object: `{"spec":{"a":7}}`, want: true},
	{name: "boolean", path: ".spec.a", selector: "spec.a=true", object: `{"spec":{"a":true}}`, want: true},
	{name: "null is empty", path: ".spec.a", selector: "spec.a=", object: `{"spec":{"a":null}}`, want: true},
	{name: "absent is empty", path: ".spec.a", selector: "spec.a=", object: `{"spec":null}`, want: true},
	{name: "escaped", path: ".spec.a", selector: `spec.a=\,\=\\`, object: `{"spec":{"a":",=\\"}}`, want: true},
	{name: "name", selector: "metadata.name=w", object: `{"metadata":{"name":"w"}}`, want: true},
	{name: "namespace", selector: "metadata.namespace=n", object: `{"metadata":{"namespace":"n"}}`, scope: apiextensionsv1.NamespaceScoped, want: true},
	{name: "namespace of cluster scope", selector: "metadata.namespace=n", object: `{}`, scope: apiextensionsv1.ClusterScoped, wantErr: "field label not supported: metadata.namespace"},
	{name: "not declared", path: ".spec.a", selector: "spec.b=x", object: `{}`, wantErr: "field label not supported: spec.b"},
	{name: "leading dot", path: ".spec.a", selector: ".spec.a=x", object: `{}`, wantErr: "field label not supported: .spec.a"},
	{name: "many values", path: ".spec.*", selector: "metadata.name=w", object: `{"spec":{"a":1,"b":2}}`, wantErr: "unexpectedly received more than one JSON path result"},
	{name: "many values, not looked at", path: ".spec.*", object: `{"spec":{"a":1,"b":2}}`, want: true},
	{name: "bad path", path: ".spec[", selector: "metadata.name=w", object: `{}`, wantErr: "unexpected error parsing jsonPath: unterminated array"},
	{name: "misfit", path: ".spec[0]", selector: "metadata.name=w", object: `{"spec":{}}`, wantErr: "unexpected error finding value with jsonPath: the path does not fit the object"},
}

func TestMatches(t *testing.T) {
	for _, tt := range matchTests {
		t.Run(tt.name, func(t *testing.T) {
			var declared []apiextensionsv1.SelectableField
			if tt.path != "" {
				declared = append(declared, apiextensionsv1.SelectableField{JSONPath: tt.path})
			}
			f, err := selection.New(declared, tt.scope)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := testkit.Decode([]byte(tt.object))
			if err != nil {
				t.Fatal(err)
			}
			s, err := f.Parse(tt.selector)
			if err != nil && !apierrors.IsBadRequest(err) {
				t.Errorf("Parse: %v is not a bad request", err)
			}
			matched := false
			if err == nil {
				matched, err = f.Matches(&unstructured.Unstructured{Object: tree}, nil, s)
			}
			if text(err) != tt.wantErr || matched != tt.want {
				t.Errorf("Matches: %v, %v, want %v, %s", matched, err, tt.want, tt.wantErr)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestLabels(t *testing.T) {
	f, err := selection.New(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{}
	obj.SetLabels(map[string]string{"a": "b"})
	for selector, want := range map[string]bool{"a=b": true, "a!=b": false, "a in (c,b)": true, "!a": false} {
		byLabel, err := labels.Parse(selector)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Matches(obj, byLabel, nil); got != want || err != nil {
			t.Errorf("Matches %q: %v, %v, want %v", selector, got, err, want)
		}
	}
	all, err := f.Check(nil)
	if err != nil || !all.Empty() {
		t.Errorf("Check(nil): %v, %v", all, err)
	}
}

func TestNewUnknownScope(t *testing.T) {
	if f, err := selection.New(nil, "Everywhere"); err == nil || f != nil {
		t.Errorf("New = %v, %v, want an error", f, err)
	}
}
