package definition

import (
	"net/url"
	"strings"

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

func (c *checker) add(errs ...*field.Error) { c.errs.Add(errs...) }

// watch ends the check early.
func (c *checker) watch() *interrupt.Watch { return c.errs.Watch }

// checkSpec returns the errors of a definition except those of its metadata, in no
// particular order, within the limit of cfg. old is the definition that it replaces, nil for a new one.
func checkSpec(s, old *internalForm, opts strictness, cfg *config) field.ErrorList {
	c := &checker{form: s, opts: opts, cfg: cfg, errs: errorlimit.List{Limit: cfg.limit, Watch: cfg.watch}}
	var root *pathstack.Chain
	c.spec(&s.crd.Spec, root.Child("spec"))
	if old != nil {
		c.add(crdversion.CheckImmutable(&s.crd.Spec, &old.crd.Spec, c.opts.immutableNames)...)
	}
	c.names(&s.crd.Status.AcceptedNames, root.Child("status").Child("acceptedNames"))
	c.add(crdversion.CheckStored(s.crd.Spec.Versions, s.crd.Status.StoredVersions)...)
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
func checkStatusNames(status *apiextensionsv1.CustomResourceDefinitionStatus) field.ErrorList {
	var c checker
	var root *pathstack.Chain
	c.names(&status.AcceptedNames, root.Child("status").Child("acceptedNames"))
	return c.errs.Errors()
}

// An approval is the meaning of the annotation that approves an API.
type approval int

const (
	approvalInvalid approval = iota
	approvalGiven
	approvalBypassed
	approvalMissing
)

func approvalOf(crd *apiextensionsv1.CustomResourceDefinition) approval {
	text := crd.Annotations[apiextensionsv1.KubeAPIApprovedAnnotation]
	if text == "" {
		return approvalMissing
	}
	if strings.HasPrefix(text, "unapproved") {
		return approvalBypassed
	}
	if u, err := url.ParseRequestURI(text); err == nil && u.Host != "" && u.Scheme != "" {
		return approvalGiven
	}
	return approvalInvalid
}

// Texts of the server about the annotation.
const (
	textProtected       = `protected groups must have approval annotation "` + apiextensionsv1.KubeAPIApprovedAnnotation + `"`
	textSee             = ", see https://github.com/kubernetes/enhancements/pull/1111"
	textApprovalMissing = textProtected + textSee
	textApprovalInvalid = textProtected + ` with either a URL or a reason starting with "unapproved"` + textSee
)

// isProtected reports whether a group belongs to the Kubernetes community.
func isProtected(group string) bool {
	return strings.HasSuffix("."+group, ".k8s.io") || strings.HasSuffix("."+group, ".kubernetes.io")
}

// approval checks the annotation that groups of the Kubernetes community need.
//
// https://github.com/kubernetes/enhancements/pull/1111
func (c *checker) approval(s, old *internalForm) {
	if !isProtected(s.crd.Spec.Group) {
		return
	}
	given := approvalOf(s.crd)
	if old != nil && approvalOf(old.crd) == given {
		return
	}
	const annotation = apiextensionsv1.KubeAPIApprovedAnnotation
	path := field.NewPath("metadata", "annotations").Key(annotation)
	switch given {
	case approvalMissing:
		c.add(field.Required(path, textApprovalMissing))
	case approvalInvalid:
		c.add(field.Invalid(path, s.crd.Annotations[annotation], textApprovalInvalid))
	}
}

// preserve refuses preserveUnknownFields: true unless the old definition has it.
func (c *checker) preserve(s, old *internalForm) {
	if s.preserving() && (old == nil || !old.preserving()) {
		c.add(field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true,
			"cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"))
	}
}
