// Package nameindex finds a name among those that were known beforehand, such as
// the fields of a schema.
//
// A walk through an object asks of every field whether the schema declares it.
// A Go map answers in some 15 ns, most of which goes into a hash of the whole
// name and a call to compare it. An [Index] looks at the first and the last
// eight bytes instead. Of a name of up to sixteen bytes, as most are, that is
// all there is, so that the same two words serve as hash and as comparison.
//
// # Worst cases
//
// Names that agree in length and in both ends, or that happen to share a place
// of the table, are compared one by one. An Index whose names would need more
// than a few comparisons is a Go map after all, so that no choice of names
// makes it slow.
//
// # Concurrency and ownership
//
// An [Index] never changes and is safe for concurrent use. It keeps the
// strings it is made of. Neither making sense of a name nor finding it
// allocates.
package nameindex
