package document

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const byteOrderMark = "\ufeff"

// A LineIndex has the offsets at which the lines of a text start.
type LineIndex struct {
	text   []byte
	starts []int
	marks  []columnMark // at least one for every markEvery bytes of a long line
}

// A columnMark is the column of an offset within a long line.
type columnMark struct{ offset, column int }

const markEvery = 4096

// addMarks adds the marks of the lines that are longer than markEvery.
func (x *LineIndex) addMarks() {
	for i, start := range x.starts {
		end := len(x.text)
		if i+1 < len(x.starts) {
			end = x.starts[i+1]
		}
		for at, column, last := start, 1, start; end-start > markEvery && at < end; column++ {
			if at-last >= markEvery {
				x.marks, last = append(x.marks, columnMark{at, column}), at
			}
			_, size := utf8.DecodeRune(x.text[at:end])
			at += size
		}
	}
}

// column returns the column of an offset in the line that begins at start.
func (x *LineIndex) column(start, offset int) int {
	i, found := slices.BinarySearchFunc(x.marks, offset, func(m columnMark, offset int) int { return m.offset - offset })
	if !found {
		i--
	}
	from := columnMark{start, 1}
	if i >= 0 && x.marks[i].offset > start {
		from = x.marks[i]
	}
	return from.column + utf8.RuneCount(x.text[from.offset:offset])
}

// NewLineIndex returns the index of a text whose lines end with line feeds. A
// byte order mark is not part of the first line. The index keeps the text.
func NewLineIndex(text []byte) *LineIndex {
	x := &LineIndex{text: text, starts: []int{0}}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		x.starts[0] = len(byteOrderMark)
	}
	for i, b := range text {
		if b == '\n' {
			x.starts = append(x.starts, i+1)
		}
	}
	x.addMarks()
	return x
}

// Position returns the line and the column of an offset, both counted from 1.
// Columns count code points. An offset at the end of the text, such as that of
// an omitted value, has the position of the last byte.
func (x *LineIndex) Position(offset int) (line, column int) {
	offset = max(min(offset, len(x.text)-1), x.starts[0])
	i, found := slices.BinarySearch(x.starts, offset)
	if !found {
		i--
	}
	return i + 1, x.column(x.starts[i], offset)
}

// yamlLines are the lines of a text as YAML 1.1 counts them: not only a line
// feed ends a line.
type yamlLines struct {
	text   []byte
	starts []int // of the lines, in code points
	marks  []int // offsets of every 64th code point
}

const markRunes = 64

func newYAMLLines(text []byte) *yamlLines {
	l := &yamlLines{text: text, starts: []int{0}}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		l.starts[0] = 1
	}
	for at, n := 0, 0; at < len(text); n++ {
		if n%markRunes == 0 {
			l.marks = append(l.marks, at)
		}
		_, size := utf8.DecodeRune(text[at:])
		if breakSize(text[at:]) == size { // a carriage return before a line feed is no break
			l.starts = append(l.starts, n+1)
		}
		at += size
	}
	return l
}

// breakSize returns the length of the line break at the start of text, 0 if
// there is none.
func breakSize(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	case text[0] == '\r' || text[0] == '\n':
		return 1
	case bytes.HasPrefix(text, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(text, []byte("\u2028")), bytes.HasPrefix(text, []byte("\u2029")):
		return 3
	}
	return 0
}

// offset returns the offset of a node.
func (l *yamlLines) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(l.starts) {
		return 0
	}
	number := l.starts[n.Line-1] + max(n.Column-1, 0)
	if number/markRunes >= len(l.marks) {
		return len(l.text)
	}
	at := l.marks[number/markRunes]
	for range number % markRunes {
		_, size := utf8.DecodeRune(l.text[at:])
		at += size
	}
	return at
}
