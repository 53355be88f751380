package hidden

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// read returns a definition in the internal form of the server.
func read(t *testing.T, file string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(data, crd); err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	scheme.Default(crd)
	out := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(crd, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLayout compares ValidateSpec with upstream's exported function. For each
// option there is a definition with an error that only this option causes.
func TestLayout(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "nonstructural", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d definitions: %v", len(files), err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		crd := read(t, file)
		preserve := true
		for _, change := range []func(*apiextensions.CustomResourceDefinitionSpec){
			func(*apiextensions.CustomResourceDefinitionSpec) {},
			func(s *apiextensions.CustomResourceDefinitionSpec) { s.Validation = nil },
			func(s *apiextensions.CustomResourceDefinitionSpec) { s.PreserveUnknownFields = &preserve },
			func(s *apiextensions.CustomResourceDefinitionSpec) {
				s.Conversion = &apiextensions.CustomResourceConversion{Strategy: apiextensions.WebhookConverter, ConversionReviewVersions: []string{"v3"},
					WebhookClientConfig: &apiextensions.WebhookClientConfig{CABundle: []byte("x")}}
			},
		} {
			crd := crd.DeepCopy()
			change(&crd.Spec)
			ctx := context.Background()
			want := specErrors(validation.ValidateCustomResourceDefinition(ctx, crd))
			got := specErrors(ValidateSpec(ctx, &crd.Spec))
			if !slices.Equal(got, want) {
				t.Errorf("%s: got\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for _, text := range got {
				for _, part := range []string{"Unsupported value", "Required value", "must include at least one of v1", "must not be empty"} {
					seen[part] = seen[part] || strings.Contains(text, part)
				}
			}
		}
	}
	for _, part := range []string{"Unsupported value", "Required value", "must include at least one of v1", "must not be empty"} {
		if !seen[part] {
			t.Errorf("no definition has an error with %q", part)
		}
	}
}

func specErrors(errs field.ErrorList) []string {
	var out []string
	for _, err := range errs {
		if strings.HasPrefix(err.Field, "spec.") && err.Detail != "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead" {
			out = append(out, err.Error())
		}
	}
	slices.Sort(out)
	return out
}
