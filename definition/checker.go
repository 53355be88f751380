package definition

import (
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/pathstack"
)

// A checker collects the errors of a definition.
type checker struct {
	form *internalForm
	opts strictness
	cfg  *config
	errs errorlimit.List
}

func (c *checker) invalid(at *pathstack.Chain, value any, detail string) {
	c.errs.AddAt(at, field.Invalid(at.Path(), value, detail))
}

func (c *checker) required(at *pathstack.Chain, detail string) {
	c.errs.AddAt(at, field.Required(at.Path(), detail))
}

func (c *checker) forbidden(at *pathstack.Chain, detail string) {
	c.errs.AddAt(at, field.Forbidden(at.Path(), detail))
}

func (c *checker) unsupported(at *pathstack.Chain, value any, supported []string) {
	c.errs.AddAt(at, field.NotSupported(at.Path(), value, supported))
}

// addPlain adds errors whose fields have no names that need escaping.
func (c *checker) addPlain(errs field.ErrorList) {
	for _, err := range errs {
		c.errs.Add(c.cfg.limit.AtPointer(plainPointer(err.Field), err))
	}
}

// watch ends the check early.
func (c *checker) watch() *interrupt.Watch { return c.errs.Watch }

// checkSpec returns the errors of a definition except those of its metadata, in no
// particular order, within the limit of cfg. old is the definition that it replaces, nil for a new one.
func checkSpec(s, old *internalForm, opts strictness, cfg *config) field.ErrorList {
	c := &checker{form: s, opts: opts, cfg: cfg, errs: errorlimit.List{Limit: cfg.limit, Watch: cfg.watch}}
	var root *pathstack.Chain
	c.spec(&s.crd.Spec, root.Child("spec"))
	if old != nil {
		c.addPlain(crdversion.CheckImmutable(&s.crd.Spec, &old.crd.Spec, c.opts.immutableNames))
	}
	c.names(&s.crd.Status.AcceptedNames, root.Child("status").Child("acceptedNames"))
	c.addPlain(crdversion.CheckStored(s.crd.Spec.Versions, s.crd.Status.StoredVersions))
	if !c.opts.unapproved {
		c.approval(s, old)
	}
	if !c.opts.preserves {
		c.preserve(s, old)
	}
	return c.errs.Errors()
}

// checkStatusNames returns the errors of a status that is written to the status
// subresource, in no particular order. The server then checks the names only.
func checkStatusNames(status *apiextensionsv1.CustomResourceDefinitionStatus, cfg *config) field.ErrorList {
	c := checker{cfg: cfg, errs: errorlimit.List{Limit: cfg.limit}}
	var root *pathstack.Chain
	c.names(&status.AcceptedNames, root.Child("status").Child("acceptedNames"))
	return c.errs.Errors()
}

// approval checks the annotation that groups of the Kubernetes community need.
//
// https://github.com/kubernetes/enhancements/pull/1111
func (c *checker) approval(s, old *internalForm) {
	if !apihelpers.IsProtectedCommunityGroup(s.crd.Spec.Group) {
		return
	}
	given, reason := apihelpers.GetAPIApprovalState(s.crd.Annotations)
	if old != nil {
		if before, _ := apihelpers.GetAPIApprovalState(old.crd.Annotations); before == given {
			return
		}
	}
	const annotation = apiextensionsv1.KubeAPIApprovedAnnotation
	at := (*pathstack.Chain)(nil).Child("metadata").Child("annotations").Key(annotation)
	switch given {
	case apihelpers.APIApprovalMissing:
		c.required(at, reason)
	case apihelpers.APIApprovalInvalid:
		c.invalid(at, s.crd.Annotations[annotation], reason)
	}
}

// preserve refuses preserveUnknownFields: true unless the old definition has it.
func (c *checker) preserve(s, old *internalForm) {
	if s.preserving() && (old == nil || !old.preserving()) {
		c.invalid((*pathstack.Chain)(nil).Child("spec").Child("preserveUnknownFields"), true,
			"cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead")
	}
}
