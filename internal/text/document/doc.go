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
// [Tokenize] is the fast path for YAML, for the small part of it that tools write. It
// declines every other text, and the caller falls back to a YAML library. A token says
// where its value is in the text. It reads
//
//   - block mappings and block lists;
//   - keys of plain ASCII letters and signs, or in quotes;
//   - plain, single-quoted and double-quoted scalars on one or more lines, and literal blocks;
//   - braces and brackets with nothing in them;
//   - comments.
//
// A plain scalar has the value that sigs.k8s.io/yaml gives it. Tokenize declines scalars whose
// type depends on the YAML version (yes, no, fractions, dates), anchors, tags, flow
// collections, folded blocks, tabs, unprintable characters, and values nested deeper than
// [MaxDepth]. It does not detect duplicate names.
//
// [ReadDefinition] reads a definition of v1 from tokens, exactly as sigs.k8s.io/yaml does in
// strict mode. It also declines unknown and duplicate fields, and values of a wrong type.
//
// # Trees
//
// [ReadTree] reads one document, and [Tree.Find] returns the position to which a JSON
// pointer leads: of the name of a member, of an element of a list, or of the innermost part
// that exists. An alias leads to the value of its anchor. A member that is merged into a
// mapping (<<) is found where it is written. A text that the YAML library for positions
// cannot read has none.
//
// [Split] cuts a YAML file into documents exactly as kubectl does.
//
// [Tokens] and [Tree] do not change once made and are safe for concurrent use. Tokens keep
// the text, and so do the strings that [Tokens.Text] returns: clone a string that outlives
// them. A definition shares no memory with the text; equal strings in it share memory.
package document
