package definition

import (
	"strconv"
	"sync"

	"github.com/crdkit/crdkit/internal/document"
)

// A Position is a place in a text. The zero Position is no place.
type Position struct {
	Line   int // from 1; lines end with a line feed
	Column int // from 1, in Unicode code points
}

// IsValid reports whether the position is a place.
func (p Position) IsValid() bool { return p.Line > 0 }

// String returns the position in the form "line:column", and "-" for none.
func (p Position) String() string {
	if !p.IsValid() {
		return "-"
	}
	return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// from returns p, which is a position in a document, in the file in which the
// document begins at start.
func (p Position) from(start Position) Position {
	if p.Line == 1 {
		p.Column += start.Column - 1
	}
	p.Line += start.Line - 1
	return p
}

// A Source finds the places of a document in its text: what the pointers of
// errors, warnings and notes lead to. It reads the text when it is asked for
// the first place, so that nothing is lost if there is nothing to report. It may
// be used from several goroutines.
type Source struct {
	text  []byte
	start Position
	read  func() *sourceIndex
}

// sourceIndex are what a Source knows once it has read its text.
type sourceIndex struct {
	tree  *document.Tree
	index *document.LineIndex
}

// NewSource returns the source of one document, YAML or JSON, as it was given to
// [Parse]. The document begins at start in its file, which is the beginning if
// start is zero. The text is kept, and must not be changed as long as the
// Source is used.
func NewSource(text []byte, start Position) *Source {
	if !start.IsValid() {
		start = Position{Line: 1, Column: 1}
	}
	s := &Source{text: text, start: start}
	s.read = sync.OnceValue(func() *sourceIndex {
		tree, err := document.ReadTree(text)
		if err != nil {
			return nil
		}
		return &sourceIndex{tree: tree, index: document.NewLineIndex(text)}
	})
	return s
}

// Position returns where a JSON Pointer (RFC 6901) leads: to the name of a
// field, to the beginning of an element of a list, and for "" to that of the
// document. A pointer that leads on where the text has nothing, as that of a
// field that is missing, leads to the innermost place that there is. There is
// no place in a text that cannot be read.
//
// Pointers are those of a report, which for a definition of v1beta1 are about
// what [Parse] made of it; they lead to where the text says it.
func (s *Source) Position(pointer string) Position {
	p := s.read()
	if p == nil {
		return Position{}
	}
	offset, _ := p.tree.Find(p.written(pointer))
	line, column := p.index.Position(offset)
	return Position{Line: line, Column: column}.from(s.start)
}

// Pointer returns the pointer into the document as it is written. It is another
// than the one given for some places of a definition of v1beta1.
func (s *Source) Pointer(pointer string) string {
	p := s.read()
	if p == nil {
		return pointer
	}
	return p.written(pointer)
}

// FieldPointer returns the JSON Pointer that a path in the form of the server
// spells in the document, such as that of an unknown field,
// "spec.versions[0].schem", as far as it leads to something. Names may have dots
// in them; of those that the path can mean the longest is taken.
func (s *Source) FieldPointer(path string) string {
	p := s.read()
	if p == nil {
		return ""
	}
	return p.tree.Pointer(path)
}

// written returns the pointer itself if it leads to something, or if what it
// leads to is nowhere else.
func (p *sourceIndex) written(pointer string) string {
	if _, found := p.tree.Find(pointer); found {
		return pointer
	}
	if column := betaColumnPath(pointer); column != pointer {
		if _, found := p.tree.Find(column); found {
			return column
		}
	}
	part, whole, ok := betaPointer(pointer)
	if !ok {
		return pointer
	}
	if _, found := p.tree.Find(part); !found {
		return pointer
	}
	if column := betaColumnPath(whole); column != whole {
		if _, found := p.tree.Find(column); found {
			return column
		}
	}
	return whole
}
