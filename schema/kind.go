package schema

import "slices"

// A Kind is the declared type of a schema.
type Kind uint8

const (
	// KindNone is the kind of a schema without a type, such as an int-or-string
	// or a value whose unknown fields are preserved.
	KindNone Kind = iota
	KindObject
	KindArray
	KindString
	KindInteger
	KindNumber
	KindBoolean
	// KindOther is the kind of a schema with a type of another name. Such a
	// schema is structural, but no value has its type.
	KindOther
)

var kindNames = [...]string{"", "object", "array", "string", "integer", "number", "boolean"}

// String returns the name of the type as a schema writes it, "" for [KindNone]
// and "other" for [KindOther].
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "other"
}

func kindOf(typ string) Kind {
	if i := slices.Index(kindNames[:], typ); i >= 0 {
		return Kind(i)
	}
	return KindOther
}
