// Package jsondiff lists the differences between two decoded JSON values.
//
//	for _, d := range jsondiff.Of(before, after) {
//		fmt.Println(d.Path, d.Before, d.After)
//	}
//
// # Semantics
//
// Objects are compared by field and lists by index: an element inserted at the start of a list
// changes all elements after it. If only one value has a field or an element, that is one
// difference. An int64 differs from a float64, as in package jsonval.
//
// # Concurrency and ownership
//
// [Of] changes neither value and is safe for concurrent use. Differences share
// memory with the values.
package jsondiff
