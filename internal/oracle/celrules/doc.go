// Package celrules compares package validation/cel with the server's
// evaluation of x-kubernetes-validations, rule by rule and cost unit by cost
// unit. It has only tests.
//
// # Sides
//
// There are three sides: the fast implementation of crdkit, which runs rules on its
// executor; the reference, which testopt.Reference selects and which runs all rules on
// cel-go; and upstream, which is
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel. The tests compare errors
// with type, field, text and value, warnings, the cost that was spent, and compile
// errors.
//
// # Tests
//
//   - TestCorpus creates and updates the samples of the corpus, generated objects and
//     damaged objects, with all rules of the corpus.
//   - TestSynthetic uses the rules and the tables of validation/cel, which together
//     call every function of the server's language, with their objects and with changed
//     objects.
//   - TestBudgets runs every rule alone. The budget of an object and the limit of a
//     call are the cost of the rule, one unit less, and one unit more.
//   - TestFormBounds does the same for rules of unusual forms, functions of libraries
//     and messageExpressions.
//   - TestMutants breaks rules at random. It compares compile errors, and the results
//     of the rules that compile.
//   - TestFunctions checks that the synthetic rules call every function.
//   - TestConformance runs the tests of the specification of CEL (module cel.dev/expr,
//     Apache License 2.0) that compile as rules. It prints how many evaluations end on
//     the executor, and fails below 97 %.
//   - TestGrammar compares generated rules over the fields of testdata/fields.yaml, which
//     have every kind and format: what compiles, verdicts, texts and costs. The rules call
//     every overload of every function, some with arguments of wrong types behind dyn. It
//     makes a rule that differs as small as it can before it prints it, once for each kind.
//   - TestPlantedDifferences and TestPlantedRules check that the comparison finds faults.
//   - TestDifferential makes a given number of evaluations of all these rules.
//
// FuzzRule and FuzzObject compare arbitrary rules, schemas and objects. Each test
// prints a line such as
//
//	cel corpus: 2420 rules, 812345 evaluations on three sides, 0 differences
//
// and the number of answers that another run gave. An evaluation is one rule on one
// value.
//
// # Chance
//
// Upstream visits fields in the random order of Go maps. A loop over a map in a rule
// has a random order on every side. If an answer differs from ours, the other side runs
// again, up to reruns times. Some run must give exactly our answer. If the budget ends
// within an object of many fields, our order is too improbable to wait for. The tests
// then visit upstream's own validators in our order, field by field. TestOrder shows
// that this visit gives the same result as upstream.
//
// # Use
//
//	go test -C internal/oracle/celrules
//	go test -C internal/oracle/celrules -timeout 3h -run 'Test(Corpus|Synthetic|Budgets|FormBounds|Mutants|Differential)$' -full
//
// With -full, TestGrammar and TestDifferential make five million evaluations each instead of
// a share: TestGrammar on three sides, TestDifferential on two and for every eighth input on
// upstream, too. -evaluations and -upstream set other numbers. The other tests then use all
// inputs. -seed N generates other objects and rules. -slow prints the rules of
// TestConformance that cel-go evaluates. testkit.CorpusDir finds the corpus. Without a
// corpus, the tests compare only the rules of validation/cel.
package celrules
