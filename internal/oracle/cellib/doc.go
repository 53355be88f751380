// Package cellib compares the language of rules that internal/cellib declares
// with the server's, which is what k8s.io/apiserver/pkg/cel/environment and
// k8s.io/apiserver/pkg/cel/library make of it. It holds nothing but tests.
//
//   - TestLanguages: for every minor version, new rules and stored ones, the same
//     functions with the same overloads in the same order, macros, types,
//     libraries, validators and settings.
//   - TestBindings: what stands behind every overload does the same to values of
//     all types, whether they fit or not.
//   - TestCallCosts and TestEstimates: every overload costs the same, before and
//     when it runs, and asks for the same sizes.
//   - TestExpressions: the expressions in testdata, which together call every
//     overload that is not of cel-go, compile alike, or fail to for the same
//     reason, have the same estimate, and on the same values the same outcome at
//     the same cost.
//
// There is a fuzz target for each library, which runs its expressions on
// arbitrary texts and numbers. Each test prints what it compared, such as
//
//	cel language: 20 languages with 13339 overloads and implementations in all
//
// Whether rules as a whole do the same is for internal/oracle/celrules to tell.
package cellib
