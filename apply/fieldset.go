package apply

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// A fieldSet is a set of fields in the form of fieldsV1: a member for every element of a
// path. A field without fields below it is {}, and . says that a field with others below
// it is in the set itself.
type fieldSet = map[string]any

// Prefixes of the names in field sets, and the name of the field itself.
const (
	fieldPrefix = "f:"
	keyPrefix   = "k:"
	valuePrefix = "v:"
	self        = "."
)

// sortedKeys returns the keys of a list in increasing order of name.
func sortedKeys(names []string, item *schema.Map) []listKey {
	var out []listKey
	for _, name := range slices.Sorted(slices.Values(names)) {
		field, _ := item.FindField(name)
		if f, ok := field.Default.(float64); ok && jsonscan.IsIntegral(f) && math.Abs(f) < 1<<53 {
			field.Default = int64(f) // the schema was read without integers
		}
		out = append(out, listKey{name, field.Default})
	}
	return out
}

// index returns the positions of the items of a list of type map or set by the names that
// they have in field sets. It reports false if two items have the same name, and for items
// whose names it does not write as structured-merge-diff does.
func (l *listAtom) index(items []any) (map[string]int, bool) {
	if len(items) == 0 {
		return nil, true
	}
	out := make(map[string]int, len(items))
	buf := make([]byte, 0, 64)
	for i, item := range items {
		var ok bool
		if buf, ok = l.appendName(buf[:0], item); !ok {
			return nil, false
		}
		if _, twice := out[string(buf)]; twice {
			return nil, false
		}
		out[string(buf)] = i
	}
	return out, true
}

// appendName appends the name of an item in field sets.
func (l *listAtom) appendName(dst []byte, item any) ([]byte, bool) {
	if len(l.keys) == 0 {
		return appendKeyValue(append(dst, valuePrefix...), item)
	}
	object, ok := item.(map[string]any)
	if !ok {
		return dst, false
	}
	dst = append(dst, keyPrefix+"{"...)
	first := true
	for _, key := range l.keys {
		value, found := object[key.name]
		if !found {
			if value = key.defaultValue; value == nil {
				continue
			}
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if dst, ok = appendUnescaped(dst, key.name); !ok {
			return dst, false
		}
		if dst, ok = appendKeyValue(append(dst, ':'), value); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), !first
}

// appendKeyValue appends a scalar as field sets have it.
func appendKeyValue(dst []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		return appendUnescaped(dst, v)
	case bool:
		return strconv.AppendBool(dst, v), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	}
	return dst, false
}

// appendUnescaped appends a string that JSON encoders write without escapes.
func appendUnescaped(dst []byte, s string) ([]byte, bool) {
	if !isUnescaped(s) {
		return dst, false
	}
	return append(append(append(dst, '"'), s...), '"'), true
}

func isUnescaped(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// below returns the fields below a field.
func below(set fieldSet, name string) fieldSet {
	out, _ := set[name].(map[string]any)
	return out
}

// isMember reports whether a field itself is in a set of which it has the part below it.
func isMember(part fieldSet) bool {
	if len(part) == 0 {
		return true
	}
	_, ok := part[self]
	return ok
}

// withSelf returns the part of a set for a field: what is below it, and the field itself
// if member is set. It is nil if there is neither, and may be below.
func withSelf(below fieldSet, member bool) fieldSet {
	switch {
	case len(below) == 0 && !member:
		return nil
	case len(below) == 0:
		return fieldSet{}
	case member:
		below[self] = fieldSet{}
	}
	return below
}

// isCanonical reports whether structured-merge-diff reads the set and writes it as it is.
func isCanonical(set fieldSet, depth int) bool {
	if depth > maxDepth || depth == 0 && (len(set) == 0 || isMember(set)) {
		return false
	}
	for name, v := range set {
		part, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if name == self {
			if len(part) > 0 || len(set) == 1 {
				return false
			}
			continue
		}
		if !isCanonicalName(name) || !isCanonical(part, depth+1) {
			return false
		}
	}
	return true
}

func isCanonicalName(name string) bool {
	switch {
	case strings.HasPrefix(name, fieldPrefix):
		return true
	case strings.HasPrefix(name, keyPrefix):
		v, ok := jsonscan.Decode(name[len(keyPrefix):])
		object, isObject := v.(map[string]any)
		if !ok || !isObject {
			return false
		}
		l := &listAtom{}
		for key := range object {
			l.keys = append(l.keys, listKey{name: key})
		}
		slices.SortFunc(l.keys, func(a, b listKey) int { return strings.Compare(a.name, b.name) })
		again, ok := l.appendName(nil, object)
		return ok && len(object) > 0 && string(again) == name
	case strings.HasPrefix(name, valuePrefix):
		v, ok := jsonscan.Decode(name[len(valuePrefix):])
		if !ok {
			return false
		}
		again, ok := appendKeyValue(nil, v)
		return ok && string(again) == name[len(valuePrefix):]
	}
	return false
}

// covers reports whether all fields of part are in set.
func covers(set, part fieldSet) bool {
	for name := range part {
		if name == self {
			continue // the caller compares the field itself
		}
		theirs, ok := set[name].(map[string]any)
		if !ok {
			return false
		}
		ours := below(part, name)
		if isMember(ours) && !isMember(theirs) || !covers(theirs, ours) {
			return false
		}
	}
	return true
}

// intersect returns the fields that are in both sets, nil for none.
func intersect(a, b fieldSet) fieldSet {
	var out fieldSet
	for name := range a {
		theirs, ok := b[name].(map[string]any)
		if name == self || !ok {
			continue
		}
		ours := below(a, name)
		if part := withSelf(intersect(ours, theirs), isMember(ours) && isMember(theirs)); part != nil {
			if out == nil {
				out = fieldSet{}
			}
			out[name] = part
		}
	}
	return out
}

// subtract returns the fields of a that are not in b.
func subtract(a, b fieldSet) fieldSet {
	out := fieldSet{}
	for name := range a {
		if name == self {
			continue
		}
		ours := below(a, name)
		theirs, found := b[name].(map[string]any)
		if part := withSelf(subtract(ours, theirs), isMember(ours) && !(found && isMember(theirs))); part != nil {
			out[name] = part
		}
	}
	return out
}

// keeps reports whether structured-merge-diff leaves a set as it is when it looks for
// values that have become atomic since the set was written.
func (a *atom) keeps(set fieldSet) bool {
	switch {
	case a.object != nil:
		return a.object.anything || a.object.keeps(set)
	case a.scalar != "":
		return true
	case a.list != nil:
		return a.list.keeps(set)
	}
	return false
}

func (o *objectAtom) keeps(set fieldSet) bool {
	if o.atomic {
		return len(set) == 0
	}
	for name := range set {
		if name == self {
			continue
		}
		if !strings.HasPrefix(name, fieldPrefix) {
			return false
		}
		if a, _ := o.member(name[len(fieldPrefix):]); a != nil && !a.keeps(below(set, name)) {
			return false
		}
	}
	return true
}

func (l *listAtom) keeps(set fieldSet) bool {
	if l.atomic {
		return len(set) == 0
	}
	for name := range set {
		if name != self && !l.items.keeps(below(set, name)) {
			return false
		}
	}
	return true
}
