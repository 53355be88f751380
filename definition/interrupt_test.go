package definition_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// wideDefinition returns a definition of two versions whose n properties differ. change changes
// each property.
func wideDefinition(t *testing.T, n int, change func(i int, s *apiextensionsv1.JSONSchemaProps)) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd, err := definition.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {v1: {type: string}}}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {v2: {type: string}}}}}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range crd.Spec.Versions {
		fields := crd.Spec.Versions[i].Schema.OpenAPIV3Schema.Properties["spec"].Properties
		for j := range n {
			maximum := int64(100)
			s := apiextensionsv1.JSONSchemaProps{Type: "string", MaxLength: &maximum}
			change(j, &s)
			fields[fmt.Sprintf("f%d", j)] = s
		}
	}
	return crd
}

// wideDefinitions are definitions that take long to check, each for another reason. polls
// is how many polls the check of two versions takes at least.
var wideDefinitions = map[string]struct {
	change func(int, *apiextensionsv1.JSONSchemaProps)
	polls  int
}{
	"schemas": {func(int, *apiextensionsv1.JSONSchemaProps) {}, 5},
	"defaults": {func(_ int, s *apiextensionsv1.JSONSchemaProps) {
		s.Default = &apiextensionsv1.JSON{Raw: []byte(`"a"`)}
	}, 5},
	"rules": {func(i int, s *apiextensionsv1.JSONSchemaProps) {
		s.XValidations = apiextensionsv1.ValidationRules{{Rule: fmt.Sprintf("self != 'a%d'", i)}}
	}, 2 * 400},
	"errors": {func(_ int, s *apiextensionsv1.JSONSchemaProps) { s.UniqueItems = true }, 5},
}

// TestContextEndsCheck: a check polls its context between schemas and in rules, and reports
// no verdict wherever the context ends.
func TestContextEndsCheck(t *testing.T) {
	for name, tt := range wideDefinitions {
		crd := wideDefinition(t, 400, tt.change)
		old := wideDefinition(t, 400, func(int, *apiextensionsv1.JSONSchemaProps) {})
		operations := map[string]func(...definition.Option) *definition.Report{
			"Check": func(opts ...definition.Option) *definition.Report { return definition.Check(crd, opts...) },
			"Check with notes": func(opts ...definition.Option) *definition.Report {
				return definition.Check(crd, append(opts, definition.WithNotes())...)
			},
			"CheckUpdate": func(opts ...definition.Option) *definition.Report { return definition.CheckUpdate(crd, old, opts...) },
		}
		for operation, check := range operations {
			t.Run(name+"/"+operation, func(t *testing.T) { contextEnds(t, check, tt.polls) })
		}
	}
}

func contextEnds(t *testing.T, check func(...definition.Option) *definition.Report, polls int) {
	want := check()
	ctx := testkit.EndingContext(1 << 30)
	if got := check(definition.WithContext(ctx)); got.Accepted() != want.Accepted() || len(got.Errors) != len(want.Errors) || got.Undecided != nil {
		t.Fatalf("with a context: accepted %v with %d errors, want %v with %d", got.Accepted(), len(got.Errors), want.Accepted(), len(want.Errors))
	}
	all := ctx.Polls()
	if all < polls {
		t.Errorf("%d polls, want at least %d", all, polls)
	}
	// The sort of errors that come in random order polls once more or less.
	for _, after := range []int{0, 1, 2, all / 4, all / 2, all - all/4, all - 2} {
		ctx := testkit.EndingContext(after)
		r := check(definition.WithContext(ctx))
		if r.Accepted() || !errors.Is(r.Undecided, context.Canceled) || !errors.Is(r.Err(), context.Canceled) || len(r.Errors) != 1 || len(r.Warnings)+len(r.Notes) != 0 {
			t.Errorf("after %d of %d polls: accepted %v, undecided %v, %d errors", after, all, r.Accepted(), r.Undecided, len(r.Errors))
		}
		if later := ctx.Polls() - after; later > 1+interrupt.Interval {
			t.Errorf("%d polls after the end", later)
		}
	}
}

func TestContextEndsCheckStatus(t *testing.T) {
	crd := wideDefinition(t, 1, func(int, *apiextensionsv1.JSONSchemaProps) {})
	r := definition.CheckStatus(crd, crd, definition.WithContext(testkit.EndingContext(1)))
	if r.Accepted() || !errors.Is(r.Err(), context.Canceled) {
		t.Errorf("accepted %v: %v", r.Accepted(), r.Err())
	}
}
