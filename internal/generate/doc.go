// Package generate makes objects up for the schemas of definitions. It serves
// the tests of this module, through crdtest, and package conversiontest.
//
// # Semantics
//
// A [Generator] makes objects of four classes: valid ones, valid ones with
// limits hit exactly, ones with a single fault, and hostile ones. It aims well
// and does not promise: a rule written in CEL, or a pattern it cannot solve, may
// refuse an object meant to be valid. The same random source gives the same
// objects. [Mutate] changes an object a little, as an update would.
//
// Values are what apimachinery's decoder makes. A number without fraction and
// exponent that fits int64 is an int64, every other number a float64.
//
// # Differences from Kubernetes
//
// None; the server makes no objects up.
//
// # Concurrency and ownership
//
// A Generator is safe for concurrent use, a random source is not. Objects
// belong to the caller.
package generate
