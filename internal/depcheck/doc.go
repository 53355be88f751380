// Package depcheck holds no code but tests that pin what the packages of this
// module import and how much they weigh once linked.
//
// The import graph points one way: the command uses the root, the root uses
// the engines, the engines use schema, and those use packages below internal.
// Engines do not know one another, with the one edge from validation/cel to
// validation. A package outside the module may be imported only where the
// table in imports_test.go says so, and some may not be reached at all, not
// even through others.
//
// Weight is counted over the programs in testdata, each of which uses one
// package as a program would: how many modules took part in the build, and how
// large the stripped binary is. The budgets stand in weight_test.go. To see the
// table:
//
//	go test -v -run TestWeight ./internal/depcheck
//
// A change that breaks a test here is either an accident, which the test has
// found, or a decision, which belongs in the table together with its reason.
package depcheck
