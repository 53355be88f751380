package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Hash-consing. Generated schemas repeat themselves: the definition of
// Prometheus has about 2,000 places and a tenth as many different schemas. A
// node is looked up by a key that spells out everything it is, with children
// replaced by their numbers; as the tree is built from the leaves, equal
// subtrees have equal numbers by then and equal keys follow.

type interner struct {
	share   bool
	nodes   int
	ids     uint32
	byKey   map[string]*Node
	byText  map[string]*Branch
	byLimit map[string]*Limits
	buf     []byte
}

func newInterner(share bool) *interner {
	return &interner{
		share:   share,
		byKey:   make(map[string]*Node),
		byText:  make(map[string]*Branch),
		byLimit: make(map[string]*Limits),
	}
}

func (in *interner) node(n *Node) *Node {
	if in.share {
		in.buf = n.appendKey(in.buf[:0])
		if old, ok := in.byKey[string(in.buf)]; ok {
			return old
		}
		in.byKey[string(in.buf)] = n
	}
	in.ids++
	n.id = in.ids
	in.nodes++
	return n
}

func (in *interner) branch(b *Branch) *Branch {
	if in.share {
		in.buf = b.appendKey(in.buf[:0])
		if old, ok := in.byText[string(in.buf)]; ok {
			return old
		}
		in.byText[string(in.buf)] = b
	}
	in.ids++
	b.id = in.ids
	return b
}

// limits returns nil for limits that limit nothing.
func (in *interner) limits(l *Limits) *Limits {
	in.buf = appendLimits(in.buf[:0], l)
	if string(in.buf) == noLimits {
		return nil
	}
	if !in.share {
		return l
	}
	if old, ok := in.byLimit[string(in.buf)]; ok {
		return old
	}
	in.byLimit[string(in.buf)] = l
	return l
}

// Keys are made of fields with their lengths, so that no two different nodes
// have the same one.

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

// appendValue tells int64(1) from float64(1), which encoding/json does not.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 0)
	case bool:
		return appendBool(append(b, 1), v)
	case int64:
		return appendUint(append(b, 2), uint64(v))
	case float64:
		return appendUint(append(b, 3), math.Float64bits(v))
	case string:
		return appendString(append(b, 4), v)
	case []any:
		b = appendUint(append(b, 5), uint64(len(v)))
		for _, e := range v {
			b = appendValue(b, e)
		}
		return b
	case map[string]any:
		b = appendUint(append(b, 6), uint64(len(v)))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b = appendValue(appendString(b, k), v[k])
		}
		return b
	default:
		text, err := json.Marshal(v)
		if err != nil {
			text = fmt.Appendf(nil, "%#v", v)
		}
		return appendString(append(b, 7), string(text))
	}
}

var noLimits = string(appendLimits(nil, &Limits{}))

func appendLimits(b []byte, l *Limits) []byte {
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
	b = appendUint(b, uint64(len(l.Enum)))
	for _, e := range l.Enum {
		b = appendValue(b, e)
	}
	return b
}

func appendLimitsOrNone(b []byte, l *Limits) []byte {
	if l == nil {
		return append(b, 0)
	}
	return appendLimits(append(b, 1), l)
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
	if j.not == nil {
		return append(b, 0)
	}
	return appendUint(b, uint64(j.not.id))
}

func nodeID(n *Node) uint64 {
	if n == nil {
		return 0
	}
	return uint64(n.id)
}

func (n *Node) appendKey(b []byte) []byte {
	b = append(b, byte(n.flags), byte(n.flags>>8))
	b = appendString(b, n.typ)
	b = appendStrings(b, n.names)
	for _, p := range n.props {
		b = appendUint(b, uint64(p.id))
	}
	b = appendUint(b, nodeID(n.items))
	b = appendUint(b, nodeID(n.additional))
	b = appendLimitsOrNone(b, n.limits)
	b = appendJunctors(b, n.junctors)
	b = appendExtension(b, n.extension)
	b = appendUint(b, uint64(len(n.rules)))
	for i := range n.rules {
		b = appendRule(b, &n.rules[i])
	}
	return appendValue(b, n.def)
}

func appendExtension(b []byte, x *extension) []byte {
	if x == nil {
		return append(b, 0)
	}
	b = appendBool(append(b, 1), x.setListType)
	b = appendString(b, x.listType)
	b = appendBool(b, x.setMapType)
	b = appendString(b, x.mapType)
	return appendStrings(b, x.listMapKeys)
}

func appendRule(b []byte, r *Rule) []byte {
	for _, s := range [...]string{r.Rule, r.Message, r.MessageExpression, r.Reason, r.FieldPath} {
		b = appendString(b, s)
	}
	return appendBool(appendBool(b, r.OptionalOldSelf), r.SetOptionalOldSelf)
}

func (n *Branch) appendKey(b []byte) []byte {
	b = append(b, byte(n.kind))
	b = appendStrings(b, n.names)
	for _, p := range n.props {
		b = appendUint(b, uint64(p.id))
	}
	if n.items == nil {
		b = append(b, 0)
	} else {
		b = appendUint(b, uint64(n.items.id))
	}
	b = appendLimitsOrNone(b, n.limits)
	return appendJunctors(b, n.junctors)
}
