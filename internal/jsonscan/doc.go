// Package jsonscan reads and writes JSON text without a decoder: it finds tokens in
// the text and makes values only on request.
//
//	i := jsonscan.Space(text, 0)
//	end := jsonscan.Skip(text, i)                    // the end of the value at i
//	name, ok := jsonscan.Lookup(text, "metadata", "name") // the text of a member
//	v, ok := jsonscan.Decode(text)
//	text, ok = jsonscan.Append(nil, v)
//
// [String], [Number], [Literal] and [Space] find the end of a token, [Decode] makes
// a value, [Lookup] finds one, and [Append] and its parts write values.
//
// # Semantics
//
// A number is what apimachinery decodes it to: an int64 if its text has neither
// fraction nor exponent and fits, and a float64 otherwise. Values are written
// exactly as encoding/json writes them: keys are sorted, HTML characters are escaped,
// and floats have the form of ECMAScript. Tests and fuzz targets compare both with
// encoding/json and apimachinery.
//
// # What the package declines
//
// The package serves fast paths. Their callers fall back to a decoder, so that the
// package may decline valid text. Besides text that is not JSON it declines
//
//   - strings that are not UTF-8, and escapes of half a surrogate pair, both of which
//     a decoder replaces;
//   - objects with a key that is repeated or written with an escape;
//   - numbers that do not fit a float64;
//   - values nested deeper than [MaxDepth].
//
// # Concurrency and ownership
//
// All functions are pure. Texts are strings, so that a part of a text needs no copy. A
// decoded value may keep the text in memory.
package jsonscan
