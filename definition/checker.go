package definition

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

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

func (c *checker) addPlain(errs field.ErrorList) {
	for _, err := range errs {
		c.errs.Add(c.cfg.limit.AtPointer(plainPointer(err.Field), err))
	}
}

// checkSpec returns all errors except errors of the metadata. They are unsorted, and cfg limits
// their number. old is nil for a new definition.
func checkSpec(s, old *internalForm, opts strictness, cfg *config) field.ErrorList {
	c := &checker{form: s, opts: opts, cfg: cfg, errs: errorlimit.List{Limit: cfg.limit}}
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

func checkStatusNames(status *apiextensionsv1.CustomResourceDefinitionStatus, cfg *config) field.ErrorList {
	c := checker{cfg: cfg, errs: errorlimit.List{Limit: cfg.limit}}
	var root *pathstack.Chain
	c.names(&status.AcceptedNames, root.Child("status").Child("acceptedNames"))
	return c.errs.Errors()
}

// approval checks the approval annotation of a definition whose group is protected, such as
// x.k8s.io.
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

func (c *checker) spec(spec *apiextensionsv1.CustomResourceDefinitionSpec, path *pathstack.Chain) {
	c.group(spec.Group, path.Child("group"))
	c.oneOf(string(spec.Scope), path.Child("scope"), string(apiextensionsv1.ClusterScoped), string(apiextensionsv1.NamespaceScoped))
	c.haveSchemas(path)
	c.requireStructural(path)
	c.versions(path)
	c.specNames(&spec.Names, path.Child("names"))

	common, at := &c.form.common, path.Moved("/spec/versions/0")
	c.schema(common, c.form.anyStatus())
	c.subresources(common.subresources, at.Child("subresources"))
	c.columns(common.columns, at.Child("additionalPrinterColumns"))
	c.commonSelectable(at)

	if conv := spec.Conversion; conv != nil {
		if conv.Strategy != apiextensionsv1.NoneConverter && c.form.preserving() {
			c.invalid(path.Child("conversion").Child("strategy"), conv.Strategy, "must be None if spec.preserveUnknownFields is true")
		}
		c.conversion(conv, path.Child("conversion"))
	}
}

// haveSchemas checks that versions have a schema. If the old definition lacks a schema, only served
// versions need one, and none if the new definition preserves unknown fields.
func (c *checker) haveSchemas(path *pathstack.Chain) {
	if c.form.common.root() != nil || !c.opts.schemas && c.form.preserving() {
		return
	}
	for i := range c.form.versions {
		v := &c.form.versions[i]
		if v.root() != nil {
			continue
		}
		at := path.Child("versions").Index(i).Child("schema").Child("openAPIV3Schema")
		switch {
		case c.opts.schemas:
			c.required(at, "")
		case v.declared.Served:
			c.required(at, "because otherwise all fields are pruned")
		}
	}
}

// requireStructural requires structural schemas if a feature needs them, even if the schemas of the
// old definition are not structural.
func (c *checker) requireStructural(path *pathstack.Chain) {
	if !c.form.preserving() || c.form.any(func(v *internalVersion) bool { return v.facts.extensions }) {
		c.opts.structural = true
	}
	// If the definition prunes, structural schemas are required already.
	if c.form.preserving() && !c.opts.noDefaults && c.form.any(func(v *internalVersion) bool { return v.facts.defaults }) {
		c.opts.structural = true
		c.invalid(path.Child("preserveUnknownFields"), true, "must be false in order to use defaults in the schema")
	}
}

func (c *checker) versions(path *pathstack.Chain) {
	for i := range c.form.versions {
		v, at := &c.form.versions[i], path.Child("versions").Index(i)
		c.requiredLabel(v.name, at.Child("name"))
		c.version(v, at, hasStatus(c.form.subresourcesOf(v.name)))
	}
	c.list(c.form.crd.Spec.Versions, path.Child("versions"))
	// The server also checks the name of the first version as spec.version.
	c.label(c.form.common.name, path.Child("version").Moved("/spec/versions/0/name"))
}

// list checks the list of versions. Its errors print the versions without their schemas.
func (c *checker) list(versions []apiextensionsv1.CustomResourceDefinitionVersion, path *pathstack.Chain) {
	if len(versions) == 1 && versions[0].Storage { // as in nearly all definitions
		return
	}
	errs := crdversion.CheckVersions(versions, path.Path(), nil)
	if len(errs) == 0 {
		return
	}
	value := slices.Grow(versions[:0:0], len(versions)) // nil if versions is nil
	for _, v := range versions {
		value = append(value, apiextensionsv1.CustomResourceDefinitionVersion{Name: v.Name, Served: v.Served, Storage: v.Storage})
	}
	for _, err := range errs {
		err.BadValue = value
		c.errs.AddAt(path, err)
	}
}

func (c *checker) commonSelectable(path *pathstack.Chain) {
	common := &c.form.common
	switch {
	case len(common.selectable) == 0:
	case common.schema == nil:
		c.invalid(path.Child("selectableFields"), "", "may only be set when validations.schema is included")
	default:
		c.selectable(common, path, "")
	}
}

// schema checks the schema of a version. It checks defaults if the schema is structural, and rules
// if the defaults are valid.
func (c *checker) schema(v *internalVersion, status bool) {
	root := v.root()
	if root == nil || c.cfg.watch.Poll() {
		return
	}
	before := c.errs.Added()
	if status {
		c.rootUnderStatus(root, v.at)
	}
	if root.Nullable {
		c.forbidden(v.at.Child("nullable"), "nullable cannot be true at the root")
	}
	var node *schema.Node
	var inconvertible *field.Error
	if c.opts.structural {
		node, inconvertible = c.structural(v)
	}
	w := walk{checker: c, checksRules: node != nil}
	w.run(root, v.at, c.forbidsDefaults())
	if c.errs.Added() == before && inconvertible != nil {
		c.errs.Add(inconvertible)
	}
	if node != nil && node.Facts().Has(schema.HasRules) {
		c.rules(node, v, w.faulty)
	}
}

// forbidsDefaults returns why schemas cannot have defaults, or "" if they can.
func (c *checker) forbidsDefaults() string {
	if c.opts.noDefaults {
		return " (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)"
	}
	return ""
}

// structural returns the tree of a structural schema with valid defaults. It adds errors to c.errs,
// except inconvertible: the caller adds it if there is no other error.
func (c *checker) structural(v *internalVersion) (n *schema.Node, inconvertible *field.Error) {
	if err := v.inconvertible(); err != nil {
		return nil, err
	}
	n, errs := v.compile()
	c.cfg.limit.Omit(v.limit.Omitted())
	if len(errs) == 0 {
		errs = c.defaults(n, v)
	}
	c.errs.Add(errs...)
	if len(errs) > 0 {
		return nil, nil
	}
	return n, nil
}

// rules checks the rules. If the schema did not change, the cost of a single expression has no
// limit. faulty has the field paths of schemas with other errors at or below them. The rules of
// these schemas are skipped.
func (c *checker) rules(n *schema.Node, v *internalVersion, faulty map[string]bool) {
	given := celcost.Given{
		Rules: c.opts.stored.rules, Messages: c.opts.stored.messages,
		Unchanged: c.opts.unchanged[v.name], SyntaxChecked: true, Invalid: faulty,
	}
	c.errs.Add(cel.Check(n, v.at, given, cel.KubernetesVersion(c.cfg.version), c.cfg.watch, c.cfg.limit)...)
}

// isInconvertible reports whether err says that the server cannot convert the schema at path.
func isInconvertible(err *field.Error, path *field.Path) bool {
	return err.Field == path.String() && err.Type == field.ErrorTypeInvalid && err.BadValue == ""
}

// rootUnderStatus checks the keywords of the root if there is a status subresource. The server
// visits the keywords in order and stops at the first error. So some forbidden keywords hide a
// wrong type.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource
func (c *checker) rootUnderStatus(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	forbiddenBeforeType := s.ID != "" || s.Schema != "" || s.Ref != nil
	forbiddenAfterType := s.Nullable || s.Default != nil || s.Enum != nil || s.MaxProperties != nil || s.MinProperties != nil ||
		s.AllOf != nil || s.OneOf != nil || s.AnyOf != nil || s.Not != nil ||
		s.AdditionalProperties != nil || s.PatternProperties != nil || s.Dependencies != nil ||
		s.AdditionalItems != nil || s.Definitions != nil ||
		s.XEmbeddedResource || s.XIntOrString || s.XListMapKeys != nil || s.XListType != nil || s.XMapType != nil
	switch {
	case !forbiddenBeforeType && s.Type != "" && s.Type != "object":
		c.invalid(at.Child("type"), s.Type,
			`only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)
	case forbiddenBeforeType || forbiddenAfterType:
		c.invalid(at, *s, "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "+
			"MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] "+
			"fields are allowed at the root of the schema if the status subresource is enabled")
	}
}
