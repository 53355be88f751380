package document

import (
	"bytes"
	"fmt"
	"io"
)

// A Splitter returns the documents of a YAML file.
type Splitter struct {
	rest []byte
	line int // of the first line of rest, from 0
}

// Split returns a Splitter that cuts a text as apimachinery's YAMLReader does:
// at lines that start with three dashes and have nothing else but a comment.
// The documents share memory with the text, except for the last one if the text
// does not end with a line feed, which Split adds.
func Split(text []byte) *Splitter { return &Splitter{rest: text} }

// Next returns the next document and the number of its first line, from 1. It
// returns io.EOF after the last document. It returns an error for a separator
// with other text, after which the rest cannot be read.
func (s *Splitter) Next() (doc []byte, line int, err error) {
	first, size := s.line+1, 0
	for {
		current, ok := s.lineAt(size)
		if !ok {
			if size == 0 {
				return nil, 0, io.EOF
			}
			return s.cut(size, 0), first, nil
		}
		if after, found := bytes.CutPrefix(current, []byte("---")); found {
			if after = bytes.TrimSpace(after); len(after) > 0 && after[0] != '#' {
				return nil, 0, fmt.Errorf("invalid Yaml document separator: %s", after)
			}
			if size > 0 {
				return s.cut(size, len(current)), first, nil
			}
		}
		size += len(current)
	}
}

// lineAt returns the line at an offset in the rest, and reports whether there
// is one.
func (s *Splitter) lineAt(after int) ([]byte, bool) {
	rest := s.rest[after:]
	if len(rest) == 0 {
		return nil, false
	}
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end+1]
	}
	return rest, true
}

// cut removes a document and the separator after it from the rest.
func (s *Splitter) cut(size, separator int) []byte {
	doc := s.rest[:size:size]
	s.line += bytes.Count(s.rest[:size+separator], []byte("\n"))
	s.rest = s.rest[size+separator:]
	if doc[size-1] != '\n' {
		doc = append(doc, '\n')
	}
	return doc
}

// Blank reports whether a document has only comments, white space and
// directives, such as the %YAML before the first document.
func Blank(doc []byte) bool {
	for line := range bytes.Lines(doc) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
