package definition

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// schema checks a schema: defaults if it is structural, and rules if the defaults are
// valid.
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
	w := walk{checker: c, ruled: node != nil}
	w.run(root, v.at, c.forbidsDefaults())
	if c.errs.Added() == before && inconvertible != nil {
		c.errs.Add(inconvertible)
	}
	if node != nil && node.Facts().Has(schema.HasRules) {
		c.rules(node, v, w.faulty)
	}
}

// forbidsDefaults returns why schemas cannot have defaults, "" if they can.
func (c *checker) forbidsDefaults() string {
	if c.opts.noDefaults {
		return " (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)"
	}
	return ""
}

// structural returns the tree of a structural schema with valid defaults, else it adds the
// errors. The server reports an inconvertible schema only if there is no other error.
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

// rules checks the rules. Without a change of the schema, one expression may cost more than
// the limit. faulty are field paths of schemas with other errors at or below, whose rules
// are skipped.
func (c *checker) rules(n *schema.Node, v *internalVersion, faulty map[string]bool) {
	opts := []cel.Option{
		v.at,
		cel.Preexisting(c.opts.stored.rules, c.opts.stored.messages),
		cel.SyntaxChecked(faulty),
		cel.KubernetesVersion(c.cfg.version),
		c.cfg.watch,
		c.cfg.limit,
	}
	if c.opts.unchanged[v.name] {
		opts = append(opts, cel.Unchanged())
	}
	c.errs.Add(cel.Check(n, opts...)...)
}

// isInconvertible reports whether err says that the server cannot convert the schema at
// path. No structural error has the path of the root itself.
func isInconvertible(err *field.Error, path *field.Path) bool {
	return err.Field == path.String() && err.Type == field.ErrorTypeInvalid && err.BadValue == ""
}

// rootUnderStatus checks the keywords of the root if there is a status subresource. The
// server visits them in order and stops at the first forbidden one, some of which come
// before the type.
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
