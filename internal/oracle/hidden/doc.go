// Package hidden reaches functions of upstream that are not exported, by their
// names for the linker. They are needed where upstream's exported functions do
// not let one ask for what a part decides: validation with other options, and
// what controllers write into the status of a definition.
//
// The types here have the layout of upstream's in the version of go.mod.
// TestLayout compares what comes of them with what upstream's exported
// functions say, so that it fails when another version moves a field.
package hidden
