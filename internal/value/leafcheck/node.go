package leafcheck

import (
	"slices"
	"strings"
)

// A Node is a compiled schema: structural, or a branch of allOf, anyOf, oneOf or not. A nil Node
// admits every value.
//
// Exported fields have everything that the schema declares. The other fields leave out checks that
// can refuse no value.
type Node struct {
	Accept  Mask // kinds that the type admits
	limited Mask // kinds that Number can refuse

	Text   *Text     // nil if there are no checks of strings
	Enum   *Enum     // nil if there is none
	fields *Fields   // nil if no object is refused
	Nested *Junctors // nil if there are none
	items  *Node     // nil if no element is refused
	List   *List     // nil if there are no checks of lists besides Items
	Number *Number   // nil if there are no limits and the type admits every number

	Type   *Type   // Accept is its mask
	Fields *Fields // never nil
	Items  *Node   // nil if items are not declared

	// HasLists reports whether a list type of set or map is declared here or below.
	HasLists bool
}

func (n *Node) admitsAll() bool {
	return n.Accept == All && n.Text == nil && n.Enum == nil && n.fields == nil &&
		n.Nested == nil && n.items == nil && n.List == nil && n.Number == nil
}

func (n *Node) AdmitsObjects() bool {
	return n == nil || n.Accept&Object != 0 && n.Enum == nil && n.fields == nil && n.Nested == nil
}

// Junctors are the branches of allOf, anyOf, oneOf and not. They do not apply to null.
type Junctors struct {
	AnyOf, OneOf, AllOf []*Node // each nil if there are none; no element is nil
	Not                 *Node   // nil if there is none
}

func (n *Node) orNilIfAdmitsAll() *Node {
	if n == nil || n.admitsAll() {
		return nil
	}
	return n
}

// Important begins the name of a property whose errors the server reports from every failing
// branch. The server reports other errors from only one branch.
const Important = "IMPORTANT!"

// ReportsFromAllBranches reports whether the name of a property of n is empty or begins with
// [Important].
func (n *Node) ReportsFromAllBranches() bool {
	return n != nil && slices.ContainsFunc(n.Fields.Props, func(p Prop) bool {
		return p.Name == "" || strings.HasPrefix(p.Name, Important)
	})
}

func (n *Node) Valid(v any) bool {
	if n == nil {
		return true
	}
	switch t := v.(type) {
	case string:
		if !n.validString(t) {
			return false
		}
	case map[string]any:
		if n.Accept&Object == 0 || n.fields != nil && !n.fields.valid(t) || n.Enum != nil && !n.Enum.Valid(v) {
			return false
		}
	case []any:
		if n.Accept&Array == 0 || !n.validList(t) || n.Enum != nil && !n.Enum.Valid(v) {
			return false
		}
	case int64:
		if !n.validInt(t) {
			return false
		}
	case bool:
		if n.Accept&Bool == 0 || n.Enum != nil && !n.Enum.ValidBool(t) {
			return false
		}
	case float64:
		if !n.validFloat(t) {
			return false
		}
	case nil:
		return n.Accept&Null != 0 && n.Enum == nil // no other check applies to null
	default:
		if n.Accept&Other == 0 || n.Enum != nil {
			return false
		}
	}
	return n.Nested == nil || n.Nested.Valid(v)
}

// ValidString is Valid for a string. It avoids an interface value, which may allocate.
func (n *Node) ValidString(s string) bool {
	return n == nil || n.validString(s) && (n.Nested == nil || satisfied(n.Nested, (*Node).ValidString, s))
}

// validString is ValidString without n.Nested.
func (n *Node) validString(s string) bool {
	return n.Accept&String != 0 && (n.Text == nil || n.Text.Valid(s)) && (n.Enum == nil || n.Enum.ValidString(s))
}

// ValidInt is Valid for an int64. It makes an interface value only for junctors.
func (n *Node) ValidInt(v int64) bool {
	return n == nil || n.validInt(v) && (n.Nested == nil || n.Nested.Valid(v))
}

// validInt is ValidInt without the junctors.
func (n *Node) validInt(v int64) bool {
	return n.Accept&Int != 0 && (n.limited&Int == 0 || n.Number.ValidInt(v)) && (n.Enum == nil || n.Enum.ValidInt(v))
}

func (n *Node) validFloat(f float64) bool {
	switch n.Accept & Float {
	case 0:
		return false
	case Whole:
		if !IsWhole(f) {
			return false
		}
	}
	return (n.limited&Float == 0 || n.Number.ValidFloat(f)) && (n.Enum == nil || n.Enum.ValidFloat(f))
}

func (n *Node) validList(list []any) bool {
	if n.items != nil {
		for _, v := range list {
			if !n.items.Valid(v) {
				return false
			}
		}
	}
	return n.List == nil || n.List.Valid(list)
}

// Valid reports whether v satisfies the junctors. v must not be null.
func (j *Junctors) Valid(v any) bool { return satisfied(j, (*Node).Valid, v) }

func satisfied[T any](j *Junctors, valid func(*Node, T) bool, v T) bool {
	for _, b := range j.AllOf {
		if !valid(b, v) {
			return false
		}
	}
	return (j.AnyOf == nil || admitting(j.AnyOf, valid, v, 1) == 1) &&
		(j.OneOf == nil || admitting(j.OneOf, valid, v, 2) == 1) && (j.Not == nil || !valid(j.Not, v))
}

// admitting counts the branches that admit v, up to limit.
func admitting[T any](branches []*Node, valid func(*Node, T) bool, v T, limit int) int {
	n := 0
	for _, b := range branches {
		if valid(b, v) {
			if n++; n == limit {
				break
			}
		}
	}
	return n
}

// AlwaysValid returns kinds of scalars that need no check besides n.Accept. It may leave out some
// of these kinds. It has both Whole and Fraction, or neither.
func (n *Node) AlwaysValid() Mask {
	if n == nil {
		return All
	}
	if n.Enum != nil {
		return 0
	}
	free := Null | Bool | (Int|Float)&^n.limited
	if n.Text == nil {
		free |= String
	}
	if n.Nested == nil {
		return free
	}
	for _, kind := range [...]Mask{Bool, Int, Float, String} {
		if !n.Nested.admitsKind(kind) {
			free &^= kind
		}
	}
	return free
}

// admitsKind reports whether the branches certainly admit every scalar of the kind.
func (j *Junctors) admitsKind(kind Mask) bool {
	for _, b := range j.AllOf {
		if !b.admitsKind(kind) {
			return false
		}
	}
	any := len(j.AnyOf) == 0
	for _, b := range j.AnyOf {
		any = any || b.admitsKind(kind)
	}
	return any && len(j.OneOf) == 0 && j.Not == nil
}

func (n *Node) admitsKind(kind Mask) bool { return n.Accept&n.AlwaysValid()&kind == kind }

// ChecksWhole reports whether n has checks for [Node.ValidWhole].
func (n *Node) ChecksWhole() bool { return n.Enum != nil || n.Nested != nil }

// ValidWhole reports whether v satisfies enum and junctors. v must not be null.
func (n *Node) ValidWhole(v any) bool {
	return (n.Enum == nil || n.Enum.Valid(v)) && (n.Nested == nil || n.Nested.Valid(v))
}
