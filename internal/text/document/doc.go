// Package document reads the text of one YAML or JSON document into a tree, which finds the
// position of a JSON pointer. From YAML it also makes tokens, JSON, or a CustomResourceDefinition.
//
//	tree, err := document.ReadTree(text)
//	tokens, ok := document.Tokenize(text)
//	json, ok := document.YAMLToJSON(text)
//	crd := document.ReadDefinition(text)
//
// # Tokens
//
// [Tokenize] is faster than a YAML library. It reads the small part of YAML that tools write, and
// declines every other text: the caller then uses the library. A token says where its value is
// in the text. Tokenize reads
//
//   - block mappings and block lists;
//   - keys of plain ASCII letters and signs, or in quotes;
//   - plain, single-quoted and double-quoted scalars on one or more lines, and literal blocks;
//   - braces and brackets with nothing in them;
//   - comments.
//
// A plain scalar has the same value as in sigs.k8s.io/yaml. Tokenize declines scalars whose type
// depends on the YAML version (yes, no, fractions, dates), anchors, tags, flow collections, folded
// blocks, tabs, unprintable characters, and values nested deeper than [MaxDepth]. It does not
// detect duplicate names.
//
// [ReadDefinition] reads a definition of v1 from tokens, exactly as sigs.k8s.io/yaml does in
// strict mode. It declines what Tokenize declines, wrong types, and unknown or duplicate fields.
//
// # Trees
//
// [ReadTree] reads one document. [Tree.Find] returns the position of the name of a member,
// or of a list element, at a JSON pointer. If it does not exist, Find returns the position of
// the innermost part that exists. An alias
// leads to the value of its anchor. A member that is merged into a mapping (<<) is found where it
// is written. If the YAML library for positions cannot read a text, the text has no positions.
//
// [Split] cuts a YAML file into documents exactly as kubectl does.
//
// [Tokens] and [Tree] do not change once made and are safe for concurrent use. Tokens keep the
// text, and so do the strings from [Tokens.Text]: clone a string to keep it without the text. Equal
// strings in a definition share memory.
package document
