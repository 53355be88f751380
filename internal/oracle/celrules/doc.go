// Package celrules compares package validation/cel with the server's
// evaluation of x-kubernetes-validations, rule by rule and cost unit by cost
// unit. It holds nothing but tests.
//
// # Sides
//
// There are three: the rules as crdkit usually runs them, on the executor; the
// same with testopt.Reference, where cel-go runs them all; and upstream, which is
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel. Compared are errors
// with type, field, text and value, warnings, what was spent, and whether and
// why a rule does not compile.
//
// # Tests
//
//   - TestCorpus: all rules of the corpus, on its samples, on generated objects
//     and on objects that were harmed, created and updated.
//   - TestSynthetic: the rules and the tables of validation/cel, which
//     together call every function of the server's language; on the objects
//     beside them, and on changed ones.
//   - TestBudgets: every rule alone, with what it costs, one unit less and one
//     more, as the budget of an object and as the limit of a call.
//   - TestFormBounds: the same for rules of unusual forms, functions of libraries
//     and messageExpressions.
//   - TestMutants: rules broken at random: whether they compile, why not, and
//     what those that do say.
//   - TestFunctions: that the synthetic rules do call every function.
//   - TestDifferential: as many evaluations as asked for, of rules from all of
//     these.
//
// FuzzRule and FuzzObject compare arbitrary rules, schemas and objects. Each
// test prints what it compared, such as
//
//	cel corpus: 2420 rules, 812345 evaluations on three sides, 0 differences
//
// and how many answers were found in another run. An evaluation is one rule on
// one value.
//
// # Chance
//
// Upstream visits fields in the random order of Go maps, and a loop over a map
// within a rule is in that order on every side. If an answer differs from ours,
// the other side runs again, up to reruns times: some run has to give exactly
// our answer. Where the budget ends within an object of many fields, ours is one
// of too many orders to wait for, and upstream's own validators are visited in
// that order, field by field; TestOrder shows that this is what upstream does.
//
// # Use
//
//	go test -C internal/oracle/celrules
//	go test -C internal/oracle/celrules -timeout 3h -run 'Test(Corpus|Synthetic|Budgets|FormBounds|Mutants|Differential)$' -full
//
// With -full, TestDifferential makes five million evaluations on two sides,
// every eighth of the inputs on upstream too, and the others take all there is
// instead of a share. -seed N makes other objects. The corpus is found as crdtest.CorpusDir
// says; without one, the rules of validation/cel are compared alone.
package celrules
