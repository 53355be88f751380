// Package nameindex finds a name in a fixed list of names, such as the fields
// of a schema.
//
// A walk over an object looks up every field in the schema. A Go map takes about
// 15 ns for that, mostly to hash the whole name and to call a function that
// compares it. An [Index] uses only the first and the last eight bytes. Names of
// up to sixteen bytes, which is most of them, are determined by these two words
// and the length, so the words serve both as hash and for the comparison.
//
// # Worst cases
//
// Names with the same hash are compared one by one. If more than a few names
// have the same hash, the Index uses a Go map instead, so no choice of names
// makes it slow. TestNewSelectsMap pins when.
//
// # Concurrency and ownership
//
// An [Index] never changes and is safe for concurrent use. It keeps the strings
// of the list. [Index.Find] does not allocate.
package nameindex
