// Package celvalue presents raw values of an object as CEL values.
//
// A [DeclaredType] describes the values of a schema. [DeclaredType.Value] wraps a raw value without
// a copy: fields are looked up and converted when a rule reads them. A raw value that does not
// match its declared type becomes an error value. Rules run on objects that passed validation, but
// validation admits a few values that rules do not, such as 1.0 for an integer.
//
//	declared := make(celvalue.Types).Of(node, true) // true: the root of an object
//	self := declared.Value(obj)                     // a value of cel-go
//
// The other methods of a DeclaredType are for package celeval, which reads raw values without
// wrapping them.
//
// Lists of type set and map compare without order, and + merges them. Null fields are absent.
// Fields that no schema declares are invisible, but count for the size.
package celvalue
