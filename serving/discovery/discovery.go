package discovery

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/versionsort"
)

// Groups returns the document of each group with published versions, sorted by name. If no
// definition is published, it returns nil.
func Groups(crds ...*apiextensionsv1.CustomResourceDefinition) []metav1.APIGroup {
	names := make([]string, 0, len(crds))
	for _, crd := range crds {
		if crd != nil {
			names = append(names, crd.Spec.Group)
		}
	}
	slices.Sort(names)
	var groups []metav1.APIGroup
	for _, name := range slices.Compact(names) {
		if g, ok := Group(name, crds...); ok {
			groups = append(groups, *g)
		}
	}
	return groups
}

// Group returns the document of a group: its versions in order of priority, and the version that
// clients should prefer. It ignores definitions of other groups. If no definition publishes a
// version of the group, Group reports false; the server then answers with 404.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority.
func Group(group string, crds ...*apiextensionsv1.CustomResourceDefinition) (*metav1.APIGroup, bool) {
	var names []string
	for _, crd := range publishedIn(group, crds) {
		for _, v := range crd.Spec.Versions {
			if v.Served {
				names = append(names, v.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, false
	}
	versionsort.Sort(names)
	names = slices.Compact(names)
	doc := &metav1.APIGroup{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"},
		Name:     group,
		Versions: make([]metav1.GroupVersionForDiscovery, len(names)),
	}
	for i, name := range names {
		doc.Versions[i] = metav1.GroupVersionForDiscovery{GroupVersion: group + "/" + name, Version: name}
	}
	doc.PreferredVersion = doc.Versions[0]
	return doc, true
}

// Resources returns the document of one version of a group: its resources, sorted by name, each
// followed by its subresources. If no definition publishes the version, Resources reports false;
// the server then answers with 404.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#subresources.
func Resources(group, version string, crds ...*apiextensionsv1.CustomResourceDefinition) (*metav1.APIResourceList, bool) {
	doc := &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: group + "/" + version,
	}
	published := publishedIn(group, crds)
	slices.SortStableFunc(published, func(a, b *apiextensionsv1.CustomResourceDefinition) int {
		return cmp.Compare(namesOf(a).Plural, namesOf(b).Plural)
	})
	for _, crd := range published {
		for i := range crd.Spec.Versions {
			if v := &crd.Spec.Versions[i]; v.Served && v.Name == version {
				doc.APIResources = append(doc.APIResources, resourcesOf(crd, v)...)
				break
			}
		}
	}
	if doc.APIResources == nil {
		return nil, false
	}
	return doc, true
}

// StorageVersionHash returns the hash that discovery publishes for the storage version of a kind.
func StorageVersionHash(group, version, kind string) string {
	const shown = 8 // bytes
	sum := sha256.Sum256([]byte(group + "/" + version + "/" + kind))
	return base64.StdEncoding.EncodeToString(sum[:shown])
}

func resourcesOf(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion) []metav1.APIResource {
	names := namesOf(crd)
	namespaced := crd.Spec.Scope == apiextensionsv1.NamespaceScoped
	resources := []metav1.APIResource{{
		Name:               names.Plural,
		SingularName:       names.Singular,
		Namespaced:         namespaced,
		Kind:               names.Kind,
		Verbs:              verbsOf(crd),
		ShortNames:         slices.Clone(names.ShortNames),
		Categories:         slices.Clone(names.Categories),
		StorageVersionHash: storageHash(crd),
	}}
	subresource := func(name string) metav1.APIResource {
		return metav1.APIResource{
			Name:       names.Plural + "/" + name,
			Namespaced: namespaced,
			Kind:       names.Kind,
			Verbs:      metav1.Verbs{"get", "patch", "update"},
		}
	}
	if s := v.Subresources; s != nil && s.Status != nil {
		resources = append(resources, subresource("status"))
	}
	if s := v.Subresources; s != nil && s.Scale != nil {
		scale := subresource("scale")
		scale.Group, scale.Version, scale.Kind = "autoscaling", "v1", "Scale"
		resources = append(resources, scale)
	}
	return resources
}

func verbsOf(crd *apiextensionsv1.CustomResourceDefinition) metav1.Verbs {
	if holds(crd, apiextensionsv1.Terminating) {
		return metav1.Verbs{"delete", "deletecollection", "get", "list", "watch"}
	}
	return metav1.Verbs{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
}

// storageHash returns the hash of the storage version, or "" if this version is not served.
func storageHash(crd *apiextensionsv1.CustomResourceDefinition) string {
	for _, v := range crd.Spec.Versions {
		if v.Served && v.Storage {
			return StorageVersionHash(crd.Spec.Group, v.Name, crd.Spec.Names.Kind)
		}
	}
	return ""
}

func publishedIn(group string, crds []*apiextensionsv1.CustomResourceDefinition) []*apiextensionsv1.CustomResourceDefinition {
	var published []*apiextensionsv1.CustomResourceDefinition
	for _, crd := range crds {
		if crd != nil && crd.Spec.Group == group && (hasNoConditions(crd) || holds(crd, apiextensionsv1.Established)) {
			published = append(published, crd)
		}
	}
	return published
}

// hasNoConditions reports whether no server has set a condition of the definition.
func hasNoConditions(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return len(crd.Status.Conditions) == 0
}

// namesOf returns the accepted names, or the names in the spec if there are no conditions.
func namesOf(crd *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.CustomResourceDefinitionNames {
	if !hasNoConditions(crd) {
		return crd.Status.AcceptedNames
	}
	names := crd.Spec.Names
	if names.Singular == "" {
		names.Singular = strings.ToLower(names.Kind)
	}
	return names
}

func holds(crd *apiextensionsv1.CustomResourceDefinition, condition apiextensionsv1.CustomResourceDefinitionConditionType) bool {
	return slices.ContainsFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == condition && c.Status == apiextensionsv1.ConditionTrue
	})
}
