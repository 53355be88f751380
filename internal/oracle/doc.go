// Package oracle compares crdkit with kube-apiserver's own code.
//
// # What is compared
//
// For every version of every definition: what is said against a schema for not
// being structural, also of schemas broken at random; the facts of the compiled
// tree; and for every object each step alone and the request as a whole. An
// object is created; what came of that is updated without a change, updated
// with changes, and has its status updated; and it is read back at every
// version. Compared are the object as bytes, in which 1 and 1.0 differ, removed
// paths, refusals, errors as a multiset of type, field, detail and value,
// warnings, and the cost of rules.
//
// Objects are the samples of the corpus and generated ones (-objects N a
// version): a quarter each valid, at the limits, with one fault, and hostile.
// The same seeds give the same objects.
//
// # Chance
//
// Upstream walks Go maps, so that some of its results differ from run to run.
// Where a result differs from ours, upstream runs again, up to [Reruns] times:
// some run of upstream must give exactly our answer.
//
// # Known differences
//
// [Differences] lists the differences that are meant, each also described in
// docs/DIFFERENCES.md. A difference that no entry covers fails the test, and so
// does, when the whole corpus is compared, an entry that covers nothing.
//
// # Use
//
//	go test -C internal/oracle -run TestOracle -corpus DIR -objects 500
//
// It ends with a line such as
//
//	oracle: 401 definitions, 522 versions, 105906 objects, 0 differences (1 known)
//
// which go test shows if no package is named, as above, or with -v. With -only
// PART it compares the definitions whose path contains PART.
//
// What is served beside objects has tests of its own, each of which ends with a
// line: TestTable (the handler of GET requests and the table convertor), TestGet
// (the printer of kubectl get), TestSelection (the handler of list requests),
// TestScale, TestStatus (what clients must not write; -status-all for every
// definition), TestOpenAPICorpus, TestExplain (kubectl explain; -explain-all for
// every version) and TestJSONSchema, whose other side is not Kubernetes but
// another validator.
//
// The corpus is a directory laid out like the one that crdtest.CorpusDir
// describes; without one the definitions of the repository's testdata, which
// are always compared, stand alone.
package oracle
