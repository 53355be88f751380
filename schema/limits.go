package schema

// A Bound is minimum or maximum of a number. The zero Bound is no bound.
type Bound struct {
	Value     float64
	Set       bool
	Exclusive bool // the value itself is outside
}

// A Count is a limit on a length, on items or on properties.
// The zero Count is no limit.
type Count struct {
	N   int64 // runes, items or properties; a schema may declare a negative one
	Set bool
}

// Limits are the value validations of a schema apart from its type, its
// children and its junctors. The zero Limits constrain nothing.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation.
type Limits struct {
	Format  string // as declared, supported by the server or not
	Pattern string // regular expression (RE2), matched anywhere in the value

	Minimum    Bound
	Maximum    Bound
	MultipleOf Bound // only Value and Set are used

	MinLength, MaxLength         Count // runes
	MinItems, MaxItems           Count // items
	MinProperties, MaxProperties Count // properties

	UniqueItems bool

	// Enum holds the allowed values, decoded as objects are. Read only.
	Enum []any
	// Required holds the names of required properties in the order of the
	// schema. Read only.
	Required []string
}
