// Package depcheck has only tests. They pin what the packages of this
// module import and how much they weigh once linked.
//
// The import graph points one way: the command uses the root, the root uses
// the engines, the engines use schema, and those use packages below internal.
// Engines do not know one another, with the one edge from validation/cel to
// validation. A package outside the module may be imported only where the
// table in imports_test.go allows it. Some packages must not be linked at all, not
// even indirectly.
//
// Weight is counted over the programs in testdata, each of which uses one
// package as a program would: the number of modules in the build, and
// the size of the stripped binary. The budgets are in weight_test.go. Linking takes
// long, so the test has a build tag. To see the table:
//
//	go test -tags weight -v -run TestWeight ./internal/test/depcheck
//
// If a change breaks one of these tests, either undo the dependency or add it to
// the table with its reason.
package depcheck
