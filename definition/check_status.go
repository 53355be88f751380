package definition

import (
	"context"
	"math"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/pathstack"
)

// CheckStatus returns the answer of kube-apiserver 1.37 to a write of crd to the status
// subresource of the definition old, as by kubectl replace --subresource=status, or by a
// controller that removes a version from status.storedVersions after it has migrated
// objects. old is the stored definition. The spec of crd is ignored. Metadata is judged
// as by [CheckUpdate], since such a write changes it. [StoredStatus] returns what an
// accepted write stores.
//
// The server checks that accepted names are well-formed, and neither conditions nor
// stored versions. [WithNotes] adds a note where stored versions and spec do not fit.
//
// Neither definition is changed. If one of them is nil the report has an error.
// CheckStatus may be called from several goroutines.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version.
func CheckStatus(crd, old *apiextensionsv1.CustomResourceDefinition, opts ...Option) *Report {
	cfg, report := newConfig(opts)
	if report != nil {
		return report
	}
	if crd == nil {
		return refusal(field.Required(nil, "the definition is nil"))
	}
	if old == nil {
		return refusal(field.Required(nil, "the old definition, which has the status, is nil"))
	}
	old = withDefaults(old)
	crd = prepareStatus(crd, old)
	cfg.limit = errorlimit.New(math.MaxInt)
	cfg.limit.KeepPointers()
	meta := dropDuplicateOwners(crd)
	errs := append(meta.located(updatedMeta(crd, old), cfg), checkStatusNames(&crd.Status, cfg)...)
	r := &Report{Warnings: meta.warnings}
	if cfg.notes {
		r.Notes = adviseStatus(crd)
	}
	return r.explain(errs, cfg)
}

// updatedMeta returns the errors of the metadata of a definition that replaces old.
func updatedMeta(crd, old *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	path := field.NewPath("metadata")
	errs := commonMeta(&crd.ObjectMeta)
	errs = append(errs, metavalidation.ValidateObjectMetaAccessorUpdate(&crd.ObjectMeta, &old.ObjectMeta, path)...)
	return append(errs, metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Update,
		&crd.ObjectMeta, &old.ObjectMeta, false, nil, path, true)...)
}

// adviseStatus returns the notes on the status of a definition.
func adviseStatus(crd *apiextensionsv1.CustomResourceDefinition) []Note {
	at := (*pathstack.Chain)(nil).Child("status").Child("storedVersions")
	var a adviser
	stored := crd.Status.StoredVersions
	for i := range crd.Spec.Versions {
		if v := &crd.Spec.Versions[i]; v.Storage && !slices.Contains(stored, v.Name) {
			a.add(StoredVersionsUnsound, at, "the storage version %s is not among them, though objects are stored at it", v.Name)
		}
	}
	for i, name := range stored {
		has := func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name }
		if !slices.ContainsFunc(crd.Spec.Versions, has) {
			a.add(StoredVersionsUnsound, at.Index(i),
				"spec.versions has no %s, so that the server refuses every update of the spec that does not bring it back", name)
		}
	}
	return a.notes
}
