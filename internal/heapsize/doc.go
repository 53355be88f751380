// Package heapsize measures how much heap a value keeps alive.
//
//	m := heapsize.New()
//	m.Add(version)
//	m.Add(other) // what both refer to counts once
//	fmt.Println(m.Bytes())
//
// # Semantics
//
// A [Meter] visits what its values refer to, by the types of the fields, and counts
// each byte once, however many pointers lead to it. It rounds every piece up to the
// size that the allocator of the Go runtime uses. Of a slice it counts the capacity,
// of a map the tables.
//
// Reflection cannot inspect some memory. The owner of the memory describes it:
//
//   - Closures are not visible. A type with closures implements [Hidden].
//   - A value that a program has once, whatever it serves, does not belong to the
//     value that refers to it. Its type implements [Global].
//   - A struct that another goroutine may still write must not be read. It has a
//     [Gate]. A field of type [sync/atomic.Pointer] needs nothing.
//   - A struct that must not be counted has a gate that is never opened.
//
// The contents of a [sync.Pool] are not counted, because the next collection frees
// them. Channels and functions count as a pointer.
//
// # Accuracy
//
// Two strings that are cut from one text count as their parts, and so do slices of
// one array. Whatever lies between them is kept alive too and is not counted. A test
// compares the sizes of compiled definitions with the heap.
package heapsize
