package schema

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// Compile checks that an OpenAPI v3 schema is structural and compiles it. It returns a node
// or errors, never both. It does not change props, and later changes of props do not change
// the node. For nil props it returns a nil node, which declares nothing.
//
// The errors have the same type, field, detail and order as in kube-apiserver. A schema
// with an unsupported keyword, or beyond the limits, is a single error at the root.
func Compile(props *apiextensionsv1.JSONSchemaProps, opts ...Option) (*Node, field.ErrorList) {
	if props == nil {
		return nil, nil
	}
	c := newCompiler(optionsOf(opts))
	if c.options.interner != nil {
		c.interner = c.options.interner
		c.interner.mu.Lock()
		defer c.interner.mu.Unlock()
	}
	level := levelRoot
	if c.options.unstructured {
		level = levelUnchecked
	}
	root, annotations := c.compile(props, level, false)
	if errs := c.errors(props); len(errs) > 0 {
		return nil, errs
	}
	return c.root(root, annotations), nil
}

// A compiler is the state of one Compile. It walks the schema once. On the way it enforces
// the bounds, finds unsupported keywords, checks the structure, and makes the nodes.
type compiler struct {
	options  options
	interner *interner // from the options, or new
	check    structuralCheck
	stop     *field.Error // the schema cannot be compiled
	err      error        // first value that is not JSON
	schemas  int          // number of visited schemas
	level    int          // depth of the current schema, 1 for the root
	stats    Stats

	// names and nodes are stacks of properties. A new node copies its properties from them.
	// A schema that equals an earlier one allocates nothing.
	names []string
	nodes []*Node
}

func newCompiler(o options) *compiler {
	return &compiler{options: o, interner: &interner{nodes: map[string]*Node{}, key: make([]byte, 0, 128)}, check: newStructuralCheck(o)}
}

// errors returns the errors of props, nil if there are none. It is called after the walk.
func (c *compiler) errors(props *apiextensionsv1.JSONSchemaProps) field.ErrorList {
	if c.stop != nil {
		return field.ErrorList{c.options.limit.At(c.options.at, c.stop)}
	}
	if !c.options.unstructured {
		if errs := c.check.finish(props); len(errs) > 0 {
			return errs
		}
	}
	if c.err != nil {
		err := field.Invalid(c.options.at.Path(), field.OmitValueType{}, c.err.Error())
		return field.ErrorList{c.options.limit.At(c.options.at, err)}
	}
	return nil
}

// root returns a copy of n with the fields that only the root has.
func (c *compiler) root(n *Node, annotations *Annotations) *Node {
	key := sharedRoot{n, annotations}
	root := c.interner.roots[key]
	if root == nil {
		root = new(*n)
		root.stats, root.annotations = c.stats, annotations
	}
	if c.options.interner != nil {
		c.interner.roots[key] = root
	}
	return root
}

// compile returns the node for s, and the annotations of s, nil if s has none. nested is
// true below allOf, anyOf, oneOf and not. If c.stop is set, the caller must ignore the
// result.
func (c *compiler) compile(s *apiextensionsv1.JSONSchemaProps, level structuralLevel, nested bool) (*Node, *Annotations) {
	c.level++
	if c.enter(s); c.stop != nil {
		return nil, nil
	}
	if !nested {
		c.stats.Nodes++
		c.stats.Depth = max(c.stats.Depth, c.level)
	}
	c.check.schema(s, level)
	var p parts
	if p.junctors = c.junctors(s, level); c.stop != nil {
		return nil, nil
	}
	if c.stopAt(unsupportedValue(s)); c.stop != nil {
		return nil, nil
	}
	var a Annotations
	names, nodes := len(c.names), len(c.nodes)
	c.below(s, level, nested, &p, &a)
	if c.stop != nil {
		return nil, nil
	}
	c.level--
	n := c.intern(s, &p, nested)
	c.names, c.nodes = c.names[:names], c.nodes[:nodes]
	if nested || !c.options.annotations {
		return n, nil
	}
	return n, c.annotated(s, a, n)
}

// enter sets c.stop if the schema is too deep or too large, or has an unsupported keyword.
// The bounds also stop the walk over a schema that contains itself.
func (c *compiler) enter(s *apiextensionsv1.JSONSchemaProps) {
	c.schemas++
	switch {
	case c.schemas > c.options.maxNodes:
		c.exceeds("must not have more than %d schemas", c.options.maxNodes)
	case c.level > c.options.maxDepth:
		c.exceeds("must not be nested more than %d schemas deep", c.options.maxDepth)
	default:
		c.stopAt(unsupportedKeyword(s, c.options.unstructured))
	}
}

func (c *compiler) exceeds(format string, bound int) {
	c.stop = field.Invalid(c.options.at.Path(), field.OmitValueType{}, fmt.Sprintf(format, bound))
}

// stopAt sets c.stop to an error with this text, unless text is "".
func (c *compiler) stopAt(text string) {
	if text != "" {
		c.stop = field.Invalid(c.options.at.Path(), "", text)
	}
}

type parts struct {
	names             []string // of properties, in increasing order
	props             []*Node  // in the order of names
	items, additional *Node
	junctors          *junctors
}

// below compiles the schemas in items, properties and additionalProperties of s.
func (c *compiler) below(s *apiextensionsv1.JSONSchemaProps, level structuralLevel, nested bool, p *parts, a *Annotations) {
	if s.Items != nil && s.Items.Schema != nil {
		c.check.at.Push("items")
		p.items, a.items = c.compile(s.Items.Schema, level.below(levelItem), nested)
		c.check.at.Pop()
	}
	c.properties(s, level.below(levelField), nested, p, a)
	if values := s.AdditionalProperties; values != nil && values.Schema != nil && c.stop == nil {
		c.check.at.Push("additionalProperties")
		if level = level.below(levelField); level == levelNested {
			level = levelUnchecked // additionalProperties itself is an error
		}
		p.additional, a.additional = c.compile(values.Schema, level, nested)
		c.check.at.Pop()
	}
}

// properties compiles the properties of s. It copies each schema to one variable, because map
// elements have no address.
func (c *compiler) properties(s *apiextensionsv1.JSONSchemaProps, level structuralLevel, nested bool, p *parts, a *Annotations) {
	if len(s.Properties) == 0 || c.stop != nil {
		return
	}
	first := len(c.names)
	c.names, c.nodes = slices.Grow(c.names, len(s.Properties)), slices.Grow(c.nodes, len(s.Properties))
	for name := range s.Properties {
		c.names = append(c.names, name)
	}
	p.names = c.names[first:]
	slices.Sort(p.names)
	first = len(c.nodes)
	var property apiextensionsv1.JSONSchemaProps
	for i, name := range p.names {
		property = s.Properties[name]
		c.check.at.PushKey("properties", name)
		n, annotations := c.compile(&property, level, nested)
		c.check.at.Pop()
		if c.stop != nil {
			return
		}
		c.nodes = append(c.nodes, n)
		if annotations != nil {
			if a.properties == nil {
				a.properties = make([]*Annotations, len(p.names))
			}
			a.properties[i] = annotations
		}
	}
	p.props = c.nodes[first:]
}

// junctors compiles the schemas in not, allOf, anyOf and oneOf of s, in the server's order.
func (c *compiler) junctors(s *apiextensionsv1.JSONSchemaProps, level structuralLevel) *junctors {
	if !hasJunctors(s) {
		return nil
	}
	j := &junctors{}
	if s.Not != nil {
		c.check.at.Push("not")
		n, _ := c.compile(s.Not, level.nested(), true)
		c.check.at.Pop()
		j.not = (*Branch)(n)
	}
	all, any := level.junctors(s)
	j.allOf = c.list("allOf", s.AllOf, all, level.nested())
	j.anyOf = c.list("anyOf", s.AnyOf, any, any)
	j.oneOf = c.list("oneOf", s.OneOf, level.nested(), level.nested())
	return j
}

func (c *compiler) list(keyword string, schemas []apiextensionsv1.JSONSchemaProps, first, others structuralLevel) []*Branch {
	if len(schemas) == 0 || c.stop != nil {
		return nil
	}
	out := make([]*Branch, len(schemas))
	for i, level := 0, first; i < len(schemas) && c.stop == nil; i, level = i+1, others {
		c.check.at.PushIndex(keyword, i)
		n, _ := c.compile(&schemas[i], level, true)
		c.check.at.Pop()
		out[i] = (*Branch)(n)
	}
	return out
}

func (c *compiler) intern(s *apiextensionsv1.JSONSchemaProps, p *parts, nested bool) *Node {
	if c.options.unshared {
		return c.newNode(s, p, nested)
	}
	in := c.interner
	in.key = p.appendKey(in.key[:0], s, nested)
	n, ok := in.nodes[string(in.key)]
	if !ok {
		n = c.newNode(s, p, nested)
		n.id = uint32(len(in.nodes)) + 1
		if c.err == nil {
			in.nodes[string(in.key)] = n
		}
	}
	return n
}

func (c *compiler) newNode(s *apiextensionsv1.JSONSchemaProps, p *parts, nested bool) *Node {
	n := &Node{
		kind:       kindOf(s.Type),
		typ:        s.Type,
		flags:      flagsOf(s),
		names:      slices.Clone(p.names),
		props:      slices.Clone(p.props),
		items:      p.items,
		additional: p.additional,
		junctors:   p.junctors,
		limits:     c.limitsOf(s),
	}
	if !nested {
		n.extension, n.rules, n.def = extensionOf(s), rulesOf(s.XValidations), c.decode(s.Default)
		n.facts = factsOf(n)
	}
	return n
}

func (c *compiler) limitsOf(s *apiextensionsv1.JSONSchemaProps) *Limits {
	if s.Format == "" && s.Pattern == "" && s.Minimum == nil && s.Maximum == nil && s.MultipleOf == nil &&
		s.MinLength == nil && s.MaxLength == nil && s.MinItems == nil && s.MaxItems == nil &&
		s.MinProperties == nil && s.MaxProperties == nil && !s.UniqueItems && len(s.Required) == 0 && len(s.Enum) == 0 {
		return nil
	}
	l := &Limits{
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
		Required:      slices.Clone(s.Required),
	}
	if len(s.Enum) > 0 {
		l.Enum = make([]any, len(s.Enum))
	}
	for i := range s.Enum {
		l.Enum[i] = c.decode(&s.Enum[i])
	}
	return l
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

func extensionOf(s *apiextensionsv1.JSONSchemaProps) *extension {
	if s.XListType == nil && s.XMapType == nil && len(s.XListMapKeys) == 0 {
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

// annotated adds the annotations of s itself to a, which has the annotations of the schemas
// below s. It returns nil if there are none.
func (c *compiler) annotated(s *apiextensionsv1.JSONSchemaProps, a Annotations, n *Node) *Annotations {
	a.description, a.title = s.Description, s.Title
	if s.ExternalDocs != nil {
		a.docs = &ExternalDocs{Description: s.ExternalDocs.Description, URL: s.ExternalDocs.URL}
	}
	if s.Example != nil && len(s.Example.Raw) > 0 {
		a.example = example(s.Example.Raw)
	}
	if a.empty() {
		return nil
	}
	annotations := new(a)
	if a.properties != nil {
		annotations.names = n.names
	}
	if c.options.interner == nil {
		return annotations
	}
	return c.interner.annotation(annotations, n, s.Example)
}

func example(raw []byte) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil
	}
	return v
}

// decode decodes a default or an enum value as the server decodes objects. It returns nil
// for null.
func (c *compiler) decode(j *apiextensionsv1.JSON) any {
	if isNull(j) {
		return nil
	}
	if v, ok := jsonscan.Decode(string(j.Raw)); ok {
		return v
	}
	var v any
	if err := json.Unmarshal(j.Raw, &v); err != nil && c.err == nil {
		c.err = fmt.Errorf("a value in the schema is not JSON: %w", err)
	}
	return v
}

func isNull(j *apiextensionsv1.JSON) bool {
	return j == nil || len(j.Raw) == 0 || string(j.Raw) == "null"
}

// The bounds of [Compile] without options. Every definition that fits into a request to
// kube-apiserver (3 MiB of JSON, nested 10,000 levels deep) is within both bounds.
const (
	DefaultMaxDepth = 5_000     // schemas on a path
	DefaultMaxNodes = 1_000_000 // schemas in total
)

// An Option changes what [Compile] does. A nil Option changes nothing.
type Option interface {
	// SchemaOption seals the interface: only this module implements it.
	SchemaOption(testopt.Sealed)
}

type options struct {
	at           *pathstack.Chain // of the schema
	maxDepth     int
	maxNodes     int
	annotations  bool
	unstructured bool
	unshared     bool
	interner     *interner         // nil without schemaopt.Shared
	limit        *errorlimit.Limit // of errors
}

type optionFunc func(*options)

func (optionFunc) SchemaOption(testopt.Sealed) {}

// AtPath makes the fields of errors start with path, such as
// spec.versions[0].schema.openAPIV3Schema. Without AtPath, they start at the root of the
// schema.
func AtPath(path *field.Path) Option {
	return optionFunc(func(o *options) { o.at = pathstack.At(path) })
}

// MaxDepth bounds the number of schemas on a path from the root. Compile returns an error
// for a deeper schema. If levels is not positive, every schema is an error.
func MaxDepth(levels int) Option {
	return optionFunc(func(o *options) { o.maxDepth = levels })
}

// MaxNodes bounds the total number of schemas. Equal schemas count separately. Compile
// returns an error for a larger schema. If nodes is not positive, every schema is an error.
func MaxNodes(nodes int) Option {
	return optionFunc(func(o *options) { o.maxNodes = nodes })
}

func optionsOf(opts []Option) options {
	o := options{maxDepth: DefaultMaxDepth, maxNodes: DefaultMaxNodes, annotations: true}
	for _, opt := range opts {
		switch opt := opt.(type) {
		case *schemaopt.Shared:
			o.interner = opt.State(newInterner).(*interner)
		case schemaopt.WithoutAnnotations:
			o.annotations = false
		case schemaopt.Unstructured:
			o.unstructured = true
		case *errorlimit.Limit:
			o.limit = opt
		case *pathstack.Chain:
			o.at = opt
		case optionFunc:
			opt(&o)
		case testopt.Unshared:
			o.unshared = true
		}
	}
	return o
}
