package compat

import (
	"context"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestGuard gives false proofs to the guard, which finds an object against each, and true
// ones, which stay.
func TestGuard(t *testing.T) {
	for _, c := range []struct{ name, old, crd, contradicted string }{
		{"writers and stored", "{type: string}", "{type: string, maxLength: 0}", "writers stored"},
		{"the type", "{type: integer}", "{x-kubernetes-int-or-string: true}", "readers"},
		{"required", "{type: object, properties: {a: {type: string}}, required: [a]}", "{type: object, properties: {a: {type: string}}}", "readers"},
		{"a transition rule", "{type: integer}", "{type: integer, x-kubernetes-validations: [{rule: self == oldSelf}]}", "writers"},
		{"a default", "{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string, default: b}}}", "writers stored"},
		{"a new field", "{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string}, c: {type: string, default: b}}}", ""},
		{"both refuse to keep a value", "{type: integer, x-kubernetes-validations: [{rule: self != oldSelf}]}", "{type: integer, x-kubernetes-validations: [{rule: self != oldSelf}]}", ""},
		{"equal", "{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string}}}", ""},
	} {
		p, err := newPair(context.Background(), guarded(t, c.old), guarded(t, c.crd))
		if err != nil {
			t.Fatal(err)
		}
		cmp := &comparison{pair: p, versionPair: &p.versions[0], ctx: context.Background(), work: workLimit}
		got := ""
		for _, role := range []Role{RoleWriters, RoleStored, RoleReaders} {
			found := cmp.guard(cmp.proved("claimed"))
			i := slices.IndexFunc(found, func(f Finding) bool { return f.Role == role && f.Code == CodeContradiction })
			switch {
			case i < 0:
			case found[i].Witness == nil || found[i].Old == found[i].New || found[i].Verdict != VerdictIncompatible:
				t.Errorf("%s: finding = %+v", c.name, found[i])
			case got == "":
				got = string(role)
			default:
				got += " " + string(role)
			}
		}
		if got != c.contradicted {
			t.Errorf("%s: the guard contradicts %q, want %q", c.name, got, c.contradicted)
		}
	}
}

// guarded returns a definition whose objects have the property x.
func guarded(t *testing.T, props string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(`
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {x: `+props+`}}}}]
`), crd); err != nil {
		t.Fatal(err)
	}
	return crd
}
