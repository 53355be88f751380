// Package testopt holds the options that only the tests of this module pass to
// its public packages. They select the reference implementation of a rule, so
// that a test can compare it with the fast one. The results are the same.
//
// An option interface of a public package has one method, which takes a
// [Sealed]. Other modules cannot name that type, so they can neither implement
// the interface nor pass an option of this package.
package testopt

import "sync/atomic"

// Sealed is the parameter of the method of every option interface.
type Sealed struct{}

// Reference selects the reference implementation. It is an option of validation/cel.
type Reference struct{}

// CELOption makes Reference an option of package validation/cel.
func (Reference) CELOption(Sealed) {}

// Evaluations is an option of validation/cel that counts the evaluations of a
// program. It is safe for concurrent use.
type Evaluations struct {
	All  atomic.Int64
	Fast atomic.Int64 // those that ended on the executor
}

// CELOption makes *Evaluations an option of package validation/cel.
func (*Evaluations) CELOption(Sealed) {}

// Unshared makes package schema build a node for every location in a schema, so
// that equal schemas do not share one.
type Unshared struct{}

// SchemaOption makes Unshared an option of package schema.
func (Unshared) SchemaOption(Sealed) {}
