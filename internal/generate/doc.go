// Package generate generates objects for the schemas of definitions. The tests
// of this module and package conversiontest use it.
//
// # Semantics
//
// A [Generator] generates objects of four classes: valid, valid with values at
// limits, with a single fault, and hostile. The class is not guaranteed: a rule
// in CEL, or a pattern that the generator cannot solve, may refuse an object
// that should be valid. The same random source gives the same objects. [Mutate]
// changes an object a little, as an update would.
//
// Values are those that the decoder of apimachinery returns. A number without
// fraction and exponent that fits int64 is an int64, every other number a
// float64.
//
// # Differences from Kubernetes
//
// None: the server does not generate objects.
//
// # Concurrency and ownership
//
// A Generator is safe for concurrent use, a random source is not. Objects
// belong to the caller.
package generate
