// Package suites runs the recorded suites of a corpus: objects of real projects
// with the recorded results of an API server. Its tests print
//
//	suites: N cases, M as recorded
//
// and fail for a case with another result, unless the table of explained cases has
// the name of the case.
//
// The verdict and an admitted object must be as recorded. The texts of errors
// changed between minor versions of Kubernetes. Before 1.35 the error of a rule shows
// the type of the value in quotes; since then it shows the value, or nothing for an
// object or an array. Since 1.34 the error of a duplicate in a list shows JSON.
// Therefore the tests compare texts without the value.
package suites
