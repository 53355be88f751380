// Package source finds in the text of a document, YAML or JSON, the places that
// JSON Pointers lead to.
//
// # Semantics
//
// [ReadTree] reads one document, and [Tree.Find] returns where in it the member
// that a pointer names begins, that is its name, so that whoever looks there
// sees name and value; or where the element of a list begins. A pointer that
// leads on where the document has nothing leads to the innermost place that
// there is. Aliases lead to what they stand for, and what is merged into a
// mapping (<<) is where it is written.
//
// [LineIndex] turns offsets into lines and columns as editors count them: lines end
// with a line feed, and columns are Unicode code points.
//
// [Split] cuts a file of YAML into documents exactly as kubectl does, and says
// at which line each begins.
//
// # Differences from Kubernetes
//
// Kubernetes has no places. YAML is read here by another version of the library
// than the one that values are read with, because only that one tells places.
// Texts that only one of the two can read have no places, or are refused before
// anybody asks for one.
//
// # Concurrency and ownership
//
// Nothing is kept of a text but offsets and the names of members. What was read
// does not change.
package source
