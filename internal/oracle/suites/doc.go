// Package suites runs the recorded suites of a corpus: objects of real projects
// with what an API server made of them. Its tests report
//
//	suites: N cases, M as recorded
//
// and fail for a case that comes out otherwise and has no name in the table of
// explained ones.
//
// A verdict must be as recorded, and an admitted object too. The texts of
// errors changed between the minors of Kubernetes: since 1.35 the error of a rule
// shows the value, or nothing for an object or an array, where earlier servers
// show its type in quotes, and since 1.34 a duplicate in a list is shown as
// JSON. Texts are therefore compared without the value.
package suites
