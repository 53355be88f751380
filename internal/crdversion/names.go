package crdversion

import (
	"cmp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// SetDefaultNames sets the names that kube-apiserver adds: the singular name and
// the kind of lists.
func SetDefaultNames(n *apiextensionsv1.CustomResourceDefinitionNames) {
	n.Singular = cmp.Or(n.Singular, strings.ToLower(n.Kind))
	if n.ListKind == "" && n.Kind != "" {
		n.ListKind = n.Kind + "List"
	}
}

// A Claim has the names that clients use for the objects of a definition. In one
// group no two definitions can have the same resource name or the same kind. Names
// of resources and kinds do not conflict with each other.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#create-a-customresourcedefinition.
type Claim struct {
	Resources, Kinds []string
}

// ClaimOf returns the claim of names, without defaults. It shares no memory with
// n.
func ClaimOf(n *apiextensionsv1.CustomResourceDefinitionNames) Claim {
	return Claim{
		Resources: append([]string{n.Plural, n.Singular}, n.ShortNames...),
		Kinds:     []string{n.Kind, n.ListKind},
	}
}

// Conflict returns the first name that both claims have and what it names: "kind"
// or "resource name". It returns "" for both if there is none.
func (c *Claim) Conflict(other *Claim) (what, name string) {
	if name, ok := firstIn(c.Kinds, other.Kinds); ok {
		return "kind", name
	}
	if name, ok := firstIn(c.Resources, other.Resources); ok {
		return "resource name", name
	}
	return "", ""
}

// fewNames is the length up to which a list is searched without an index.
const fewNames = 16

// firstIn returns the first of the names that is also in list.
func firstIn(names, list []string) (string, bool) {
	has := func(name string) bool { return slices.Contains(list, name) }
	if len(list) > fewNames {
		set := make(map[string]bool, len(list))
		for _, name := range list {
			set[name] = true
		}
		has = func(name string) bool { return set[name] }
	}
	i := slices.IndexFunc(names, has)
	if i < 0 {
		return "", false
	}
	return names[i], true
}
