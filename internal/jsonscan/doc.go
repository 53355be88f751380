// Package jsonscan reads and writes JSON text without going through a decoder:
// the tokens of a text are found in place, and values are made only where
// somebody asks for them.
//
// [String], [Number], [Literal] and [Space] find the end of a token; [Append]
// and its parts write values; [Decode] makes a value; [Lookup] finds one.
//
// # Semantics
//
// Numbers are what apimachinery decodes them to: an int64 if the text has
// neither fraction nor exponent and fits, a float64 otherwise. Values are
// written exactly as encoding/json writes them, that is with sorted keys,
// escaped HTML characters, and floats in the form of ECMAScript. The tests and
// fuzz targets hold both against encoding/json and apimachinery.
//
// # What is not read
//
// The package is for quick paths that have a plain path to go back to, so it
// reads less than it could. Besides text that is not JSON it refuses
//
//   - strings that are not UTF-8, and escapes of half a surrogate pair, both of
//     which a decoder replaces;
//   - objects with a key that is repeated or written with an escape;
//   - numbers that do not fit a float64;
//   - values nested deeper than [MaxDepth].
//
// # Concurrency and ownership
//
// All functions are pure. Texts are strings, so that parts of them can be
// handed on without a copy; a decoded value may keep the text alive.
package jsonscan
