package schema

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

// String returns the name of the type as a schema writes it, "" for [KindNone]
// and "other" for [KindOther].
func (k Kind) String() string {
	switch k {
	case KindNone:
		return ""
	case KindObject:
		return "object"
	case KindArray:
		return "array"
	case KindString:
		return "string"
	case KindInteger:
		return "integer"
	case KindNumber:
		return "number"
	case KindBoolean:
		return "boolean"
	default:
		return "other"
	}
}

func kindOf(typ string) Kind {
	switch typ {
	case "":
		return KindNone
	case "object":
		return KindObject
	case "array":
		return KindArray
	case "string":
		return KindString
	case "integer":
		return KindInteger
	case "number":
		return KindNumber
	case "boolean":
		return KindBoolean
	default:
		return KindOther
	}
}
