package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/text/document"
)

// documents yields the documents of a text that are not blank. After an error,
// which has the position of the document, there is no other document.
func documents(name string, data []byte) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		data = document.UTF8(data)
		number := 0
		next := func(d *Document, err error) bool {
			number++
			d.File, d.Number = name, number
			return yield(d, err)
		}
		if isJSONName(name) {
			cutJSON(data, 1, next)
			return
		}
		for parts := document.Split(data); ; {
			part, line, err := parts.Next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				next(&Document{Line: line, Column: 1}, restUnread(err))
				return
			case document.Blank(part):
			case !cut(part, line, next):
				return
			}
		}
	}
}

func isJSONName(name string) bool {
	return slices.Contains([]string{".json", ".jsonl", ".ndjson"}, strings.ToLower(filepath.Ext(name)))
}

// cut yields the objects of JSON in a part of a text, or the part itself as YAML.
// It returns false if the rest of the text is not wanted or cannot be read.
func cut(part []byte, line int, yield func(*Document, error) bool) bool {
	if startsJSON(part) {
		return cutJSON(part, line, yield)
	}
	return yield(&Document{Line: line, Column: 1, Text: part, YAML: true}, nil)
}

// startsJSON reports whether a text is an object of JSON, followed by another
// one or by nothing. The flow mappings of YAML look alike.
func startsJSON(text []byte) bool {
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(trimmed))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return false
	}
	rest := bytes.TrimLeft(trimmed[d.InputOffset():], " \t\r\n")
	return len(rest) == 0 || rest[0] == '{'
}

// cutJSON yields the values of a sequence of JSON values. It returns false if the
// rest of the text is not wanted or cannot be read.
func cutJSON(text []byte, line int, yield func(*Document, error) bool) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	at := lineCounter{text: text, line: line}
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return true
		}
		doc := &Document{Text: raw}
		if err != nil {
			doc.Line, doc.Column = at.position(valueStart(text, int(d.InputOffset())))
			yield(doc, restUnread(err))
			return false
		}
		doc.Line, doc.Column = at.position(int(d.InputOffset()) - len(raw))
		if !yield(doc, nil) {
			return false
		}
	}
}

// restUnread returns the error of a document after which the rest of the file
// cannot be read.
func restUnread(err error) error {
	return fmt.Errorf("%w (the rest of the file is not read)", err)
}

func valueStart(text []byte, at int) int {
	for at < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[at]) >= 0 {
		at++
	}
	return at
}

// A lineCounter finds the positions of increasing offsets in a text.
type lineCounter struct {
	text         []byte
	offset       int // the last one
	line, column int // its position, column from 0
}

func (c *lineCounter) position(offset int) (line, column int) {
	skipped := c.text[c.offset:offset]
	if end := bytes.LastIndexByte(skipped, '\n'); end >= 0 {
		c.line += bytes.Count(skipped, []byte("\n"))
		c.column, skipped = 0, skipped[end+1:]
	}
	c.column += utf8.RuneCount(skipped)
	c.offset = offset
	return c.line, c.column + 1
}
