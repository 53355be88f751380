// Package hostile holds inputs that are made to take much time or memory, and the
// operations of this module that receive them. Only tests and the comparison programs
// in internal/oracle import it.
//
// A [Case] is one operation and one dimension in which its input grows: depth, width,
// errors, rules, versions, elements, keys, the length of a string, aliases. Its tests
// hold two promises for every case:
//
//   - Growth: an input that is 8 times as large takes less than 12 times the work. Work
//     is the number of allocations, the number of allocated bytes, and the number of
//     executed statements of this module, which the coverage counters of the Go
//     toolchain give. No test looks at a clock.
//   - Memory: a process that runs the operation stays below 20 times the size of its
//     input plus 64 MB.
//
// The tests of the statements and of the memory build programs and take a minute, so
// that they have a build tag:
//
//	go test -tags growth ./internal/test/testkit/hostile
//
// internal/oracle runs the same cases through upstream and compares the times.
package hostile
