// Package apicheck has only tests. They read the exported API of
// this module as a reader of its documentation does.
//
// The file api.txt at the root of the module lists everything that is exported
// by packages that other modules can import: one line for each declaration, field or
// method. A change of the API therefore shows in a review as a change of that
// file. After an intended change, run
//
//	go test ./internal/test/apicheck -run TestAPI -update
//
// Other tests check the documentation: each public package has a manual in
// doc.go, each exported name has a comment, and each entry point has an example.
package apicheck
