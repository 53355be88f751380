// Package testkit supports the tests of this module: it finds definitions and
// objects, changes objects, and runs txtar files. Only tests and the comparison
// programs in internal/oracle import it.
//
// # The corpus
//
// [LoadCorpus] reads a directory of real definitions and objects. Its layout is
// crds/**.yaml with one definition per file, and samples/**.yaml with one object
// per file. An object belongs to the definition of the same group and kind.
// [CorpusDir] returns the directory: the value of the environment variable
// CRDKIT_CORPUS, or shared/corpus beside the module root. Tests skip with a
// message if it does not exist. [LoadTestdata] reads the definitions in this
// repository, which always exist.
//
// # Values
//
// Objects consist of the values that the decoder of apimachinery returns:
// map[string]any, []any, string, bool, nil, int64 and float64. A number without
// fraction and exponent that fits int64 is an int64, every other number a
// float64, so 1.0 is a float64. [Encode] writes the two in different forms, which
// encoding/json does not.
//
// # Changed objects
//
// [Mutate] changes an object a little, as an update would. [AddFault] makes it invalid, and
// [Damage] adds what no schema expects. The same random source gives the same objects.
// Package generate generates whole objects.
//
// # Behaviour in files
//
// [RunTxtar] runs a test over testdata/*.txtar, with one behaviour per file. The
// text before the first section states the rule and links to it. The flag -update
// rewrites the sections with wanted results.
package testkit
