package schema

import (
	"math"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Hash-consing. Generated schemas repeat themselves: the definition of
// Prometheus has about 2,000 schemas, of which about 200 differ. A node is
// found by a key that encodes everything it declares, with children replaced by
// their ids. The tree is built from the leaves, so equal subtrees have equal
// ids and therefore equal keys.

type interner struct {
	share   bool
	nodes   int
	ids     uint32
	byKey   map[string]*Node
	direct  map[directKey]*Node // the nodes that have a directKey; the others are in byKey
	byText  map[string]*Branch
	byLimit map[string]*limits
	buf     []byte
	keys    texts
	slab    slabs
}

// A texts cuts strings from few large pieces of memory. It is for strings that
// become garbage together.
type texts struct {
	b    strings.Builder
	last int // size of the latest piece
}

const largestText = 8 << 10

func (t *texts) copyOf(b []byte) string {
	if t.b.Cap()-t.b.Len() < len(b) {
		t.last = min(max(256, 2*t.last), largestText)
		t.b.Reset()
		t.b.Grow(max(t.last, len(b)))
	}
	start := t.b.Len()
	t.b.Write(b)
	return t.b.String()[start:]
}

// A limits is Limits with an id.
type limits struct {
	Limits
	id uint32
}

// A compiledChildren has the results for the schemas below a schema. It does
// not refer to the schema itself, so that copies of schemas can stay on the
// stack.
type compiledChildren struct {
	limits   *limits
	junctors *junctors
	names    []string // of properties, in increasing order

	items, additional *Node   // of a node
	props             []*Node // in the order of names

	branchItems, branchAdditional *Branch   // of a branch
	branches                      []*Branch // in the order of names
}

func (in *interner) internNode(s *apiextensionsv1.JSONSchemaProps, p *compiledChildren, c *compiler) *Node {
	if !in.share {
		return in.number(c.newNode(s, p), c)
	}
	if key, ok := p.directKey(s); ok {
		if old := in.direct[key]; old != nil {
			return old
		}
		n := in.number(c.newNode(s, p), c)
		if in.direct == nil {
			in.direct = make(map[directKey]*Node)
		}
		if c.stop == nil {
			in.direct[key] = n
		}
		return n
	}
	in.buf = p.appendNode(in.buf[:0], s)
	if old, ok := in.byKey[string(in.buf)]; ok {
		return old
	}
	n := in.number(c.newNode(s, p), c)
	if in.byKey == nil {
		in.byKey = make(map[string]*Node)
	}
	if c.stop == nil {
		in.byKey[in.keys.copyOf(in.buf)] = n
	}
	return n
}

// number gives a new node its id, unless c has stopped and the node is not complete.
func (in *interner) number(n *Node, c *compiler) *Node {
	if c.stop == nil {
		in.ids++
		n.id = in.ids
		in.nodes++
	}
	return n
}

// A directKey is the key of a schema that declares its type, limits, and at most elements or
// additional properties, as most schemas do. It takes less time to make and to find than
// the key of all keywords.
type directKey struct {
	kind                      Kind
	flags                     flags
	limits, items, additional uint32
}

// directKey reports whether s is such a schema.
func (p *compiledChildren) directKey(s *apiextensionsv1.JSONSchemaProps) (directKey, bool) {
	k := directKey{kind: kindOf(s.Type), flags: flagsOf(s), limits: uint32(limitsID(p.limits)), items: uint32(nodeID(p.items)), additional: uint32(nodeID(p.additional))}
	return k, k.kind != KindOther && len(p.names) == 0 && p.junctors == nil && !hasExtension(s) && len(s.XValidations) == 0 && isNull(s.Default)
}

func (in *interner) internBranch(s *apiextensionsv1.JSONSchemaProps, p *compiledChildren) *Branch {
	if in.share {
		in.buf = p.appendBranch(in.buf[:0], s)
		if old, ok := in.byText[string(in.buf)]; ok {
			return old
		}
	}
	b := &Branch{
		kind: kindOf(s.Type), typ: s.Type, flags: flagsOf(s),
		junctors: p.junctors, items: p.branchItems, additional: p.branchAdditional,
		names: in.slab.names.copyOf(p.names), props: in.slab.branches.copyOf(p.branches),
	}
	if p.limits != nil {
		b.limits = &p.limits.Limits
	}
	if in.share {
		if in.byText == nil {
			in.byText = make(map[string]*Branch)
		}
		in.byText[in.keys.copyOf(in.buf)] = b
	}
	in.ids++
	b.id = in.ids
	return b
}

// internLimits returns the shared limits for l and the values of an enum.
func (in *interner) internLimits(l *Limits, enum []apiextensionsv1.JSON, c *compiler) *limits {
	if in.share {
		in.buf = appendLimits(in.buf[:0], l, enum)
		if old, ok := in.byLimit[string(in.buf)]; ok {
			return old
		}
	}
	out := c.newLimits(l, enum)
	if c.stop != nil {
		return out // it is not complete
	}
	if in.share {
		if in.byLimit == nil {
			in.byLimit = make(map[string]*limits)
		}
		in.byLimit[in.keys.copyOf(in.buf)] = out
	}
	in.ids++
	out.id = in.ids
	return out
}

// Keys are sequences of fields with their lengths, so different nodes have
// different keys.

func appendUint(b []byte, u uint64) []byte {
	for u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}

func appendString(b []byte, s string) []byte {
	return append(appendUint(b, uint64(len(s))), s...)
}

func appendStrings(b []byte, list []string) []byte {
	b = appendUint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendBound(b []byte, v Bound) []byte {
	if !v.Set {
		return append(b, 0)
	}
	b = appendBool(append(b, 1), v.Exclusive)
	return appendUint(b, math.Float64bits(v.Value))
}

func appendCount(b []byte, v Count) []byte {
	if !v.Set {
		return append(b, 0)
	}
	return appendUint(append(b, 1), uint64(v.N))
}

// appendJSON appends a literal as it is written. Two spellings of one value
// make two nodes, which is correct, only larger.
func appendJSON(b []byte, j *apiextensionsv1.JSON) []byte {
	if isNull(j) {
		return append(b, 0)
	}
	return append(appendUint(b, uint64(len(j.Raw))), j.Raw...)
}

func appendLimits(b []byte, l *Limits, enum []apiextensionsv1.JSON) []byte {
	b = appendString(b, l.Format)
	b = appendString(b, l.Pattern)
	b = appendBound(b, l.Minimum)
	b = appendBound(b, l.Maximum)
	b = appendBound(b, l.MultipleOf)
	for _, c := range [...]Count{l.MinLength, l.MaxLength, l.MinItems, l.MaxItems, l.MinProperties, l.MaxProperties} {
		b = appendCount(b, c)
	}
	b = appendBool(b, l.UniqueItems)
	b = appendStrings(b, l.Required)
	b = appendUint(b, uint64(len(enum)))
	for i := range enum {
		b = appendJSON(b, &enum[i])
	}
	return b
}

func appendJunctors(b []byte, j *junctors) []byte {
	if j == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	for _, list := range [...][]*Branch{j.allOf, j.anyOf, j.oneOf} {
		b = appendUint(b, uint64(len(list)))
		for _, e := range list {
			b = appendUint(b, uint64(e.id))
		}
	}
	return appendUint(b, branchID(j.not))
}

func nodeID(n *Node) uint64 {
	if n == nil {
		return 0
	}
	return uint64(n.id)
}

func branchID(b *Branch) uint64 {
	if b == nil {
		return 0
	}
	return uint64(b.id)
}

func limitsID(l *limits) uint64 {
	if l == nil {
		return 0
	}
	return uint64(l.id)
}

// appendNode appends the key of a node.
func (p *compiledChildren) appendNode(b []byte, s *apiextensionsv1.JSONSchemaProps) []byte {
	f := flagsOf(s)
	b = append(b, byte(f), byte(f>>8))
	b = appendString(b, s.Type)
	b = appendStrings(b, p.names)
	for _, c := range p.props {
		b = appendUint(b, uint64(c.id))
	}
	b = appendUint(b, nodeID(p.items))
	b = appendUint(b, nodeID(p.additional))
	b = appendUint(b, limitsID(p.limits))
	b = appendJunctors(b, p.junctors)
	b = appendExtension(b, s)
	b = appendUint(b, uint64(len(s.XValidations)))
	for i := range s.XValidations {
		b = appendRule(b, &s.XValidations[i])
	}
	return appendJSON(b, s.Default)
}

func appendExtension(b []byte, s *apiextensionsv1.JSONSchemaProps) []byte {
	return appendStrings(appendText(appendText(b, s.XListType), s.XMapType), s.XListMapKeys)
}

func appendText(b []byte, text *string) []byte {
	if text == nil {
		return append(b, 0)
	}
	return appendString(append(b, 1), *text)
}

func appendRule(b []byte, r *apiextensionsv1.ValidationRule) []byte {
	for _, s := range [...]string{r.Rule, r.Message, r.MessageExpression, r.FieldPath} {
		b = appendString(b, s)
	}
	b = appendText(b, (*string)(r.Reason))
	if r.OptionalOldSelf == nil {
		return append(b, 0)
	}
	return appendBool(append(b, 1), *r.OptionalOldSelf)
}

// appendBranch appends the key of a branch.
func (p *compiledChildren) appendBranch(b []byte, s *apiextensionsv1.JSONSchemaProps) []byte {
	b = append(b, byte(flagsOf(s)))
	b = appendString(b, s.Type)
	b = appendStrings(b, p.names)
	for _, c := range p.branches {
		b = appendUint(b, uint64(c.id))
	}
	b = appendUint(b, branchID(p.branchItems))
	b = appendUint(b, branchID(p.branchAdditional))
	b = appendUint(b, limitsID(p.limits))
	return appendJunctors(b, p.junctors)
}
