// Package jsondiff lists the differences between two decoded JSON values.
//
//	for _, d := range jsondiff.Of(before, after) {
//		fmt.Println(d.Path, d.Before, d.After)
//	}
//
// # Semantics
//
// Objects are compared by field and lists by index: an element inserted at the start
// of a list changes all elements after it. A value that only one side has is one
// difference, whatever it contains. Numbers of different kinds differ, as in package
// jsonval.
//
// # Concurrency and ownership
//
// Nothing is changed. Differences share memory with the values.
package jsondiff
