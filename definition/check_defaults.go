package definition

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/errorlist"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// A default must be a valid value of the schema that has it. Each default is checked
// on its own. Inside of the metadata, kind and apiVersion of a resource it must
// instead result in a resource with valid metadata. Schemas of additional properties
// are not visited, so defaults there may have any value.

// A defaultWalk visits the defaults of a structural schema, except those below
// additional properties.
type defaultWalk struct {
	each  func(*defaultValue) bool // reports whether to go on
	done  bool
	watch *interrupt.Watch

	spare []*apiextensionsv1.JSONSchemaProps // copies of the properties that are being visited
	depth int
}

// A defaultLocation is the location of a schema in the walk.
type defaultLocation struct {
	path     *field.Path
	meta     bool         // inside of metadata, kind or apiVersion of a resource
	resource *schema.Node // the innermost resource around it
	isRoot   bool         // that resource is the whole object
	within   schema.Path  // from the resource to here
}

// A defaultValue is one default.
type defaultValue struct {
	defaultLocation
	node       *schema.Node
	props      *apiextensionsv1.JSONSchemaProps
	value      any
	path       *field.Path // of the default
	ofResource bool        // the schema is that of a resource
	ofRoot     bool        // the schema is that of the whole object, and not embedded
}

// walk visits the defaults of a whole object.
func (w *defaultWalk) walk(n *schema.Node, root *apiextensionsv1.JSONSchemaProps, path *field.Path) {
	w.visit(n, root, defaultLocation{path: path, resource: n, isRoot: true})
}

func (w *defaultWalk) visit(n *schema.Node, s *apiextensionsv1.JSONSchemaProps, at defaultLocation) {
	if s == nil || w.done || w.watch.Ended() || !hasDefaults(n) {
		return
	}
	resource := len(at.within) == 0 && at.isRoot
	if n.EmbeddedResource() {
		at = defaultLocation{path: at.path, resource: n}
		resource = true
	}
	if value, ok := n.Default(); ok && !w.watch.Poll() {
		d := defaultValue{
			defaultLocation: at, node: n, props: s, value: value, path: at.path.Child("default"),
			ofResource: resource, ofRoot: resource && !n.EmbeddedResource(),
		}
		if w.done = !w.each(&d); w.done {
			return
		}
	}
	w.below(n, s, at, resource)
}

func (w *defaultWalk) below(n *schema.Node, s *apiextensionsv1.JSONSchemaProps, at defaultLocation, resource bool) {
	down := func(path *field.Path, step schema.Step) defaultLocation {
		child := at
		child.path = path
		child.within = append(at.within, step) // the last child is done with what it appended
		return child
	}
	if s.Items != nil && hasDefaults(n.Items()) {
		w.visit(n.Items(), s.Items.Schema, down(at.path.Child("items"), schema.Index(0)))
	}
	for name, child := range n.Properties() {
		if !hasDefaults(child) {
			continue
		}
		property := w.take()
		*property = s.Properties[name]
		location := down(at.path.Child("properties").Key(name), schema.Field(name))
		location.meta = at.meta || resource && isMeta(name)
		w.visit(child, property, location)
		w.depth--
	}
}

// take returns a schema that is valid until the walk leaves it.
func (w *defaultWalk) take() *apiextensionsv1.JSONSchemaProps {
	if w.depth == len(w.spare) {
		w.spare = append(w.spare, &apiextensionsv1.JSONSchemaProps{})
	}
	w.depth++
	return w.spare[w.depth-1]
}

func hasDefaults(n *schema.Node) bool { return n != nil && n.Facts().Has(schema.HasDefaults) }

// embedded returns the resources in the value, of which the value may be one.
func (d *defaultValue) embedded() *objectmeta.Embedded {
	opts := []objectmeta.Option{objectmeta.AtPath(d.path)}
	if d.ofResource {
		opts = append(opts, objectmeta.ResourceRoot())
	}
	return objectmeta.NewEmbedded(d.node, opts...)
}

// A defaultChecker checks the defaults of one schema.
type defaultChecker struct {
	pruned    bool // unknown fields are errors
	reference bool // check every value against its schema
	fast      *fastDefaults
	budget    uint64 // of rules, for all defaults together
	watch     *interrupt.Watch
	limit     *errorlimit.Limit
	errs      errorlimit.List
	losses    losses
}

// defaults returns the errors of the defaults of a structural schema.
func (c *checker) defaults(n *schema.Node, root *apiextensionsv1.JSONSchemaProps, path *field.Path) field.ErrorList {
	if !hasDefaults(n) {
		return nil
	}
	d := defaultChecker{pruned: c.opts.prunedDefaults, reference: c.cfg.reference, fast: &c.cfg.defaults, budget: cel.DefaultBudget, watch: c.cfg.watch,
		limit: c.cfg.limit, losses: losses{watch: c.cfg.watch}, errs: errorlimit.List{Limit: c.cfg.limit, Watch: c.cfg.watch}}
	w := defaultWalk{each: d.check, watch: c.cfg.watch}
	w.walk(n, root, path)
	return d.errs.Errors()
}

func (c *defaultChecker) add(errs ...*field.Error) { c.errs.Add(errs...) }

// check checks one default. It reports false if its rules have spent the budget;
// the server then stops.
func (c *defaultChecker) check(d *defaultValue) bool {
	if d.meta {
		return c.checkInsideMeta(d)
	}
	if !c.reference && !d.ofResource && c.fast.valid(d.props) {
		return c.checkRules(d) // its members are declared, and none is a resource
	}
	if c.pruned && c.losses.any(d.node, d.value, d.ofResource) {
		c.add(field.Invalid(d.path, jsonval.Clone(d.value), "must not have unknown fields"))
	}
	embedded := d.embedded()
	// The server coerces the default itself and checks the result.
	if _, err := embedded.Coerce(d.value, objectmeta.Options{}); err != nil {
		c.add(err)
		return true
	}
	if problems := embedded.Validate(d.value); len(problems) > 0 {
		for _, p := range problems {
			c.add(p.Err)
		}
		return true
	}
	return c.checkValue(d)
}

// checkInsideMeta puts the default into the smallest resource that has it in its
// place and checks the metadata of that resource.
func (c *defaultChecker) checkInsideMeta(d *defaultValue) bool {
	obj, ok := crdversion.Enclose(d.within, jsonval.Clone(d.value)).(map[string]any)
	if !ok {
		c.add(field.InternalError(d.path, fmt.Errorf("a default inside of metadata is no part of an object")))
		return true
	}
	for name, value := range map[string]string{"apiVersion": "validation/v1", "kind": "Validation"} {
		if _, ok := obj[name]; !ok {
			obj[name] = value
		}
	}
	embedded := objectmeta.NewEmbedded(d.resource, objectmeta.ResourceRoot())
	if _, err := embedded.Coerce(obj, objectmeta.Options{}); err != nil {
		c.add(field.Invalid(d.path, d.value, fmt.Sprintf("must result in valid metadata: %v", err)))
		return true
	}
	var errs field.ErrorList
	for _, problem := range embedded.Validate(obj) {
		errs = append(errs, problem.Err)
	}
	if len(errs) > 0 {
		c.add(field.Invalid(d.path, d.value, fmt.Sprintf("must result in valid metadata: %v", errorlist.Of(errs))))
		return true
	}
	return c.checkValue(d)
}

// checkValue checks the value against its schema and then against its rules.
func (c *defaultChecker) checkValue(d *defaultValue) bool {
	errs := c.projected(d)
	if len(errs) > 0 {
		c.add(errs...)
		return true
	}
	return c.checkRules(d)
}

// checkRules runs the rules of the schema twice: once as if the default replaced
// itself, and once as if there was no value before.
func (c *defaultChecker) checkRules(d *defaultValue) bool {
	if !d.node.Facts().Has(schema.HasRules) {
		return true
	}
	program, value, at, errs := d.program(c.watch)
	if len(errs) > 0 {
		c.add(errs...)
		return true
	}
	most := cel.MaxErrors(c.limit.Most())
	res := program.EvalDefault(c.watch.Context(), value, cel.Budget(c.budget), most)
	c.limit.Omit(res.Omitted)
	c.add(relocate(res.Errors.Field(), at, d.path)...)
	cost := res.Cost
	if len(res.Errors) == 0 {
		res = program.Eval(c.watch.Context(), value, cel.Budget(c.budget), most)
		c.limit.Omit(res.Omitted)
		c.add(relocate(res.Errors.Field(), at, d.path)...)
		cost = max(cost, res.Cost)
	}
	spent := len(res.Errors) > 0 && cost >= c.budget
	c.budget -= min(cost, c.budget)
	return !spent
}

// program compiles the rules for the value. A value that is no object, or an embedded
// resource, becomes the only field of an object. program returns that object and the field,
// "" for the value itself.
func (d *defaultValue) program(watch *interrupt.Watch) (*cel.Program, map[string]any, string, field.ErrorList) {
	if obj, ok := d.value.(map[string]any); ok && !d.node.EmbeddedResource() {
		opts := []cel.Option{cel.AtFirstUse(), watch}
		if !d.ofRoot {
			opts = append(opts, cel.Fragment())
		}
		program, errs := cel.Compile(d.node, opts...)
		return program, obj, "", errs
	}
	wrapped, errs := schema.Compile(holding(*d.props), schema.WithoutAnnotations(), watch)
	if len(errs) > 0 {
		return nil, nil, "", relocate(errs, "", d.path)
	}
	program, errs := cel.Compile(wrapped, cel.AtFirstUse(), cel.Fragment(), watch)
	return program, map[string]any{heldName: d.value}, heldName, errs
}

// hasUnprunedDefaults reports whether the server would prune a default of the
// schema. It is false for a schema that is not structural.
func (s *internalForm) hasUnprunedDefaults(root *apiextensionsv1.JSONSchemaProps) bool {
	n, errs := schema.Compile(root, schema.WithoutAnnotations(), s.watch)
	return len(errs) == 0 && n != nil && crdversion.PruneDefaults(n) != n
}
