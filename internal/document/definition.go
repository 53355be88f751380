package document

import (
	"slices"
	"unsafe"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type props = apiextensionsv1.JSONSchemaProps

// ReadDefinition reads the definition that is the only document of a text, in which at
// most nesting objects and lists are in each other. It returns nil if it declines the text.
// strict are the errors of strict decoding, mostly of unknown fields. identified reports that the text is well-formed, not
// nested deeper, and of the kind and the version of a definition. The definition shares no
// memory with data, which must not change meanwhile.
func ReadDefinition(data []byte, nesting int) (crd *apiextensionsv1.CustomResourceDefinition, strict []error, identified bool) {
	t, ok := tokenize(unsafe.String(unsafe.SliceData(data), len(data)), min(nesting, maxNesting))
	if !ok || !isDefinition(t) {
		return nil, nil, false
	}
	crd, strict = readDefinition(t)
	return crd, strict, true
}

// maxNesting is the nesting up to which sigs.k8s.io/json reads a text.
const maxNesting = 10_000

// readDefinition returns nil if it declines the tokens.
func readDefinition(t *Tokens) (crd *apiextensionsv1.CustomResourceDefinition, strict []error) {
	r := definitionReader{tokens: t, strings: newSharedStrings(len(t.tokens))}
	crd = &apiextensionsv1.CustomResourceDefinition{}
	if !r.definition(0, crd) {
		return nil, nil
	}
	return crd, r.unknown.errs
}

func isDefinition(t *Tokens) bool {
	return isMember(t, "kind", "CustomResourceDefinition") && isMember(t, "apiVersion", apiextensionsv1.SchemeGroupVersion.String())
}

// isMember reports whether a document has one member of a name, with that text.
func isMember(t *Tokens, name, text string) bool {
	v, n := t.Member(0, name)
	return n == 1 && t.Kind(v) == String && t.Text(v) == text
}

// A definitionReader reads a definition from tokens.
type definitionReader struct {
	tokens  *Tokens
	strings sharedStrings
	unknown unknownFields
	depth   int
	spare   []*props // by depth: the schema into which a property is read before it is copied
}

// string returns a string that does not share memory with the text. Equal
// strings share memory.
func (r *definitionReader) string(i int) string {
	text := r.tokens.Text(i)
	if r.tokens.isMostDecoded(i) {
		return text
	}
	return r.strings.copyOf(text)
}

// mostFields is more than any object of a definition has fields.
const mostFields = 48

// hasDistinctMembers reports whether an object has few members and no duplicate
// names.
func (r *definitionReader) hasDistinctMembers(i int) bool {
	n := r.tokens.Len(i)
	if n > mostFields {
		return false
	}
	seen := uint64(0) // a bit for each name; equal names have the same
	at := i + 1
	for range n {
		bit := nameBit(r.tokens.Text(at))
		if seen&bit != 0 && r.isDuplicate(i, at) {
			return false
		}
		seen |= bit
		at = r.tokens.Next(at + 1)
	}
	return true
}

// nameBit returns a bit that few names of one object share.
func nameBit(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((len(name)*5 + int(name[0])*3 + int(name[len(name)-1])) & 63)
}

// isDuplicate reports whether an object has the name at an index before that index, too.
func (r *definitionReader) isDuplicate(i, at int) bool {
	name := r.tokens.Text(at)
	for before := i + 1; before < at; before = r.tokens.Next(before + 1) {
		if r.tokens.Text(before) == name {
			return true
		}
	}
	return false
}

// members calls read for each member of an object until read reports false. It reports
// false for other values and for duplicate names, too.
func (r *definitionReader) members(i int, read func(name string, v int) bool) bool {
	if r.tokens.Kind(i) != Object {
		return false
	}
	if !r.hasDistinctMembers(i) {
		return r.strangeMembers(i, read)
	}
	name := i + 1
	for range r.tokens.Len(i) {
		r.unknown.object = i
		if !read(r.tokens.Text(name), name+1) {
			return false
		}
		name = r.tokens.Next(name + 1)
	}
	return true
}

// strangeMembers is members for an object that has many members or a duplicate name. The
// names of unknown fields may be there several times.
func (r *definitionReader) strangeMembers(i int, read func(name string, v int) bool) bool {
	var known [mostFields]string
	n, name := 0, i+1
	for range r.tokens.Len(i) {
		text := r.tokens.Text(name)
		if n == mostFields || slices.Contains(known[:n], text) {
			return false
		}
		r.unknown.object = i
		if !read(text, name+1) {
			return false
		}
		if r.unknown.last != name+1 {
			known[n], n = text, n+1
		}
		name = r.tokens.Next(name + 1)
	}
	return true
}

// readList reads a list with the function for its elements. It sets out only if it reports
// true.
func readList[T any](r *definitionReader, v int, out *[]T, read func(i int, element *T) bool) bool {
	if r.tokens.Kind(v) != List {
		return false
	}
	list := make([]T, r.tokens.Len(v))
	at := v + 1
	for i := range list {
		if !read(at, &list[i]) {
			return false
		}
		at = r.tokens.Next(at)
	}
	*out = list
	return true
}

// schema reads a schema into s, which must be zero.
func (r *definitionReader) schema(i int, s *props) bool {
	return r.members(i, func(name string, v int) bool { return r.keyword(name, v, s) })
}
