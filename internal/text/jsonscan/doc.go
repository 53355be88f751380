// Package jsonscan reads and writes JSON text without a decoder. It finds tokens in
// the text and makes values only on request.
//
//	i := jsonscan.Space(text, 0)
//	end := jsonscan.Skip(text, i)                    // the end of the value at i
//	name, ok := jsonscan.Lookup(text, "metadata", "name") // the text of a member
//	v, ok := jsonscan.Decode(text)
//	text, ok = jsonscan.Append(nil, v)
//
// Numbers decode as in apimachinery: to an int64 if the text has no fraction or exponent and the
// number fits, and otherwise to a float64. The package writes values exactly as encoding/json does:
// it sorts keys, escapes HTML characters and writes floats in the form of ECMAScript.
//
// The package is for fast paths, whose callers can use a decoder instead. Functions decline a text
// by returning -1 or false. They decline text that is not JSON, and also
//
//   - strings that are not UTF-8, and escapes of half a surrogate pair, because a decoder replaces
//     both;
//   - objects with a repeated key;
//   - numbers that do not fit a float64;
//   - values nested deeper than [MaxDepth].
//
// [Skip], [Lookup] and [Decode] accept more; their comments say what.
//
// The functions may be called by several goroutines. A decoded value may share memory with the
// text.
package jsonscan
