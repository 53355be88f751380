package definition

import (
	"fmt"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// A default must be a valid value of its schema. A default inside the metadata, kind or apiVersion
// of a resource must also make valid metadata. Defaults below additional properties are not
// checked.

// A defaultWalk visits the defaults that are checked.
type defaultWalk struct {
	each func(*defaultValue) bool // reports whether to go on
	done bool
}

type defaultLocation struct {
	at       *pathstack.Chain
	meta     bool         // inside of metadata, kind or apiVersion of a resource
	resource *schema.Node // the innermost resource around the schema
	isRoot   bool         // resource is the whole object
	within   schema.Path  // from the resource to the schema
}

type defaultValue struct {
	defaultLocation
	node       *schema.Node
	props      *apiextensionsv1.JSONSchemaProps
	value      any
	at         *pathstack.Chain // of the default
	ofResource bool             // the schema describes a resource
	ofRoot     bool             // the schema describes the whole object, and is not embedded
}

func (w *defaultWalk) walk(n *schema.Node, root *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	w.visit(n, root, defaultLocation{at: at, resource: n, isRoot: true})
}

func (w *defaultWalk) visit(n *schema.Node, s *apiextensionsv1.JSONSchemaProps, at defaultLocation) {
	if s == nil || w.done || !hasDefaults(n) {
		return
	}
	resource := len(at.within) == 0 && at.isRoot
	if n.EmbeddedResource() {
		at = defaultLocation{at: at.at, resource: n}
		resource = true
	}
	if value, ok := n.Default(); ok {
		d := defaultValue{
			defaultLocation: at, node: n, props: s, value: value, at: at.at.Child("default"),
			ofResource: resource, ofRoot: resource && !n.EmbeddedResource(),
		}
		if w.done = !w.each(&d); w.done {
			return
		}
	}
	w.below(n, s, at, resource)
}

func (w *defaultWalk) below(n *schema.Node, s *apiextensionsv1.JSONSchemaProps, at defaultLocation, resource bool) {
	down := func(location *pathstack.Chain, step schema.Step) defaultLocation {
		child := at
		child.at = location
		child.within = append(at.within, step) // children share the array: they are visited one by one
		return child
	}
	if s.Items != nil && hasDefaults(n.Items()) {
		w.visit(n.Items(), s.Items.Schema, down(at.at.Child("items"), schema.Index(0)))
	}
	for name, child := range n.Properties() {
		if !hasDefaults(child) {
			continue
		}
		property := s.Properties[name]
		location := down(at.at.Child("properties").Key(name), schema.Field(name))
		location.meta = at.meta || resource && isMeta(name)
		w.visit(child, &property, location)
	}
}

func hasDefaults(n *schema.Node) bool { return n != nil && n.Facts().Has(schema.HasDefaults) }

// embedded returns the embedded resources of the value. The value itself may be a resource.
func (d *defaultValue) embedded(limit *errorlimit.Limit) *objectmeta.Embedded {
	return &objectmeta.Embedded{Schema: d.node, IsResource: d.ofResource, At: d.at, Limit: limit}
}

func (d *defaultValue) pointer(part string) string {
	here, value := d.at, d.value
	for _, token := range pathstack.Tokens(part) {
		switch v := value.(type) {
		case map[string]any:
			below, ok := v[token]
			if !ok {
				return here.Pointer()
			}
			here, value = here.Child(token), below
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(v) {
				return here.Pointer()
			}
			here, value = here.Index(i), v[i]
		default:
			return here.Pointer()
		}
	}
	return here.Pointer()
}

type defaultChecker struct {
	pruned bool   // unknown fields are errors
	budget uint64 // for the rules of all defaults together
	watch  *interrupt.Watch
	errs   errorlimit.List
}

func (c *checker) defaults(n *schema.Node, v *internalVersion) field.ErrorList {
	if !hasDefaults(n) {
		return nil
	}
	d := defaultChecker{pruned: c.opts.prunedDefaults, budget: cel.DefaultBudget,
		watch: c.cfg.watch, errs: errorlimit.List{Limit: c.cfg.limit}}
	w := defaultWalk{each: d.check}
	w.walk(n, v.root(), v.at)
	return d.errs.Errors()
}

func (c *defaultChecker) invalid(d *defaultValue, value any, detail string) {
	c.errs.AddAt(d.at, field.Invalid(d.at.Path(), value, detail))
}

// addBelow adds an error about a part of the default. The path of the error is the path of the
// default followed by name.
func (c *defaultChecker) addBelow(d *defaultValue, err *field.Error, name, pointer string) {
	moved := *err
	moved.Field = d.at.Path().String() + name
	c.errs.Add(c.errs.Limit.AtPointer(pointer, &moved))
}

// noField is how the server writes a nil path.
const noField = "<nil>"

// check checks one default. It returns false if the rules have used up the cost budget: the server
// then stops.
func (c *defaultChecker) check(d *defaultValue) bool {
	if d.meta {
		return c.checkInsideMeta(d)
	}
	if c.pruned && d.isPruned() {
		c.invalid(d, jsonval.Clone(d.value), "must not have unknown fields")
	}
	if !d.ofResource && !d.node.Facts().Has(schema.HasEmbedded) {
		return c.checkValue(d)
	}
	embedded := d.embedded(c.errs.Limit)
	// The server coerces the default in place, and checks the result.
	if _, err := embedded.Coerce(d.value, objectmeta.Options{}); err != nil {
		c.errs.Add(err)
		return true
	}
	problems := embedded.Validate(d.value)
	for _, p := range problems {
		c.errs.Add(c.errs.Limit.AtPointer(d.pointer(p.Pointer), p.Err))
	}
	return len(problems) > 0 || c.checkValue(d)
}

// checkInsideMeta checks a default inside of metadata. It makes a resource with this default only,
// which must have valid metadata.
func (c *defaultChecker) checkInsideMeta(d *defaultValue) bool {
	obj, ok := crdversion.Enclose(d.within, jsonval.Clone(d.value)).(map[string]any)
	if !ok {
		err := field.InternalError(d.at.Path(), fmt.Errorf("a default inside of metadata is no part of an object"))
		c.errs.AddAt(d.at, err)
		return true
	}
	for name, value := range map[string]string{"apiVersion": "validation/v1", "kind": "Validation"} {
		if _, ok := obj[name]; !ok {
			obj[name] = value
		}
	}
	embedded := &objectmeta.Embedded{Schema: d.resource, IsResource: true}
	if _, err := embedded.Coerce(obj, objectmeta.Options{}); err != nil {
		c.invalid(d, d.value, fmt.Sprintf("must result in valid metadata: %v", err))
		return true
	}
	var errs field.ErrorList
	for _, problem := range embedded.Validate(obj) {
		errs = append(errs, problem.Err)
	}
	if len(errs) > 0 {
		c.invalid(d, d.value, fmt.Sprintf("must result in valid metadata: %v", errorlist.Of(errs)))
		return true
	}
	return c.checkValue(d)
}

// checkValue checks the value and then its rules. In paths, the server writes a dot before list
// elements too.
func (c *defaultChecker) checkValue(d *defaultValue) bool {
	found := validation.ValidateDefault(d.node, d.value, c.errs.Limit.Most())
	c.errs.Limit.Omit(found.Omitted)
	for _, err := range found.Errors {
		name, pointer := "", d.at.Pointer()
		if err.Field != noField {
			name, pointer = "."+err.Field, d.pointer(err.Pointer)
		}
		c.addBelow(d, err.FieldError(), name, pointer)
	}
	return len(found.Errors) > 0 || c.checkRules(d)
}

// checkRules runs the rules twice: with the default as its own old value, and without old value.
func (c *defaultChecker) checkRules(d *defaultValue) bool {
	if !d.node.Facts().Has(schema.HasRules) {
		return true
	}
	program, value, held, errs := d.program(c.watch)
	for _, err := range errs {
		c.addBelow(d, err, "."+err.Field, d.at.Pointer())
	}
	if len(errs) > 0 {
		return true
	}
	most := cel.MaxErrors(c.errs.Limit.Most())
	add := func(res cel.Result) {
		c.errs.Limit.Omit(res.Omitted)
		for _, err := range res.Errors {
			name, pointer := strings.TrimPrefix(err.Field, held), err.Pointer
			switch {
			case name == noField:
				name = ""
			case name != "" && name[0] != '.' && name[0] != '[':
				name = "." + name
			}
			if held != "" {
				pointer = strings.TrimPrefix(pointer, "/"+held)
			}
			c.addBelow(d, err.FieldError(), name, d.pointer(pointer))
		}
	}
	res := program.Eval(c.watch.Context(), value, cel.Budget(c.budget), most, celcost.Default{})
	add(res)
	cost := res.Cost
	if len(res.Errors) == 0 {
		res = program.Eval(c.watch.Context(), value, cel.Budget(c.budget), most)
		add(res)
		cost = max(cost, res.Cost)
	}
	spent := len(res.Errors) > 0 && cost >= c.budget
	c.budget -= min(cost, c.budget)
	return !spent
}

// heldName is the name of the only field in [defaultValue.holder].
const heldName = "default"

// holder returns the schema of an object whose only field has the schema of the default.
func (d *defaultValue) holder() (*schema.Node, field.ErrorList) {
	held := *d.props
	held.Default = nil
	return schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{heldName: held},
	}, schemaopt.WithoutAnnotations{})
}

func (d *defaultValue) isPruned() bool {
	value := jsonval.Clone(d.value)
	switch v := value.(type) {
	case map[string]any:
		var opts []pruning.Option
		if !d.ofResource || d.node.EmbeddedResource() {
			opts = append(opts, pruning.Fragment())
		}
		pruning.New(d.node, opts...).Prune(v)
	case []any:
		if n, errs := d.holder(); len(errs) == 0 {
			pruning.New(n, pruning.Fragment()).Prune(map[string]any{heldName: v})
		}
	}
	return !jsonval.Equal(value, d.value)
}

// program returns the rules, the object to check, and a field name. Usually the object is the
// value, and the name is "". An embedded resource, or a value that is not an object, is the field
// with the name in a new object.
func (d *defaultValue) program(watch *interrupt.Watch) (*cel.Program, map[string]any, string, field.ErrorList) {
	if obj, ok := d.value.(map[string]any); ok && !d.node.EmbeddedResource() {
		program, errs := cel.Compile(d.node, celcost.Given{AtFirstUse: true, Fragment: !d.ofRoot}, watch)
		return program, obj, "", errs
	}
	wrapped, errs := d.holder()
	if len(errs) > 0 {
		return nil, nil, "", errs
	}
	program, errs := cel.Compile(wrapped, celcost.Given{AtFirstUse: true, Fragment: true}, watch)
	return program, map[string]any{heldName: d.value}, heldName, errs
}
