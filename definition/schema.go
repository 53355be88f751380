package definition

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// schema checks one schema. It checks defaults only if the schema is structural, and rules
// only if the defaults are valid.
func (c *checker) schema(v *internalVersion, status bool, path *pathstack.Chain) {
	root := v.root()
	if root == nil || c.cfg.watch.Poll() {
		return
	}
	path = path.Child("openAPIV3Schema")
	before := c.errs.Added()
	if status {
		c.rootUnderStatus(root, path)
	}
	if root.Nullable {
		c.add(field.Forbidden(path.Child("nullable").Path(), "nullable cannot be true at the root"))
	}
	var node *schema.Node
	var inconvertible *field.Error
	if c.opts.structural {
		var sound bool
		if node, inconvertible, sound = c.structural(v, path); !sound {
			node = nil
		}
	}
	w := walk{checker: c, ruled: node != nil}
	if !v.scan.faultless || c.opts.noDefaults || c.cfg.reference {
		w.schema(root, c.top(), path)
	}
	if c.errs.Added() == before && inconvertible != nil {
		c.add(inconvertible)
	}
	if node == nil || !node.Facts().Has(schema.HasRules) {
		return
	}
	c.rules(node, path.Path(), c.opts.unchanged[v.name], w.invalid)
}

// rules checks the rules of a structural schema with valid defaults. If the schema
// is unchanged, a single expression may cost more than the limit. invalid are the
// field paths of schemas whose rules are skipped because of other errors there or
// below.
func (c *checker) rules(n *schema.Node, path *field.Path, unchanged bool, invalid map[string]bool) {
	opts := []cel.Option{
		cel.AtPath(path),
		cel.Preexisting(c.opts.stored.rules, c.opts.stored.messages),
		cel.SyntaxChecked(invalid),
		cel.KubernetesVersion(c.cfg.version),
		c.cfg.watch,
		c.cfg.limit,
	}
	if unchanged {
		opts = append(opts, cel.Unchanged())
	}
	c.add(cel.Check(n, opts...)...)
}

// top returns what the root inherits.
func (c *checker) top() inherited {
	p := inherited{defaults: true, root: true, spine: true}
	if c.opts.noDefaults {
		p = p.forbidding(" (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)")
	}
	return p
}

// structural compiles the schema of a version and checks its defaults. sound reports that
// there are no errors. The node is nil if there are errors, and for a sound schema that is
// simple, which needs no node. The error for a schema that the server cannot convert is
// returned, because the server reports it only if there is no other error.
func (c *checker) structural(v *internalVersion, at *pathstack.Chain) (n *schema.Node, inconvertible *field.Error, sound bool) {
	root := v.root()
	if v.scan.simple && !c.cfg.reference && schema.IsStructural(root, c.cfg.watch) {
		return nil, nil, true
	}
	path := at.Path()
	n, errs := schema.Compile(root, schema.AtPath(path), schema.WithoutAnnotations(), c.cfg.watch, c.cfg.limit)
	if len(errs) == 0 {
		errs = c.defaults(n, root, path)
	}
	if len(errs) == 1 && isInconvertible(errs[0], path) {
		return nil, errs[0], false
	}
	c.add(errs...)
	return n, nil, len(errs) == 0
}

// isInconvertible reports whether err says that the server cannot convert the schema. No
// error of a structural rule has the path of the root itself.
func isInconvertible(err *field.Error, path *field.Path) bool {
	return err.Field == path.String() && err.Type == field.ErrorTypeInvalid && err.BadValue == ""
}

// inconvertible returns why the server cannot convert a schema, "" if it can.
func inconvertible(root *apiextensionsv1.JSONSchemaProps, watch *interrupt.Watch) string {
	path := field.NewPath("schema")
	_, errs := schema.Compile(root, schema.AtPath(path), schema.WithoutAnnotations(), watch, errorlimit.New(1))
	if len(errs) == 1 && isInconvertible(errs[0], path) {
		return errs[0].Detail
	}
	return ""
}

// rootUnderStatus checks the keywords of the root if there is a status subresource, whose
// schema is taken out of the root. The server visits the members of the root in order and
// stops at the first one that is not allowed; some come before the type.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource
func (c *checker) rootUnderStatus(s *apiextensionsv1.JSONSchemaProps, path *pathstack.Chain) {
	forbiddenBeforeType := s.ID != "" || s.Schema != "" || s.Ref != nil
	forbiddenAfterType := s.Nullable || s.Default != nil || s.Enum != nil || s.MaxProperties != nil || s.MinProperties != nil ||
		s.AllOf != nil || s.OneOf != nil || s.AnyOf != nil || s.Not != nil ||
		s.AdditionalProperties != nil || s.PatternProperties != nil || s.Dependencies != nil ||
		s.AdditionalItems != nil || s.Definitions != nil ||
		s.XEmbeddedResource || s.XIntOrString || s.XListMapKeys != nil || s.XListType != nil || s.XMapType != nil
	switch {
	case !forbiddenBeforeType && s.Type != "" && s.Type != "object":
		c.add(field.Invalid(path.Child("type").Path(), s.Type,
			`only "object" is allowed as the type at the root of the schema if the status subresource is enabled`))
	case forbiddenBeforeType || forbiddenAfterType:
		c.add(field.Invalid(path.Path(), *s, "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "+
			"MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] "+
			"fields are allowed at the root of the schema if the status subresource is enabled"))
	}
}
