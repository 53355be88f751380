package definition

import (
	"strconv"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/text/document"
)

// A Position is a location in a text. The zero Position is no location.
type Position struct {
	Line   int // from 1; lines end with a line feed
	Column int // from 1, in Unicode code points
}

// IsValid reports whether p is a location.
func (p Position) IsValid() bool { return p.Line > 0 }

// String returns the position in the form "line:column", and "-" for none.
func (p Position) String() string {
	if !p.IsValid() {
		return "-"
	}
	return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// from converts a position in a document to a position in its file. The document begins at start in
// the file.
func (p Position) from(start Position) Position {
	if p.Line == 1 {
		p.Column += start.Column - 1
	}
	p.Line += start.Line - 1
	return p
}

// A Source finds positions in the text of a document by JSON Pointer. Errors, warnings and notes
// have these pointers. It reads the text when the first position is asked for. A Source may be used
// from several goroutines.
type Source struct {
	start Position
	read  func() *document.Tree // nil if the text cannot be read
}

// NewSource returns the source of one document, YAML or JSON, as it was given to [Parse]. start is
// the position of the document in its file; the zero Position means the beginning. The text is kept
// and must not be changed while the Source is used.
func NewSource(text []byte, start Position) *Source {
	if !start.IsValid() {
		start = Position{Line: 1, Column: 1}
	}
	return &Source{start: start, read: sync.OnceValue(func() *document.Tree {
		tree, err := document.ReadTree(text)
		if err != nil {
			return nil
		}
		return tree
	})}
}

// Position returns the position of a JSON Pointer (RFC 6901): of the name of a field, of the start
// of a list element, or of the document for "". If the text does not have the value, Position
// returns the position of the innermost value around it. A text that cannot be read has no
// positions.
//
// The pointers in a report on a definition of v1beta1 lead into the result of [Parse]. Position
// finds their location in the text as it is written.
func (s *Source) Position(pointer string) Position {
	tree := s.read()
	if tree == nil {
		return Position{}
	}
	at, _ := tree.Find(written(tree, pointer))
	return Position(at).from(s.start)
}

// Pointer translates a pointer from a report into a pointer into the document as it is written. The
// pointers differ for some locations of a definition of v1beta1.
func (s *Source) Pointer(pointer string) string {
	if tree := s.read(); tree != nil {
		return written(tree, pointer)
	}
	return pointer
}

// FieldPointer returns the JSON Pointer of a field path of the server, such as
// "spec.versions[0].schem" of an unknown field. The pointer ends at the last part that the document
// has. Names may contain dots; the longest name in the document counts.
func (s *Source) FieldPointer(path string) string {
	if tree := s.read(); tree != nil {
		return tree.Pointer(path)
	}
	return ""
}

// written returns the pointer itself, or its counterpart in a document of v1beta1.
func written(tree *document.Tree, pointer string) string {
	has := func(pointer string) bool { _, found := tree.Find(pointer); return found }
	part, whole, moved := betaPointer(pointer)
	switch column := betaColumnPath(pointer); {
	case has(pointer):
		return pointer
	case has(column):
		return column
	case !moved || !has(part):
		return pointer
	}
	if column := betaColumnPath(whole); has(column) {
		return column
	}
	return whole
}

// betaPointers maps locations of v1, and everything below them, to locations of v1beta1. An
// asterisk stands for the index of a version.
var betaPointers = [...]struct{ v1, v1beta1 string }{
	{"/spec/versions/*/schema", "/spec/validation"},
	{"/spec/versions/*/subresources", "/spec/subresources"},
	{"/spec/versions/*/additionalPrinterColumns", "/spec/additionalPrinterColumns"},
	{"/spec/versions/*/selectableFields", "/spec/selectableFields"},
	{"/spec/versions/0/name", "/spec/version"},
	{"/spec/conversion/webhook/clientConfig", "/spec/conversion/webhookClientConfig"},
	{"/spec/conversion/webhook/conversionReviewVersions", "/spec/conversion/conversionReviewVersions"},
}

// betaPointer translates a pointer to v1beta1. part is a location of betaPointers, whole also has
// the rest of the pointer. ok is false if the table lacks it.
func betaPointer(pointer string) (part, whole string, ok bool) {
	for _, p := range betaPointers {
		if rest, ok := cutPointer(pointer, p.v1); ok {
			return p.v1beta1, p.v1beta1 + rest, true
		}
	}
	return "", "", false
}

// cutPointer returns the rest of a pointer below a location.
func cutPointer(pointer, location string) (string, bool) {
	if before, after, found := strings.Cut(location, "*"); found {
		rest, ok := strings.CutPrefix(pointer, before)
		if !ok {
			return "", false
		}
		_, rest, ok = strings.Cut(rest, "/")
		pointer, location = "/"+rest, after
		if !ok {
			return "", false
		}
	}
	rest, ok := strings.CutPrefix(pointer, location)
	return rest, ok && (rest == "" || rest[0] == '/')
}

// betaColumnPath returns the pointer with the v1beta1 spelling of a column path.
func betaColumnPath(pointer string) string {
	if column, ok := strings.CutSuffix(pointer, "/jsonPath"); ok && strings.Contains(column, "/additionalPrinterColumns/") {
		return column + "/JSONPath"
	}
	return pointer
}
