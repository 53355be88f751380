// Package oracle compares crdkit with kube-apiserver's own code.
//
// # What is compared
//
// For every version of every definition, the tests compare the structural errors
// of its schema and of schemas that are broken at random, and the facts of the
// compiled tree. For every object they compare each step alone and the whole
// request. They create an object, update the result without a change and with
// changes, update its status, and read it at every version. The results are the
// object as bytes, in which 1 and 1.0 differ, removed paths, refusals, errors as a
// multiset of type, field, detail and value, warnings, and the cost of rules.
//
// Objects are the samples of the corpus and generated ones (-objects N for each
// version). A quarter of the generated objects each is valid, at the limits, with
// one fault, and hostile. The same seeds give the same objects.
//
// # Chance
//
// Upstream walks Go maps, so some of its results differ from run to run. If a
// result differs from ours, upstream runs again, up to [Reruns] times. Some run of
// upstream must give exactly our answer.
//
// # Known differences
//
// [Differences] lists the intended differences; docs/DIFFERENCES.md describes each.
// A difference that no entry covers fails the test. If the whole corpus is compared,
// an entry that covers no difference fails the test, too.
//
// # Use
//
//	go test -C internal/oracle -run TestOracle -corpus DIR -objects 500
//
// It ends with a line such as
//
//	oracle: 401 definitions, 522 versions, 105906 objects, 0 differences (1 known)
//
// The command go test shows this line if the command line names no package, as
// above, or with -v. With -only PART it compares the definitions whose path contains
// PART.
//
// Other answers of a server have their own tests, each of which prints a line:
// TestTable (the handler of GET requests and the table convertor), TestGet (the
// printer of kubectl get), TestSelection (the handler of list requests), TestScale,
// TestStatus (updates that clients must not make; -status-all for every definition),
// TestOpenAPICorpus, TestExplain (kubectl explain; -explain-all for every version),
// TestApply (sequences of requests by managers; -sequences N), TestMigrations (kubectl
// apply; -migrations N, above 500 over the corpus), TestCases (the server's own tests of
// requests), TestCompat, TestCompatMutants (mutated definitions; -changes N) and
// TestUpgrades (the witnesses of package compat; -upgrades 0 for all changes, -releases and
// -histories DIRS for other projects), and TestJSONSchema, which compares with another
// validator instead of Kubernetes.
//
// The corpus is a directory with the layout that testkit.CorpusDir describes. The
// definitions of the repository's testdata are always compared, also without a
// corpus.
package oracle
