package schema

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Compile checks that an OpenAPI v3 schema is structural and compiles it. It
// returns either a node or errors, never both. The schema is not changed, and
// the node shares no memory with it that could change; a nil schema gives a
// nil node, which engines take as a schema that declares nothing.
//
// Errors have the type, field and detail that kube-apiserver gives them and
// its order. What makes it give up before it can check is one error at the
// root.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
func Compile(props *apiextensionsv1.JSONSchemaProps, opts ...Option) (*Node, field.ErrorList) {
	o := options{maxDepth: DefaultMaxDepth, maxNodes: DefaultMaxNodes, annotations: true, share: true}
	for _, opt := range opts {
		opt.apply(&o)
	}
	if props == nil {
		return nil, nil
	}
	if err := measure(props, o); err != nil {
		return nil, field.ErrorList{err}
	}
	if text := unsupported(props); text != "" {
		return nil, field.ErrorList{field.Invalid(o.path, "", text)}
	}
	if errs := checkStructural(props, o.path); len(errs) > 0 {
		return nil, errs
	}

	c := compiler{interner: newInterner(o.share)}
	root := c.node(props)
	if c.err != nil {
		return nil, field.ErrorList{field.Invalid(o.path, field.OmitValueType{}, c.err.Error())}
	}
	return c.finish(root, props, o), nil
}

// finish returns the root of the tree: a copy of the shared node that also
// knows about the tree as a whole.
func (c *compiler) finish(shared *Node, props *apiextensionsv1.JSONSchemaProps, o options) *Node {
	root := *shared
	root.stats = Stats{Nodes: c.places, Unique: c.interner.nodes, Branches: c.branches, Depth: depthOf(shared, map[*Node]int{})}
	if o.annotations {
		root.annotations = annotate(props)
	}
	return &root
}

func depthOf(n *Node, seen map[*Node]int) int {
	if n == nil {
		return 0
	}
	if d, ok := seen[n]; ok {
		return d
	}
	d := max(depthOf(n.items, seen), depthOf(n.additional, seen))
	for _, p := range n.props {
		d = max(d, depthOf(p, seen))
	}
	seen[n] = d + 1
	return d + 1
}

// A compiler holds the state of one Compile.
type compiler struct {
	interner *interner
	places   int
	branches int
	err      error // first value that is not JSON
}

func (c *compiler) node(s *apiextensionsv1.JSONSchemaProps) *Node {
	c.places++
	n := &Node{
		kind:      kindOf(s.Type),
		typ:       s.Type,
		flags:     flagsOf(s),
		limits:    c.limits(s),
		junctors:  c.junctors(s),
		extension: extensionOf(s),
		rules:     rulesOf(s.XValidations),
		def:       c.value(s.Default),
	}
	if s.Items != nil && s.Items.Schema != nil {
		n.items = c.node(s.Items.Schema)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		n.names = append(n.names, name)
		n.props = append(n.props, c.node(&p))
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		n.additional = c.node(a.Schema)
	}
	n.facts = factsOf(n)
	return c.interner.node(n)
}

func (c *compiler) branch(s *apiextensionsv1.JSONSchemaProps) *Branch {
	if s == nil {
		return nil
	}
	c.branches++
	b := &Branch{kind: kindOf(s.Type), limits: c.limits(s), junctors: c.junctors(s)}
	if s.Items != nil {
		b.items = c.branch(s.Items.Schema)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		b.names = append(b.names, name)
		b.props = append(b.props, c.branch(&p))
	}
	return c.interner.branch(b)
}

func (c *compiler) junctors(s *apiextensionsv1.JSONSchemaProps) *junctors {
	if len(s.AllOf) == 0 && len(s.AnyOf) == 0 && len(s.OneOf) == 0 && s.Not == nil {
		return nil
	}
	return &junctors{
		allOf: c.branchList(s.AllOf),
		anyOf: c.branchList(s.AnyOf),
		oneOf: c.branchList(s.OneOf),
		not:   c.branch(s.Not),
	}
}

func (c *compiler) branchList(list []apiextensionsv1.JSONSchemaProps) []*Branch {
	var out []*Branch
	for i := range list {
		out = append(out, c.branch(&list[i]))
	}
	return out
}

func (c *compiler) limits(s *apiextensionsv1.JSONSchemaProps) *Limits {
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
		Required:      slices.Clone(s.Required),
	}
	for i := range s.Enum {
		l.Enum = append(l.Enum, c.value(&s.Enum[i]))
	}
	return c.interner.limits(&l)
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

// value decodes a literal of the schema as objects are decoded. Null is no
// value.
func (c *compiler) value(j *apiextensionsv1.JSON) any {
	if j == nil || len(j.Raw) == 0 || bytes.Equal(j.Raw, []byte("null")) {
		return nil
	}
	var v any
	if err := json.Unmarshal(j.Raw, &v); err != nil && c.err == nil {
		c.err = fmt.Errorf("a value in the schema is not JSON: %w", err)
	}
	return v
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
	var out []Rule
	for _, r := range rules {
		rule := Rule{
			Rule:              r.Rule,
			Message:           r.Message,
			MessageExpression: r.MessageExpression,
			FieldPath:         r.FieldPath,
		}
		if r.Reason != nil {
			rule.Reason = string(*r.Reason)
		}
		if r.OptionalOldSelf != nil {
			rule.OptionalOldSelf, rule.SetOptionalOldSelf = *r.OptionalOldSelf, true
		}
		out = append(out, rule)
	}
	return out
}

// annotate returns the annotations of s and below, nil if there are none.
func annotate(s *apiextensionsv1.JSONSchemaProps) *Annotations {
	a := &Annotations{description: s.Description, title: s.Title}
	if s.ExternalDocs != nil {
		a.docs = &ExternalDocs{Description: s.ExternalDocs.Description, URL: s.ExternalDocs.URL}
	}
	if s.Example != nil && len(s.Example.Raw) > 0 {
		// An example is for people: one that is not JSON is left out.
		if err := json.Unmarshal(s.Example.Raw, &a.example); err != nil {
			a.example = nil
		}
	}
	for name, p := range s.Properties {
		if child := annotate(&p); child != nil {
			if a.properties == nil {
				a.properties = make(map[string]*Annotations)
			}
			a.properties[name] = child
		}
	}
	if s.Items != nil && s.Items.Schema != nil {
		a.items = annotate(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		a.additional = annotate(s.AdditionalProperties.Schema)
	}
	if a.empty() {
		return nil
	}
	return a
}
