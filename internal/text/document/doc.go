// Package document reads the text of one YAML or JSON document: into a tree that finds the
// position of a JSON pointer, and from YAML into tokens, into JSON and into a
// CustomResourceDefinition.
//
//	tree, err := document.ReadTree(text)
//	tokens, ok := document.Tokenize(text)
//	json, ok := document.YAMLToJSON(text)
//	crd := document.ReadDefinition(text)
//
// # Tokens
//
// [Tokenize] is the fast path for YAML. Definitions are large, most of their text is
// descriptions, and few tools write them. These tools use a small part of YAML,
// which can be read as fast as JSON. Tokenize declines every other text, and the
// caller then falls back to a YAML library. Tokenize decodes and copies next to
// nothing: a token says where its value is in the text.
//
// Tokenize reads one document that consists of
//
//   - block mappings and block lists;
//   - keys of plain ASCII letters and signs, or in quotes;
//   - plain, single-quoted and double-quoted scalars on one or more lines, and literal blocks;
//   - braces and brackets with nothing in them;
//   - comments.
//
// A plain scalar has the value that sigs.k8s.io/yaml gives it, which follows YAML 1.1:
// true, false, null, an integer, or a string that no YAML version reads as anything else.
// Tokenize declines scalars whose type depends on the YAML version (yes, no, fractions,
// dates), anchors, tags, flow collections, folded blocks, tabs, unprintable characters, and
// values nested deeper than [MaxDepth]. It does not detect duplicate names.
//
// The tests compare tokens with the values of sigs.k8s.io/yaml, over the corpus
// and by fuzzing.
//
// # Trees
//
// [ReadTree] reads one document, and [Tree.Find] returns the position to which a
// JSON pointer leads: that of the name of a member, or of an element of a list.
// If the document ends before the pointer does, Find returns the position of the
// innermost part that exists. An alias leads to the value of its anchor. A member
// that is merged into a mapping (<<) is found where it is written. Lines and columns are
// those of editors, see [Position].
//
// [Split] cuts a YAML file into documents exactly as kubectl does, and returns
// the number of the first line of each.
//
// # Definitions
//
// [ReadDefinition] reads a definition from tokens, into the fields that its types have. It
// produces exactly what sigs.k8s.io/yaml produces in strict mode: literals in schemas have
// the same bytes, and empty and absent values stay distinct. The tests compare the two over
// the corpus and with every keyword changed. It declines
//
//   - texts that Tokenize declines;
//   - versions other than apiextensions.k8s.io/v1;
//   - unknown and duplicate fields, and values of a wrong type.
//
// A type with a decoder of its own, such as metav1.Time, is decoded by sigs.k8s.io/json.
//
// # Differences from Kubernetes
//
// Kubernetes reports no positions. Positions come from another version of the YAML library
// than values do, because only that version reports them. A text that only one of the
// versions can read has no positions, or is refused before a position is needed.
//
// # Concurrency and ownership
//
// [Tokens] and [Tree] do not change once made and are safe for concurrent use. Tokens keep
// the text, and so do the strings that [Tokens.Text] returns: clone a string that outlives
// them. A Tree keeps positions and the names of members. A definition belongs to the caller
// and shares no memory with the text; equal strings in it share memory.
package document
