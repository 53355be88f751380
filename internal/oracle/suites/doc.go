// Package suites runs the recorded suites of a corpus: objects of real projects
// with the recorded results of an API server. Its test prints
//
//	suites: N cases, M as recorded
//
// and fails for a case with another result, unless the table of explained cases has
// the name of the case. Package internal/suite says what is compared.
package suites
