package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// StoredVersions returns status.storedVersions of crd after the server has accepted it in
// place of old, or as a new definition if old is nil. A nil crd adds no version. The status
// of crd is ignored, as the server does. The result belongs to the caller.
//
// The server never removes a version. A client that has rewritten all objects removes it
// with an update of the status subresource.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#previous-storage-versions.
func StoredVersions(crd, old *apiextensionsv1.CustomResourceDefinition) []string {
	var stored []string
	if old != nil {
		stored = slices.Clone(old.Status.StoredVersions)
	}
	if v := crdversion.Storage(crd); v != nil && !slices.Contains(stored, v.Name) {
		stored = append(stored, v.Name)
	}
	return stored
}
