// Package crdread reads definitions quickly: those that have nothing odd about
// them, which are nearly all. Whatever it does not read, package crdkit reads in
// the way of kubectl, which takes several times as long and knows what to say.
//
//	crd, ok := crdread.Definition(data)
//
// # Semantics
//
// What is read is exactly what sigs.k8s.io/yaml and sigs.k8s.io/json make of the
// same text, strictly: literals in schemas have the same bytes, and what is empty
// is empty, not absent, or the other way round. The tests hold the two against
// each other, on whole corpora and with every keyword changed.
//
// Not read are
//
//   - texts that package tape refuses;
//   - definitions of other versions than apiextensions.k8s.io/v1;
//   - fields that the type does not have, fields that are given twice, and values
//     of the wrong type, all of which are errors or would be if they were not in a
//     place where nobody looks;
//   - the keywords that no definition is accepted with, such as $ref, and those
//     that few have, such as externalDocs.
//
// Schemas, which are most of a definition, are read straight from the tape, and
// everything else by sigs.k8s.io/json.
//
// # Concurrency and ownership
//
// [ReadDefinition] may be called from several goroutines. The definition belongs to
// the caller and shares no memory with the text; equal strings in it are one.
package crdread
