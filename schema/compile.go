package schema

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Compile checks that an OpenAPI v3 schema is structural and compiles it. It
// returns a node or errors, never both. It does not change props, and the node
// shares no memory with props that could change. For nil props the node is nil
// too; engines treat it as a schema that declares nothing.
//
// With [Unstructured], Compile also accepts a schema that is not structural.
//
// Errors have the type, field, detail and order of those of kube-apiserver. If
// the server stops before it checks the structure, there is one error at the
// root.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
func Compile(props *apiextensionsv1.JSONSchemaProps, opts ...Option) (*Node, field.ErrorList) {
	o := optionsOf(opts)
	if props == nil {
		return nil, nil
	}
	c := newCompiler(o)
	if o.interner != nil {
		defer o.interner.lend(c)()
	}
	root, notes := c.compileNode(props, levelRoot)
	if errs := c.errors(props); len(errs) > 0 {
		return nil, errs
	}
	if o.interner != nil {
		return o.interner.root(c, root, notes), nil
	}
	return c.finish(root, notes), nil
}

func newCompiler(o options) *compiler {
	c := &compiler{
		own:          interner{share: o.share, buf: make([]byte, 0, 128)},
		annotate:     o.annotations,
		unstructured: o.unstructured,
		measurer:     measurer{options: o},
		check:        newStructuralCheck(o),
	}
	c.interner = &c.own
	return c
}

// errors returns the errors of props once the walk is done, nil if it is valid.
func (c *compiler) errors(props *apiextensionsv1.JSONSchemaProps) field.ErrorList {
	if c.stop != nil {
		return field.ErrorList{c.located(c.stop)}
	}
	if c.measurer.unsupportedSeen {
		if text := unsupportedIn(props, c.unstructured); text != "" {
			return field.ErrorList{c.located(field.Invalid(c.measurer.at.Path(), "", text))}
		}
	}
	var errs field.ErrorList
	if !c.unstructured {
		errs = c.check.finish(props)
	}
	if err := c.measurer.watch.Err(); err != nil {
		return field.ErrorList{field.InternalError(c.measurer.at.Path(), err)}
	}
	if len(errs) > 0 {
		return errs
	}
	if c.err != nil {
		return field.ErrorList{c.located(field.Invalid(c.measurer.at.Path(), field.OmitValueType{}, c.err.Error()))}
	}
	return nil
}

// located returns an error about the root, with its location.
func (c *compiler) located(err *field.Error) *field.Error {
	return c.measurer.limit.At(c.measurer.at, err)
}

// finish returns the root of the tree: a copy of the shared node with the facts
// about the whole tree.
func (c *compiler) finish(shared *Node, notes *Annotations) *Node {
	root := *shared
	root.stats = Stats{Nodes: c.nodeCount, Unique: c.interner.nodes, Branches: c.branches, Depth: c.depth}
	root.annotations = notes
	return &root
}

// A compiler is the state of one Compile. It walks the schema once. On the way
// it enforces the bounds, checks the structure, and makes nodes. It makes a
// [Node] only for a schema that it has not seen before; for any other it
// allocates nothing.
type compiler struct {
	interner     *interner // own, or that of lender
	own          interner
	measurer     measurer
	stop         *field.Error // the schema is too large to go on
	check        structuralCheck
	unstructured bool // the schema need not be structural
	nodeCount    int
	branches     int
	level        int
	depth        int       // largest level so far
	err          error     // first value that is not JSON
	annotate     bool      // keep annotations
	lender       *Interner // owns interner; nil if it belongs to this compile

	// Stacks with the properties of the schemas on the path to the current one:
	// their names, and what was compiled so far. A schema uses the ends of the
	// stacks.
	nameStack       []string
	nodeStack       []*Node
	annotationStack []*Annotations // of nodes
	branchStack     []*Branch
}

// compileNode returns the node for s and its annotations, which are nil if it
// has none. It returns nil once c.stop is set.
func (c *compiler) compileNode(s *apiextensionsv1.JSONSchemaProps, level structuralLevel) (*Node, *Annotations) {
	c.nodeCount++
	c.level++
	if c.stop = c.measurer.enter(s, c.level); c.stop != nil {
		return nil, nil
	}
	if !c.unstructured {
		c.check.structure(s, level)
	}
	c.depth = max(c.depth, c.level)
	p := compiledChildren{limits: c.compileLimits(s), junctors: c.compileJunctors(s)}
	var a Annotations
	names, nodes := len(c.nameStack), len(c.nodeStack)
	c.compileChildren(s, &p, &a)
	if c.stop != nil {
		return nil, nil
	}
	p.names, p.props = c.nameStack[names:], c.nodeStack[nodes:]
	n := c.interner.internNode(s, &p, c)
	notes := c.annotated(s, a, n, c.annotationStack[nodes:])
	c.nameStack, c.nodeStack, c.annotationStack = c.nameStack[:names], c.nodeStack[:nodes], c.annotationStack[:nodes]
	c.level--
	return n, notes
}

// compileChildren compiles the schemas below s. It leaves those of properties
// on the stacks.
func (c *compiler) compileChildren(s *apiextensionsv1.JSONSchemaProps, p *compiledChildren, a *Annotations) {
	if s.Items != nil && s.Items.Schema != nil {
		c.check.at.Push("items")
		p.items, a.items = c.compileNode(s.Items.Schema, levelItem)
		c.check.at.Pop()
	}
	first := len(c.nameStack)
	var property apiextensionsv1.JSONSchemaProps // see [structuralCheck.nestedProperties]
	c.nodeStack, c.annotationStack = slices.Grow(c.nodeStack, len(s.Properties)), slices.Grow(c.annotationStack, len(s.Properties))
	for i := range c.sortedNames(s) {
		if c.stop != nil {
			return
		}
		name := c.nameStack[first+i]
		property = s.Properties[name]
		c.check.at.PushKey("properties", name)
		n, notes := c.compileNode(&property, levelField)
		c.check.at.Pop()
		c.nodeStack, c.annotationStack = append(c.nodeStack, n), append(c.annotationStack, notes)
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil && c.stop == nil {
		c.check.at.Push("additionalProperties")
		p.additional, a.additional = c.compileNode(values.Schema, levelField)
		c.check.at.Pop()
	}
}

// sortedNames pushes the names of the properties and returns their number.
func (c *compiler) sortedNames(s *apiextensionsv1.JSONSchemaProps) int {
	first := len(c.nameStack)
	c.nameStack = slices.Grow(c.nameStack, len(s.Properties))
	for name := range s.Properties {
		c.nameStack = append(c.nameStack, name)
	}
	slices.Sort(c.nameStack[first:])
	return len(c.nameStack) - first
}

// newNode returns a new node for s.
func (c *compiler) newNode(s *apiextensionsv1.JSONSchemaProps, p *compiledChildren) *Node {
	n := &c.interner.slab.nodes.take(1)[0]
	*n = Node{
		kind:       kindOf(s.Type),
		typ:        s.Type,
		flags:      flagsOf(s),
		items:      p.items,
		additional: p.additional,
		junctors:   p.junctors,
		extension:  extensionOf(s),
		rules:      rulesOf(s.XValidations),
		def:        c.decodeLiteral(s.Default, c.measurer.watch),
		names:      c.interner.slab.names.copyOf(p.names),
		props:      c.interner.slab.props.copyOf(p.props),
	}
	if p.limits != nil {
		n.limits = &p.limits.Limits
	}
	n.facts = factsOf(n)
	return n
}

func (c *compiler) compileBranch(s *apiextensionsv1.JSONSchemaProps) *Branch {
	if s == nil || c.ended() {
		return nil
	}
	c.branches++
	p := compiledChildren{limits: c.compileLimits(s), junctors: c.compileJunctors(s)}
	if a := s.AdditionalProperties; a != nil {
		p.branchAdditional = c.compileBranch(a.Schema)
	}
	if s.Items != nil {
		p.branchItems = c.compileBranch(s.Items.Schema)
	}
	names, below := len(c.nameStack), len(c.branchStack)
	var property apiextensionsv1.JSONSchemaProps
	for i := range c.sortedNames(s) {
		property = s.Properties[c.nameStack[names+i]]
		b := c.compileBranch(&property)
		c.branchStack = append(c.branchStack, b)
	}
	if c.stop != nil {
		return nil
	}
	p.names, p.branches = c.nameStack[names:], c.branchStack[below:]
	b := c.interner.internBranch(s, &p)
	c.nameStack, c.branchStack = c.nameStack[:names], c.branchStack[:below]
	return b
}

// ended reports whether the watch has ended. It sets c.stop then.
func (c *compiler) ended() bool {
	if !c.measurer.watch.Ended() {
		return false
	}
	c.stop = field.InternalError(c.measurer.at.Path(), c.measurer.watch.Err())
	return true
}

func (c *compiler) compileJunctors(s *apiextensionsv1.JSONSchemaProps) *junctors {
	if !hasJunctors(s) {
		return nil
	}
	return &junctors{
		allOf: c.branchList(s.AllOf),
		anyOf: c.branchList(s.AnyOf),
		oneOf: c.branchList(s.OneOf),
		not:   c.compileBranch(s.Not),
	}
}

func (c *compiler) branchList(list []apiextensionsv1.JSONSchemaProps) []*Branch {
	if len(list) == 0 {
		return nil
	}
	out := make([]*Branch, len(list))
	for i := range list {
		if out[i] = c.compileBranch(&list[i]); c.stop != nil {
			return nil
		}
	}
	return out
}

// compileLimits returns the limits of s, nil if it has none.
func (c *compiler) compileLimits(s *apiextensionsv1.JSONSchemaProps) *limits {
	if s.Format == "" && s.Pattern == "" && s.Minimum == nil && s.Maximum == nil && s.MultipleOf == nil &&
		s.MinLength == nil && s.MaxLength == nil && s.MinItems == nil && s.MaxItems == nil &&
		s.MinProperties == nil && s.MaxProperties == nil && !s.UniqueItems && len(s.Required) == 0 && len(s.Enum) == 0 {
		return nil
	}
	l := Limits{
		Format:        s.Format,
		Pattern:       s.Pattern,
		Minimum:       bound(s.Minimum, s.ExclusiveMinimum),
		Maximum:       bound(s.Maximum, s.ExclusiveMaximum),
		MultipleOf:    bound(s.MultipleOf, false),
		MinLength:     count(s.MinLength),
		MaxLength:     count(s.MaxLength),
		MinItems:      count(s.MinItems),
		MaxItems:      count(s.MaxItems),
		MinProperties: count(s.MinProperties),
		MaxProperties: count(s.MaxProperties),
		UniqueItems:   s.UniqueItems,
		Required:      s.Required,
	}
	return c.interner.internLimits(&l, s.Enum, c)
}

// newLimits returns a copy of l that shares no memory with the schema.
func (c *compiler) newLimits(l *Limits, enum []apiextensionsv1.JSON) *limits {
	out := &c.interner.slab.limits.take(1)[0]
	out.Limits = *l
	out.Required = slices.Clone(l.Required)
	if len(enum) > 0 {
		out.Enum = make([]any, len(enum))
	}
	for i := range enum {
		if c.ended() {
			break
		}
		out.Enum[i] = c.decodeLiteral(&enum[i], c.measurer.watch)
	}
	return out
}

func bound(v *float64, exclusive bool) Bound {
	if v == nil {
		return Bound{}
	}
	return Bound{Value: *v, Set: true, Exclusive: exclusive}
}

func count(n *int64) Count {
	if n == nil {
		return Count{}
	}
	return Count{N: *n, Set: true}
}

func flagsOf(s *apiextensionsv1.JSONSchemaProps) flags {
	var f flags
	if s.Nullable {
		f |= flagNullable
	}
	if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields {
		f |= flagPreserve
	}
	if s.XEmbeddedResource {
		f |= flagEmbedded
	}
	if s.XIntOrString {
		f |= flagIntOrString
	}
	if a := s.AdditionalProperties; a != nil {
		f |= flagAdditional
		if a.Schema != nil || a.Allows {
			f |= flagAdditionalAllowed
		}
	}
	return f
}

func hasExtension(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.XListType != nil || s.XMapType != nil || len(s.XListMapKeys) > 0
}

func extensionOf(s *apiextensionsv1.JSONSchemaProps) *extension {
	if !hasExtension(s) {
		return nil
	}
	x := &extension{listMapKeys: slices.Clone(s.XListMapKeys)}
	if s.XListType != nil {
		x.listType, x.setListType = *s.XListType, true
	}
	if s.XMapType != nil {
		x.mapType, x.setMapType = *s.XMapType, true
	}
	return x
}

func rulesOf(rules apiextensionsv1.ValidationRules) []Rule {
	if len(rules) == 0 {
		return nil
	}
	out := make([]Rule, 0, len(rules))
	for i := range rules {
		r := &rules[i]
		rule := Rule{
			Rule:              r.Rule,
			Message:           r.Message,
			MessageExpression: r.MessageExpression,
			FieldPath:         r.FieldPath,
		}
		if r.Reason != nil {
			rule.Reason, rule.SetReason = string(*r.Reason), true
		}
		if r.OptionalOldSelf != nil {
			rule.OptionalOldSelf, rule.SetOptionalOldSelf = *r.OptionalOldSelf, true
		}
		out = append(out, rule)
	}
	return out
}

// annotated returns the annotations of s, nil if there are none. a has those of
// its children, except for properties, which are in below. The annotations keep
// names.
func (c *compiler) annotated(s *apiextensionsv1.JSONSchemaProps, a Annotations, n *Node, below []*Annotations) *Annotations {
	if !c.annotate {
		return nil
	}
	a.description, a.title = s.Description, s.Title
	if s.ExternalDocs != nil {
		a.docs = &ExternalDocs{Description: s.ExternalDocs.Description, URL: s.ExternalDocs.URL}
	}
	if s.Example != nil && len(s.Example.Raw) > 0 {
		a.example = example(s.Example.Raw)
	}
	slab := &c.interner.slab
	if slices.ContainsFunc(below, func(a *Annotations) bool { return a != nil }) {
		a.names, a.properties = n.names, below
	}
	if a.empty() {
		return nil
	}
	if c.lender != nil {
		return c.lender.annotation(&a, n, s.Example, slab)
	}
	return slab.annotation(&a)
}

// example decodes an example. It returns nil for text that is not JSON.
func example(raw []byte) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil
	}
	return v
}
