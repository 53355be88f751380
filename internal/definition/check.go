package definition

import (
	"net/url"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// Engines answer what takes more than a look at the definition.
type Engines interface {
	// UnprunedDefaults reports whether the schema has defaults from which the
	// server would remove something. It is false for one that is not structural.
	UnprunedDefaults(root *apiextensionsv1.JSONSchemaProps) bool
	// Defaults returns what is wrong with the defaults of a structural schema.
	// If pruned, they must not have unknown fields.
	Defaults(n *schema.Node, root *apiextensionsv1.JSONSchemaProps, path *field.Path, pruned bool) field.ErrorList
	// Rules returns what is wrong with the rules of a schema that is structural
	// and has valid defaults.
	Rules(RuleCheck) field.ErrorList
}

// A RuleCheck asks about the rules of one schema.
type RuleCheck struct {
	Node *schema.Node
	Root *apiextensionsv1.JSONSchemaProps
	Path *field.Path
	// Stored are the expressions that may use any function.
	Stored Expressions
	// Unlimited lifts the limit on the cost of a single expression.
	Unlimited bool
	// Faulty are the places, as errors spell them, of schemas whose rules are
	// not looked at, because something else is wrong with them or below. It may
	// be nil.
	Faulty map[string]bool
}

// A checker gathers what is wrong with a definition.
type checker struct {
	shape   *Shape
	opts    Options
	engines Engines
	errs    field.ErrorList
}

func (c *checker) add(err *field.Error) { c.errs = append(c.errs, err) }

// Check returns what is wrong with a definition, but for its metadata. For an
// update old is what it replaces, else nil. The order is of no meaning.
func Check(s, old *Shape, opts Options, e Engines) field.ErrorList {
	c := &checker{shape: s, opts: opts, engines: e}
	c.spec(&s.CRD.Spec, field.NewPath("spec"))
	if old != nil {
		c.immutable(&s.CRD.Spec, &old.CRD.Spec, field.NewPath("spec"))
	}
	status := field.NewPath("status")
	c.names(&s.CRD.Status.AcceptedNames, status.Child("acceptedNames"))
	c.storedVersions(s.CRD.Status.StoredVersions, status.Child("storedVersions"))
	if !c.opts.unapproved {
		c.approval(s, old)
	}
	if !c.opts.preserves {
		c.preserve(s, old)
	}
	return c.errs
}

// CheckStatus returns what is wrong with a status that is written by itself, of
// which less is asked than of one that comes along with a spec. The order is of
// no meaning.
func CheckStatus(status *apiextensionsv1.CustomResourceDefinitionStatus) field.ErrorList {
	var c checker
	c.names(&status.AcceptedNames, field.NewPath("status", "acceptedNames"))
	return c.errs
}

// immutable: objects are stored under the name and the group; where and as
// what matters once there can be objects.
func (c *checker) immutable(spec, old *apiextensionsv1.CustomResourceDefinitionSpec, path *field.Path) {
	const detail = "field is immutable"
	if c.opts.immutableNames {
		if spec.Scope != old.Scope {
			c.add(field.Invalid(path.Child("scope"), spec.Scope, detail))
		}
		if spec.Names.Kind != old.Names.Kind {
			c.add(field.Invalid(path.Child("names", "kind"), spec.Names.Kind, detail))
		}
	}
	if spec.Group != old.Group {
		c.add(field.Invalid(path.Child("group"), spec.Group, detail))
	}
	if spec.Names.Plural != old.Names.Plural {
		c.add(field.Invalid(path.Child("names", "plural"), spec.Names.Plural, detail))
	}
}

// storedVersions: a version must stay as long as objects may be stored in it.
// A name that is there twice counts where it is last, and for one version.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version
func (c *checker) storedVersions(stored []string, path *field.Path) {
	if len(stored) == 0 {
		c.add(field.Invalid(path, stored, "must have at least one stored version"))
		return
	}
	left := map[string]int{}
	for i, name := range stored {
		left[name] = i
	}
	for i := range c.shape.CRD.Spec.Versions {
		v := &c.shape.CRD.Spec.Versions[i]
		if _, ok := left[v.Name]; !ok && v.Storage {
			c.add(field.Invalid(path, stored, "must have the storage version "+v.Name))
		}
		delete(left, v.Name)
	}
	for name, i := range left {
		c.add(field.Invalid(path.Index(i), name, "missing from spec.versions; "+name+
			" was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in "+
			name+" and removes "+name+" from status.storedVersions"))
	}
}

// An approval is what the annotation about the review of an API says.
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

// What the server says about the annotation.
const (
	textProtected       = `protected groups must have approval annotation "` + apiextensionsv1.KubeAPIApprovedAnnotation + `"`
	textSee             = ", see https://github.com/kubernetes/enhancements/pull/1111"
	textApprovalMissing = textProtected + textSee
	textApprovalInvalid = textProtected + ` with either a URL or a reason starting with "unapproved"` + textSee
)

// isProtected reports whether a group is one of the Kubernetes community.
func isProtected(group string) bool {
	return strings.HasSuffix("."+group, ".k8s.io") || strings.HasSuffix("."+group, ".kubernetes.io")
}

// approval: groups of the Kubernetes community need one.
//
// https://github.com/kubernetes/enhancements/pull/1111
func (c *checker) approval(s, old *Shape) {
	if !isProtected(s.CRD.Spec.Group) {
		return
	}
	given := approvalOf(s.CRD)
	if old != nil && approvalOf(old.CRD) == given {
		return
	}
	const annotation = apiextensionsv1.KubeAPIApprovedAnnotation
	path := field.NewPath("metadata", "annotations").Key(annotation)
	switch given {
	case approvalMissing:
		c.add(field.Required(path, textApprovalMissing))
	case approvalInvalid:
		c.add(field.Invalid(path, s.CRD.Annotations[annotation], textApprovalInvalid))
	}
}

// preserve: what definitions of v1beta1 could say cannot be said anew.
func (c *checker) preserve(s, old *Shape) {
	if s.preserving() && (old == nil || !old.preserving()) {
		c.add(field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true,
			"cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"))
	}
}
