// Package fuzz runs the fuzz targets of this module. Without the environment
// variable CRDKIT_FUZZ, [Run] is [testing.F.Fuzz]: a test runs the seeds, and
// go test -fuzz tries new inputs with the coverage engine of Go.
//
// CRDKIT_FUZZ selects the sequential driver instead. It mutates the seeds in the
// process of the test, without coverage and without a test for each input, and
// reaches many more executions per second. The value is the number of executions
// of each target (100000) or their duration (30s).
//
//	CRDKIT_FUZZ=100000 go test -run '^FuzzMatch$' ./internal/value/pattern
//
// Execution k gets an input that depends only on k and the seeds. The variable
// CRDKIT_FUZZ_FIRST is the first k, 0 without it, so that a later run tries other
// inputs and a failure can be repeated. The driver stops at the first failure, and at
// an execution that takes longer than 30 seconds. It then prints k and the input in the
// format of files below testdata/fuzz.
//
// For each target the driver prints one line to standard output:
//
//	fuzz FuzzMatch: 100000 executions, 0 failures, 1.52 s, slowest 812 µs (execution 4711)
//
// # Semantics
//
// The driver does not know coverage. It changes seeds at random: it flips bits,
// removes, repeats and inserts parts, copies parts of other seeds, and replaces
// numbers.
//
// # Differences from Kubernetes
//
// None: the server does not fuzz.
//
// # Concurrency and ownership
//
// The driver calls the body from one goroutine. The body must not keep its
// arguments.
package fuzz
