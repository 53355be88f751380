package document

import (
	"bytes"
	"unicode/utf8"
)

const byteOrderMark = "\ufeff"

// A Position is a location in a text. Lines end with line feeds.
type Position struct {
	Line   int // from 1
	Column int // from 1, in code points
}

// A LineCounter finds the positions of offsets in a text, which must increase.
type LineCounter struct {
	text   []byte
	offset int // the last one
	at     Position
}

// NewLineCounter returns a LineCounter, which keeps the text.
func NewLineCounter(text []byte) *LineCounter {
	return &LineCounter{text: text, at: Position{1, 1}}
}

// Position returns the position of an offset, which is not less than the one before.
func (c *LineCounter) Position(offset int) Position {
	skipped := c.text[c.offset:offset]
	if end := bytes.LastIndexByte(skipped, '\n'); end >= 0 {
		c.at.Line += bytes.Count(skipped, []byte("\n"))
		c.at.Column, skipped = 1, skipped[end+1:]
	}
	c.at.Column += utf8.RuneCount(skipped)
	c.offset = offset
	return c.at
}
