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
	var b strings.Builder
	b.WriteString(`unknown field "`)
	for i, s := range w.steps {
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	if len(w.steps) > 0 {
		b.WriteByte('.')
	}
	b.WriteString(name + `"`)
	w.unknown = append(w.unknown, b.String())
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
