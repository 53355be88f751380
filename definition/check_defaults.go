package definition

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// Defaults must be what the schema that has them demands of values. They are
// checked one by one, each against its own schema, except for those inside of
// the metadata, kind and apiVersion of embedded resources: these must result in
// a resource whose metadata is valid. Schemas of additional properties are not
// entered, so defaults in there may be anything.

// A defaultCheck goes through one schema.
type defaultCheck struct {
	pruned    bool   // unknown fields are errors
	reference bool   // check every value against its schema
	budget    uint64 // of rules, for all defaults together
	spent     bool   // and nothing is left, so that the server stops
	errs      field.ErrorList

	spare []*apiextensionsv1.JSONSchemaProps // copies of the properties that the walk is in
	depth int
}

// A defaultPlace is where in the schema a default is.
type defaultPlace struct {
	path     *field.Path
	meta     bool         // inside of metadata, kind or apiVersion of a resource
	resource *schema.Node // the nearest resource around
	isRoot   bool         // that resource is the object
	within   schema.Path  // from the resource to here
}

func (c *defaultCheck) visit(n *schema.Node, s *apiextensionsv1.JSONSchemaProps, p defaultPlace) {
	if s == nil || c.spent || !hasDefaults(n) {
		return
	}
	top := len(p.within) == 0 && p.isRoot
	if n.EmbeddedResource() {
		p = defaultPlace{path: p.path, resource: n}
		top = true
	}
	if def, ok := n.Default(); ok {
		d := defaultValue{defaultCheck: c, node: n, props: s, value: def, path: p.path.Child("default"), resource: top, root: top && !n.EmbeddedResource()}
		if p.meta {
			d.insideMeta(p)
		} else {
			d.check()
		}
		if c.spent {
			return
		}
	}
	c.below(n, s, p, top)
}

func (c *defaultCheck) below(n *schema.Node, s *apiextensionsv1.JSONSchemaProps, p defaultPlace, resource bool) {
	down := func(path *field.Path, step schema.Step) defaultPlace {
		q := p
		q.path = path
		q.within = append(p.within, step) // the last child is done with what it appended
		return q
	}
	if s.Items != nil && hasDefaults(n.Items()) {
		c.visit(n.Items(), s.Items.Schema, down(p.path.Child("items"), schema.Index(0)))
	}
	for name, child := range n.Properties() {
		if !hasDefaults(child) {
			continue
		}
		property := c.take()
		*property = s.Properties[name]
		q := down(p.path.Child("properties").Key(name), schema.Field(name))
		q.meta = p.meta || resource && (name == "metadata" || name == "kind" || name == "apiVersion")
		c.visit(child, property, q)
		c.depth--
	}
}

// take returns a schema for as long as the walk is in it.
func (c *defaultCheck) take() *apiextensionsv1.JSONSchemaProps {
	if c.depth == len(c.spare) {
		c.spare = append(c.spare, &apiextensionsv1.JSONSchemaProps{})
	}
	c.depth++
	return c.spare[c.depth-1]
}

func hasDefaults(n *schema.Node) bool { return n != nil && n.Facts().Has(schema.HasDefaults) }

// A defaultValue is one default under check.
type defaultValue struct {
	*defaultCheck
	node     *schema.Node
	props    *apiextensionsv1.JSONSchemaProps
	value    any
	path     *field.Path
	resource bool // the schema is that of a resource
	root     bool // namely of the object
}

func (d *defaultValue) add(errs ...*field.Error) { d.errs = append(d.errs, errs...) }

// check: what is wrong with the metadata of embedded resources keeps values
// from being checked, and these rules. Unknown fields are apart.
func (d *defaultValue) check() {
	if d.pruned && loses(d.node, d.value, d.resource) {
		d.add(field.Invalid(d.path, jsonval.Clone(d.value), "must not have unknown fields"))
	}
	opts := []objectmeta.Option{objectmeta.AtPath(d.path)}
	if d.resource {
		opts = append(opts, objectmeta.ResourceRoot())
	}
	embedded := objectmeta.NewEmbedded(d.node, opts...)
	// The server coerces the default itself, and goes on with what it becomes.
	if _, err := embedded.Coerce(d.value, objectmeta.Options{}); err != nil {
		d.add(err)
		return
	}
	if problems := embedded.Validate(d.value); len(problems) > 0 {
		for _, p := range problems {
			d.add(p.Err)
		}
		return
	}
	d.values()
}

// insideMeta puts the default into the smallest resource that has it in its
// place.
func (d *defaultValue) insideMeta(p defaultPlace) {
	obj, ok := crdversion.Enclose(p.within, jsonval.Clone(d.value)).(map[string]any)
	if !ok {
		d.add(field.InternalError(d.path, fmt.Errorf("a default inside of metadata is no part of an object")))
		return
	}
	for name, value := range map[string]string{"apiVersion": "validation/v1", "kind": "Validation"} {
		if _, ok := obj[name]; !ok {
			obj[name] = value
		}
	}
	embedded := objectmeta.NewEmbedded(p.resource, objectmeta.ResourceRoot())
	if _, err := embedded.Coerce(obj, objectmeta.Options{}); err != nil {
		d.add(field.Invalid(d.path, d.value, fmt.Sprintf("must result in valid metadata: %v", err)))
		return
	}
	var errs field.ErrorList
	for _, problem := range embedded.Validate(obj) {
		errs = append(errs, problem.Err)
	}
	if len(errs) > 0 {
		d.add(field.Invalid(d.path, d.value, fmt.Sprintf("must result in valid metadata: %v", errs.ToAggregate())))
		return
	}
	d.values()
}

// values checks the value against the schema, and then the rules.
func (d *defaultValue) values() {
	errs := projected(d.props, d.node, d.value, d.path, d.reference)
	if len(errs) > 0 {
		d.add(errs...)
		return
	}
	d.rules()
}

// rules runs the rules of the schema twice: as if the default replaced itself,
// and as if there was nothing before.
func (d *defaultValue) rules() {
	if !d.node.Facts().Has(schema.HasRules) {
		return
	}
	program, value, at, errs := d.program()
	if len(errs) > 0 {
		d.add(errs...)
		return
	}
	res := program.EvalDefault(context.Background(), value, cel.Budget(d.budget))
	d.add(relocate(res.Errors.Field(), at, d.path)...)
	cost := res.Cost
	if len(res.Errors) == 0 {
		res = program.Eval(context.Background(), value, cel.Budget(d.budget))
		d.add(relocate(res.Errors.Field(), at, d.path)...)
		cost = max(cost, res.Cost)
	}
	d.spent = len(res.Errors) > 0 && cost >= d.budget
	d.budget -= min(cost, d.budget)
}

// program compiles the rules for the value, which becomes the only field of an
// object unless it is a whole one. It returns the object and where in it the
// value is.
func (d *defaultValue) program() (*cel.Program, map[string]any, string, field.ErrorList) {
	if obj, ok := d.value.(map[string]any); ok && d.root {
		program, errs := cel.Compile(d.node, cel.AtFirstUse())
		return program, obj, "", errs
	}
	wrapped, errs := schema.Compile(holding(*d.props), schema.WithoutAnnotations())
	if len(errs) > 0 {
		return nil, nil, "", relocate(errs, "", d.path)
	}
	program, errs := cel.Compile(wrapped, cel.AtFirstUse(), cel.Fragment())
	return program, map[string]any{heldName: d.value}, heldName, errs
}

// loses reports whether pruning takes something from v, a value of the schema
// n.
func loses(n *schema.Node, v any, resource bool) bool {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return false
		}
		var opts []pruning.Option
		if !resource || n.EmbeddedResource() {
			opts = append(opts, pruning.Fragment())
		}
		// What is removed is not all reported: apiVersion, kind and metadata
		// of a part of an object are not.
		pruned := jsonval.Clone(v).(map[string]any)
		pruning.New(n, opts...).Prune(pruned)
		return !jsonval.Equal(pruned, v)
	case []any:
		return elementsLose(n, v, false)
	}
	return false
}

// elementsLose is loses for the elements of a list, of which a list above may
// say that unknown fields are kept.
func elementsLose(n *schema.Node, list []any, preserve bool) bool {
	preserve = preserve || n != nil && n.PreserveUnknownFields()
	var items *schema.Node
	if n != nil {
		items = n.Items()
	}
	for _, e := range list {
		switch e := e.(type) {
		case map[string]any:
			if !preserve && loses(orNothing(items), e, false) || preserve && keptLoses(items, e) {
				return true
			}
		case []any:
			if elementsLose(items, e, preserve) {
				return true
			}
		}
	}
	return false
}

// keptLoses is loses for an object whose own unknown fields are kept.
func keptLoses(n *schema.Node, obj map[string]any) bool {
	if n == nil {
		return false
	}
	for name, v := range obj {
		if n.EmbeddedResource() && (name == "metadata" || name == "kind" || name == "apiVersion") {
			continue
		}
		child := n.Property(name)
		if child == nil {
			additional, declared := n.AdditionalProperties()
			if !declared {
				continue
			}
			child = additional
		}
		if loses(orNothing(child), v, false) {
			return true
		}
	}
	return false
}

// orNothing returns n, and for nil a schema that declares nothing.
func orNothing(n *schema.Node) *schema.Node {
	if n != nil {
		return n
	}
	empty, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object"})
	return empty
}

// hasUnprunedDefaults reports whether the server would prune a default of the
// schema. It is false for a schema that is not structural.
func hasUnprunedDefaults(root *apiextensionsv1.JSONSchemaProps) bool {
	n, errs := schema.Compile(root, schema.WithoutAnnotations())
	return len(errs) == 0 && n != nil && crdversion.PruneDefaults(n) != n
}

// defaults returns the errors of the defaults of a structural schema.
func (c *checker) defaults(n *schema.Node, root *apiextensionsv1.JSONSchemaProps, path *field.Path) field.ErrorList {
	d := defaultCheck{pruned: c.opts.prunedDefaults, reference: c.cfg.reference, budget: cel.DefaultBudget}
	d.visit(n, root, defaultPlace{path: path, resource: n, isRoot: true})
	return d.errs
}
