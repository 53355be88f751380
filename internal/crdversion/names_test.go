package crdversion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type declaredNames = apiextensionsv1.CustomResourceDefinitionNames

func TestSetDefaultNamesKeepsNamesThatAreSet(t *testing.T) {
	for _, tt := range []struct{ given, want declaredNames }{
		{declaredNames{Kind: "Foo"}, declaredNames{Kind: "Foo", Singular: "foo", ListKind: "FooList"}},
		{declaredNames{Kind: "Foo", Singular: "f", ListKind: "Foos"}, declaredNames{Kind: "Foo", Singular: "f", ListKind: "Foos"}},
		{declaredNames{Plural: "foos"}, declaredNames{Plural: "foos"}},
	} {
		got := tt.given
		SetDefaultNames(&got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.given, diff)
		}
	}
}

func TestClaimsConflictByResourceOrByKind(t *testing.T) {
	claim := ClaimOf(&declaredNames{Plural: "foos", Singular: "foo", ShortNames: []string{"f", "x"}, Kind: "Foo", ListKind: "FooList"})
	for _, tt := range []struct {
		other declaredNames
		want  [2]string
	}{
		{declaredNames{Plural: "a", Singular: "b", ShortNames: []string{"x", "f"}, Kind: "A", ListKind: "B"}, [2]string{"resource name", "f"}},
		{declaredNames{Plural: "foos", Singular: "b", Kind: "A", ListKind: "Foo"}, [2]string{"kind", "Foo"}},
		{declaredNames{Plural: "foo", Singular: "b", Kind: "A", ListKind: "B"}, [2]string{"resource name", "foo"}},
		{declaredNames{Plural: "Foo", Singular: "FooList", Kind: "foos", ListKind: "f"}, [2]string{}},
	} {
		other := ClaimOf(&tt.other)
		what, name := claim.Conflict(&other)
		if diff := cmp.Diff(tt.want, [2]string{what, name}); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.other, diff)
		}
	}
}

func TestClaimsOfManyNamesConflict(t *testing.T) {
	many := Claim{Resources: make([]string, 2*fewNames)}
	for i := range many.Resources {
		many.Resources[i] = string(rune('a' + i))
	}
	last := many.Resources[len(many.Resources)-1]
	other := Claim{Resources: []string{"none", last}}
	if what, name := other.Conflict(&many); what != "resource name" || name != last {
		t.Errorf("Conflict = %q, %q, want the resource name %q", what, name, last)
	}
	other = Claim{Resources: []string{"none"}}
	if what, name := other.Conflict(&many); what != "" || name != "" {
		t.Errorf("Conflict = %q, %q, want none", what, name)
	}
}
