package document

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

const byteOrderMark = "\ufeff"

// A LineIndex converts the offsets of a text to lines and columns, and back. Both count
// from 1, and columns count code points.
type LineIndex struct {
	text   []byte
	starts []int // the numbers of the first code points of the lines
	marks  []int // the offsets of every 64th code point, so that a long line needs no search
}

const markRunes = 64

// NewLineIndex returns the index of a text whose lines end with line feeds. A
// byte order mark is not part of the first line. The index keeps the text.
func NewLineIndex(text []byte) *LineIndex {
	return newLineIndex(text, func(rest []byte) int { return bytes.IndexByte(rest[:1], '\n') + 1 })
}

// newYAMLLines returns the index of a text whose lines end as those of YAML 1.1: not only
// with line feeds.
func newYAMLLines(text []byte) *LineIndex { return newLineIndex(text, breakSize) }

// newLineIndex takes a function that returns the length of the line break at the start of a
// text, 0 if there is none.
func newLineIndex(text []byte, breakSize func([]byte) int) *LineIndex {
	x := &LineIndex{text: text, starts: []int{0}, marks: []int{0}}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		x.starts[0] = 1
	}
	for at, n := 0, 0; at < len(text); n++ {
		if n > 0 && n%markRunes == 0 {
			x.marks = append(x.marks, at)
		}
		_, size := utf8.DecodeRune(text[at:])
		if breakSize(text[at:]) == size { // a carriage return before a line feed is no break
			x.starts = append(x.starts, n+1)
		}
		at += size
	}
	return x
}

// breakSize returns the length of the line break of YAML 1.1 at the start of text, 0 if
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

// Position returns the line and the column of an offset. An offset at the end of the text,
// such as that of an omitted value, has the position of the last byte.
func (x *LineIndex) Position(offset int) (line, column int) {
	offset = max(min(offset, len(x.text)-1), 0)
	mark := lastBefore(x.marks, offset)
	number := max(mark*markRunes+utf8.RuneCount(x.text[x.marks[mark]:offset]), x.starts[0])
	i := lastBefore(x.starts, number)
	return i + 1, number - x.starts[i] + 1
}

// lastBefore returns the index of the last of increasing numbers that is not above n.
func lastBefore(numbers []int, n int) int {
	i, found := slices.BinarySearch(numbers, n)
	if !found {
		i--
	}
	return i
}

// offset returns the offset of a position, 0 for a line that does not exist.
func (x *LineIndex) offset(line, column int) int {
	if line < 1 || line > len(x.starts) {
		return 0
	}
	number := x.starts[line-1] + max(column-1, 0)
	if number/markRunes >= len(x.marks) {
		return len(x.text)
	}
	at := x.marks[number/markRunes]
	for range number % markRunes {
		_, size := utf8.DecodeRune(x.text[at:])
		at += size
	}
	return at
}
