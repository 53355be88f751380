// Package hidden calls functions of upstream that are not exported, by their linker
// names. Upstream has no exported functions for two results that the tests need:
// validation with other options, and the status that controllers write to a
// definition.
//
// The types here have the layout of upstream's types in the version of go.mod.
// TestLayout compares the results with those of upstream's exported functions, so
// that it fails if another version moves a field.
package hidden
