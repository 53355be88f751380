// Package tape reads documents of JSON, and of the YAML that tools write, into
// a list of tokens: the tape. Nothing is decoded, and next to nothing is copied:
// a token says where in the text its value is.
//
//	t, ok := tape.Read(text)
//
// Definitions are large, most of them descriptions, and written by few tools.
// What those write needs a small part of YAML, which can be read at the speed of
// JSON. It is for quick paths that have a library to go back to: whatever is not
// among the following is refused, and Read reports false.
//
// # Semantics
//
// Of YAML are read: one document of block mappings and lists, with keys of plain
// ASCII letters and signs or in quotes; scalars that are plain, in single or
// double quotes, over several lines or not, or literal blocks; {} and []; and
// comments. Plain scalars are what sigs.k8s.io/yaml makes of them, which reads
// YAML 1.1: true, false, null, integers, and text that cannot be taken for
// anything else. Everything that one might be in doubt about is refused, such as
// yes and no, fractions, dates, anchors, tags, other lists and mappings in
// brackets, tabs, and characters that do not print.
//
// Of JSON everything is read but strings that a decoder would repair, and what
// is nested deeper than 512. What is no YAML or JSON is refused with the
// rest: why, the library says.
//
// That a name is given twice is not noticed. Whoever cares looks for it.
//
// The tests hold tapes against sigs.k8s.io/yaml, over whole corpora and by
// fuzzing: a text that is read has the value that the library gives it.
//
// # Concurrency and ownership
//
// A Tape does not change and is safe for concurrent use. It keeps the text, and
// what [Tape.Text] returns does, too: clone what is to live longer.
package tape
