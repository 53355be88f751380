// Package apicheck holds no code but tests that look at the exported API of
// this module as a reader of its documentation does.
//
// The file api.txt at the root of the module lists everything that is exported
// by packages that other modules can import: one line a declaration, field or
// method. A change of the API therefore shows in a review as a change of that
// file. After a change that is meant:
//
//	go test ./internal/apicheck -run TestAPI -update
//
// The other tests hold the documentation to the house rules: each package has
// a manual in doc.go, each exported name has a comment that says what it is
// for, and each constructor and entry point has an example.
package apicheck
