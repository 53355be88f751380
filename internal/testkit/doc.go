// Package testkit supports the tests of this module: it finds definitions and
// objects, makes objects up, and runs txtar files. Nothing but tests and the
// comparison programs under internal/oracle imports it.
//
// # The corpus
//
// [LoadCorpus] reads a directory of real definitions and the objects written
// for them. Its layout is crds/**.yaml, one definition a file, and
// samples/**.yaml, one object a file; objects belong to the definition of the
// same group and kind. [CorpusDir] says where it is: the directory that the
// environment variable CRDKIT_CORPUS names, or else shared/corpus beside the
// module root. Tests skip with a message if it is absent; [LoadTestdata] reads
// the definitions kept in this repository and is always there.
//
// # Values
//
// Objects hold what apimachinery's decoder makes: map[string]any, []any,
// string, bool, nil, int64 and float64. A number without fraction and exponent
// that fits int64 is an int64, every other number a float64, so that 1.0 is a
// float64 ([Decode]). [Encode] writes an object so that the two can be told
// apart again, which encoding/json does not do.
//
// # Generated objects
//
// A [Generator] makes objects for a schema, of four classes: valid ones,
// valid ones with limits hit exactly, ones with a single fault, and hostile
// ones. It aims well and does not promise: a rule written in CEL, or a pattern
// it cannot solve, may refuse an object meant to be valid. The tests that use
// it have an oracle and need no promise. The same random source gives the same
// objects. [Mutate] changes an object a little, as an update would.
//
// # Behaviour in files
//
// [RunTxtar] runs a test over testdata/*.txtar, one behaviour a file. The text
// before the first section states the rule and links to it. The flag -update
// rewrites the sections that say what is wanted.
package testkit
