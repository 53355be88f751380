package leafcheck

import (
	"github.com/crdkit/crdkit/internal/jsonval"
)

// List has the checks of lists apart from type, enum and elements.
//
// Scalar elements of a set are equal if they are equal Go values: int64(1) and
// float64(1) differ, and null equals null. Objects and lists are equal if their
// JSON texts are.
//
// Elements of a list of type map are equal if their keys are. All elements must
// be objects or null; null has no keys. A single key is compared like an
// element of a set, where an absent key equals only an absent key. Several keys
// are compared by the JSON text of the object of those that are present. If the
// schema declares no keys, all elements are equal.
type List struct {
	Size
	Unique bool // uniqueItems: jsonval.Equal compares the elements
	Kind   ListKind
	Keys   []string // of a MapList

	hasher hasher
}

// A ListKind is the x-kubernetes-list-type of a list, with one value for all
// types that admit equal elements.
type ListKind uint8

const (
	AnyList ListKind = iota
	SetList
	MapList
)

// Valid reports whether list passes all checks.
func (l *List) Valid(list []any) bool {
	return l.Allows(len(list)) && (!l.Unique || !HasEqual(list)) && l.Distinct(list)
}

// HasEqual reports whether two elements are equal values of the same Go types.
func HasEqual(list []any) bool {
	for i, v := range list {
		for _, u := range list[:i] {
			if jsonval.Equal(v, u) {
				return true
			}
		}
	}
	return false
}

// Distinct reports whether the elements conform to the list type. It does not
// allocate for lists of up to 256 elements.
func (l *List) Distinct(list []any) bool {
	switch l.Kind {
	case SetList:
		return len(list) <= 1 || l.distinctSet(list)
	case MapList:
		return onlyObjects(list) && (len(list) <= 1 || l.distinctMap(list))
	}
	return true
}

func onlyObjects(list []any) bool {
	for _, v := range list {
		switch v.(type) {
		case map[string]any, nil:
		default:
			return false
		}
	}
	return true
}

// pairwise is the largest number of elements that are compared pairwise. The
// elements of longer lists are hashed.
const pairwise = 12

func (l *List) distinctSet(list []any) bool {
	if len(list) > pairwise {
		return l.distinctHashed(list)
	}
	for i, v := range list {
		if s, ok := v.(string); ok {
			if hasString(list[:i], s) {
				return false
			}
			continue
		}
		for _, u := range list[:i] {
			if sameElement(v, u) {
				return false
			}
		}
	}
	return true
}

func hasString(list []any, s string) bool {
	for _, u := range list {
		if t, ok := u.(string); ok && t == s {
			return true
		}
	}
	return false
}

// distinctMap reads the keys of each element of a short list once and compares
// them pairwise.
func (l *List) distinctMap(list []any) bool {
	if len(l.Keys) == 0 {
		return false
	}
	var buf [4 * pairwise]any
	width := len(l.Keys)
	if len(list) > pairwise || len(list)*width > len(buf) {
		return l.distinctHashed(list)
	}
	for i, v := range list {
		row := buf[i*width : (i+1)*width]
		l.keysOf(v, row)
		for j := range i {
			if l.sameKeys(row, buf[j*width:(j+1)*width]) {
				return false
			}
		}
	}
	return true
}

// absent represents a key that an element does not have.
type absent struct{}

func (l *List) keysOf(element any, row []any) {
	obj, _ := element.(map[string]any)
	for i, k := range l.Keys {
		v, ok := obj[k]
		if !ok {
			v = absent{}
		}
		row[i] = v
	}
}

func (l *List) sameKeys(a, b []any) bool {
	if len(a) == 1 {
		return sameElement(a[0], b[0])
	}
	for i := range a {
		if !sameText(a[i], b[i]) {
			return false
		}
	}
	return true
}

// same reports whether two elements are equal.
func (l *List) same(a, b any) bool {
	if l.Kind == SetList {
		return sameElement(a, b)
	}
	x, _ := a.(map[string]any)
	y, _ := b.(map[string]any)
	for _, k := range l.Keys {
		v, inX := x[k]
		w, inY := y[k]
		if inX != inY {
			return false
		}
		if inX && (len(l.Keys) == 1 && !sameElement(v, w) || len(l.Keys) > 1 && !sameText(v, w)) {
			return false
		}
	}
	return true
}

func (l *List) hash(element any) uint64 {
	if l.Kind == SetList {
		return l.hasher.hashValue(element)
	}
	obj, _ := element.(map[string]any)
	var sum uint64
	for _, k := range l.Keys {
		v, ok := obj[k]
		if !ok {
			v = absent{}
		}
		sum = sum*multiplier + l.hasher.hashValue(v)
	}
	return sum
}

// distinctHashed inserts the elements into an open hash table.
func (l *List) distinctHashed(list []any) bool {
	var small [512]slot
	table := small[:]
	if 2*len(list) > len(table) {
		size := len(table)
		for size < 2*len(list) {
			size *= 2
		}
		table = make([]slot, size)
	}
	mask := uint64(len(table) - 1)
	for i, v := range list {
		h := l.hash(v)
		at := h & mask
		for table[at].number != 0 {
			if s := table[at]; s.hash == uint32(h>>32) && l.same(v, list[s.number-1]) {
				return false
			}
			at = (at + 1) & mask
		}
		table[at] = slot{hash: uint32(h >> 32), number: uint32(i + 1)}
	}
	return true
}

// A slot of the hash table has the number of an element, starting at 1, or 0 if
// it is free.
type slot struct{ hash, number uint32 }
