package conversiontest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion/conversiontest"
)

// TestManyCauses loses more fields than a report lists.
func TestManyCauses(t *testing.T) {
	const fields = conversiontest.MaxFailures + 7
	crd := service()
	for i := range crd.Spec.Versions {
		props := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
		for f := range fields {
			name := fmt.Sprintf("f%02d", f)
			props.Properties[name] = apiextensionsv1.JSONSchemaProps{Type: "boolean"}
			props.Required = append(props.Required, name)
		}
		crd.Spec.Versions[i].Schema.OpenAPIV3Schema = &props
	}
	all := map[string]any{"apiVersion": crd.Spec.Group + "/v1", "kind": crd.Spec.Names.Kind, "metadata": map[string]any{"name": "a"}}
	for f := range fields {
		all[fmt.Sprintf("f%02d", f)] = true
	}
	tester, err := conversiontest.New(crd, conversiontest.Count(1), conversiontest.Samples(all), conversiontest.Func(
		func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
			for name, v := range obj.Object {
				if _, ok := v.(bool); ok && to == "v1" {
					obj.Object[name] = "lost"
				}
			}
			return obj, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	report, err := tester.RoundTrip(t.Context(), "v1", "v1beta1")
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Failures) != conversiontest.MaxFailures || report.Omitted != fields-conversiontest.MaxFailures {
		t.Errorf("%d failures and %d omitted, want %d and %d", len(report.Failures), report.Omitted, conversiontest.MaxFailures, fields-conversiontest.MaxFailures)
	}
	if want := "\n7 further failures of other causes"; !strings.HasSuffix(report.Err().Error(), want) {
		t.Errorf("%v, want %s", report.Err(), want)
	}
}
