// Package pages compiles and runs the Go code that README.md and the pages in docs show,
// from the text of the page.
//
// Every block of Go code is a whole file:
//
//   - It begins with its package clause. Comments may stand before the clause.
//   - A block of package main is a program. It runs in the root of the repository. The
//     comment "// Output:" at the end of the block says what it prints. Without this
//     comment, the next block of the page says it if that block is ```text or ```output.
//     Otherwise the program must print nothing.
//   - A block that imports testing is a test file, usually of a package such as
//     crontab_test. Its tests run in the root of the repository and must pass.
//   - Any other block is compiled.
//   - It imports only what a module that requires crdkit can import, and is formatted
//     as gofmt does.
//   - The first line "// module: controllertest" says that the block needs that module,
//     which has a test of its own for these blocks.
//
// A block is Go code if its fence says go. Any other block, indented or fenced without a
// language, is Go code if a line begins with "package " or "func ", or has " := ".
//
// The programs of all pages become packages of one temporary module, which replaces crdkit
// by the checkout and has its requirements. They are linked into one program, so package
// variables of all programs are initialised when any of them runs.
package pages
