package schema

// A Bound is the minimum or maximum of a number. The zero Bound is no bound.
type Bound struct {
	Value     float64
	Set       bool
	Exclusive bool // the bound itself is not allowed
}

// A Count bounds a length, a number of items or a number of properties. The
// zero Count is no bound.
type Count struct {
	N   int64 // runes, items or properties; may be negative, as declared
	Set bool
}

// Limits are the value validations of a schema, without its type, its children
// and its junctors. The zero Limits constrain nothing.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation.
type Limits struct {
	Format  string // as declared, even if the server does not know it
	Pattern string // regular expression (RE2) that matches any part of the value

	Minimum    Bound
	Maximum    Bound
	MultipleOf Bound // Exclusive is not used

	MinLength, MaxLength         Count // runes
	MinItems, MaxItems           Count // items
	MinProperties, MaxProperties Count // properties

	UniqueItems bool

	// Enum has the allowed values, decoded as objects are. Read only.
	Enum []any
	// Required has the names of required properties in the order of the schema.
	// Read only.
	Required []string
}
