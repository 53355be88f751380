package oracle

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// A reply is the answer of one side for a definition.
type reply struct {
	errors   []string // sorted
	warnings []string // sorted
	panicked string
}

func (a reply) equal(b reply) bool {
	return slices.Equal(a.errors, b.errors) && slices.Equal(a.warnings, b.warnings)
}

func (a reply) diff(b reply) string {
	return upstream.Diff(a.errors, b.errors) + upstream.Diff(a.warnings, b.warnings)
}

// definitionErrors returns errors as texts of type, field and detail, each with the number
// of its occurrences.
func definitionErrors(errs field.ErrorList) []string {
	lines := make([]string, len(errs))
	for i, e := range errs {
		lines[i] = upstream.Normal(fmt.Sprintf("%s | %s | %s", e.Type, e.Field, e.Detail))
	}
	slices.Sort(lines)
	return lines
}

func newVerdict(errs validation.ErrorList, warnings []string) reply {
	a := reply{errors: definitionErrors(errs.Field()), warnings: slices.Clone(warnings)}
	slices.Sort(a.warnings)
	return a
}

// A definitionServer is upstream's strategy for definitions.
type definitionServer struct {
	*upstream.DefinitionServer
}

func newDefinitionServer() *definitionServer {
	return &definitionServer{upstream.NewDefinitionServer()}
}

// internal returns a definition as the server decodes it.
func (s *definitionServer) internal(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	return s.Decoded(crd.DeepCopy())
}

func catching(f func() reply) (a reply) {
	defer func() {
		if p := recover(); p != nil {
			a = reply{panicked: fmt.Sprint(p) + "\n" + string(debug.Stack())}
		}
	}()
	return f()
}

// create returns upstream's answer to a create. A definition with generateName and no name
// has a generated one when it is validated, as from rest.BeforeCreate.
func (s *definitionServer) create(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) reply {
	if crd.Name == "" && crd.GenerateName != "" {
		crd = crd.DeepCopy()
		crd.Name = names.SimpleNameGenerator.GenerateName(crd.GenerateName)
	}
	obj, err := s.internal(crd)
	if err != nil {
		t.Fatalf("converting %s: %v", crd.Name, err)
	}
	return catching(func() reply {
		errs, warnings := s.Create(obj)
		a := reply{errors: definitionErrors(errs), warnings: warnings}
		slices.Sort(a.warnings)
		return a
	})
}

func (s *definitionServer) update(t testing.TB, crd, old *apiextensionsv1.CustomResourceDefinition) reply {
	return s.replace(t, crd, old, s.Strategy)
}

// status is update of the status subresource.
func (s *definitionServer) status(t testing.TB, crd, old *apiextensionsv1.CustomResourceDefinition) reply {
	return s.replace(t, crd, old, customresourcedefinition.NewStatusStrategy(s.Scheme))
}

func (s *definitionServer) replace(t testing.TB, crd, old *apiextensionsv1.CustomResourceDefinition, strategy rest.RESTUpdateStrategy) reply {
	obj, err := s.internal(crd)
	if err != nil {
		t.Fatalf("converting %s: %v", crd.Name, err)
	}
	before, err := s.internal(old)
	if err != nil {
		t.Fatalf("converting %s: %v", old.Name, err)
	}
	// A client sends the resourceVersion of the old definition.
	if obj.ResourceVersion == "" {
		if obj.ResourceVersion = before.ResourceVersion; obj.ResourceVersion == "" {
			obj.ResourceVersion = "1"
		}
	}
	ctx := context.Background()
	return catching(func() reply {
		warnings := upstream.UniqueOwners(obj)
		obj.Generation = before.Generation
		strategy.PrepareForUpdate(ctx, obj, before)
		obj.Generation = before.Generation // the change of the spec counts later
		if obj.UID == "" {
			obj.UID = before.UID
		}
		if !before.CreationTimestamp.IsZero() {
			obj.CreationTimestamp = before.CreationTimestamp
		}
		if !before.DeletionTimestamp.IsZero() {
			obj.DeletionTimestamp = before.DeletionTimestamp
		}
		if before.DeletionGracePeriodSeconds != nil && obj.DeletionGracePeriodSeconds == nil {
			obj.DeletionGracePeriodSeconds = before.DeletionGracePeriodSeconds
		}
		errs := rest.ValidateUpdate(ctx, obj, before, strategy)
		a := reply{errors: definitionErrors(errs), warnings: append(warnings, strategy.WarningsOnUpdate(ctx, obj, before)...)}
		slices.Sort(a.warnings)
		return a
	})
}

// knownPanic reports whether crdkit has an error in the place of upstream's panic: a
// lookup of a path without a schema, or of the type of a schema below elements that the
// type above does not have, or an expression on which cel-go panics.
func knownPanic(text string) bool {
	return strings.Contains(text, "homogeneousAggregateLiteralValidator") || strings.Contains(text, "maybeBuildMapLiteral") ||
		strings.Contains(text, "nil pointer dereference") &&
			(strings.Contains(text, "ValidFieldPath") || strings.Contains(text, "accessTypeInfo"))
}

// TestPanicsOfExpressions compares expressions on which upstream panics, and similar ones
// on which it does not.
func TestPanicsOfExpressions(t *testing.T) {
	for expression, panics := range map[string]bool{
		"[?dyn(optional.of(1)), 2].size()":   true,
		"[?dyn(self.kind)].size()":           true,
		"{?'a': dyn(optional.of(1))}.size()": true,
		"[?optional.of(1), 2].size()":        false,
		"{dyn(b'a'): 1}.size()":              true,
		"{'a': {bytes('a'): 1}}.size()":      true,
		"{dyn(b'a'): self.kind}.size()":      false,
		"{dyn(1): 1}.size()":                 false,
	} {
		for _, rule := range []apiextensionsv1.ValidationRule{
			{Rule: expression + " == 1"},
			{Rule: "false", MessageExpression: "string(" + expression + ")"},
		} {
			props := &apiextensionsv1.JSONSchemaProps{Type: "object", XValidations: apiextensionsv1.ValidationRules{rule}}
			widgets, err := upstream.Widgets(props)
			if err != nil {
				t.Fatal(err)
			}
			n, _ := schema.Compile(props)
			mine := cel.Check(n)
			theirs := catching(func() reply {
				return reply{errors: definitionErrors(apivalidation.ValidateCustomResourceDefinition(t.Context(), widgets))}
			})
			if (theirs.panicked != "") != panics || panics && !knownPanic(theirs.panicked) || len(theirs.errors) > 0 {
				t.Errorf("%+v: upstream: panic %q, errors %q", rule, theirs.panicked, theirs.errors)
			}
			if (len(mine) > 0) != panics {
				t.Errorf("%+v: Check = %v", rule, mine)
			}
		}
	}
}
