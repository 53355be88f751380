// Package cellib compares the language of rules that internal/cel/cellib declares with
// the server's language, which the packages k8s.io/apiserver/pkg/cel/environment and
// k8s.io/apiserver/pkg/cel/library define. It has only tests.
//
//   - TestLanguages compares functions, overloads and their order, macros, types,
//     libraries, validators and settings, for every minor version and for new and
//     stored rules.
//   - TestBindings calls the implementation of every overload with values of all
//     types, also of wrong types.
//   - TestCallCosts and TestEstimates compare the actual and the estimated cost of
//     every overload, and the sizes that the estimate requests.
//   - TestExpressions compiles and runs the expressions in testdata. Together they
//     call every overload that cel-go does not declare. It compares compile errors,
//     estimates, outcomes and costs.
//
// A fuzz target for each library runs the expressions of the library on arbitrary
// texts and numbers. Each test prints a line such as
//
//	cel language: 20 languages with 13339 overloads and implementations in all
//
// Package internal/oracle/celrules compares whole rules.
package cellib
