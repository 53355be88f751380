// Package nameindex finds a name in a fixed list of names, such as the fields
// of a schema.
//
// A walk over an object looks up every field in the schema. A Go map takes about
// 15 ns for a lookup, mostly to hash the whole name and to call a function that
// compares it. An [Index] hashes only the first and the last eight bytes and the
// length. These determine a name of up to sixteen bytes, so most names need no
// other comparison.
//
//	index := nameindex.New([]string{"apiVersion", "kind", "metadata"})
//	i := index.Find("kind") // 1; -1 for a name that is not in the list
//
// # Worst cases
//
// Names with the same hash are compared one by one. If more than a few names
// have the same hash, the Index uses a Go map instead, so no choice of names
// makes it slow. TestNewSelectsMap pins this choice.
//
// # Concurrency and ownership
//
// An [Index] never changes and is safe for concurrent use. It keeps references to
// the strings of the list, but not to the list. [Index.Find] does not allocate.
package nameindex
