package fastpath

import (
	"slices"
	"strconv"
	"strings"
)

// Unknown says what happens to fields that the schema does not declare.
type Unknown uint8

const (
	RefuseUnknown Unknown = iota // the plan declines the object
	WarnOfUnknown                // they are dropped, with a warning for each
	DropUnknown                  // they are dropped
)

// A step leads from an object or list to a value in it.
type step struct {
	name  string
	index int // of an element of a list, negative for a field
}

// unknownField notes the undeclared field of the open object.
func (w *walk) unknownField(name string) {
	text := append(w.warning[:0], `unknown field "`...)
	for i, s := range w.steps {
		switch {
		case s.index >= 0:
			text = append(strconv.AppendInt(append(text, '['), int64(s.index), 10), ']')
			continue
		case i > 0:
			text = append(text, '.')
		}
		text = append(text, s.name...)
	}
	if len(w.steps) > 0 {
		text = append(text, '.')
	}
	w.warning = append(append(text, name...), '"')
	w.unknown = append(w.unknown, string(w.warning))
}

// warnings returns the warnings about undeclared fields, in the order of their paths, and
// those about finalizers.
func (w *walk) warnings(finalizers []string) []string {
	if len(w.unknown) == 0 {
		return finalizers
	}
	slices.SortFunc(w.unknown, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(a, `"`), strings.TrimSuffix(b, `"`))
	})
	return append(w.unknown, finalizers...)
}
