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

	"github.com/crdkit/crdkit/internal/text/document"
)

// documents yields the documents that are not blank, up to the first error, which has its
// position.
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

// cut yields the JSON objects in a part of a text, or the part as YAML. It is false at the
// end, or if the rest cannot be read.
func cut(part []byte, line int, yield func(*Document, error) bool) bool {
	if startsJSON(part) {
		return cutJSON(part, line, yield)
	}
	return yield(&Document{Line: line, Column: 1, Text: part, YAML: true}, nil)
}

// startsJSON reports whether a text is a JSON object, followed by another one or nothing,
// unlike a flow mapping of YAML.
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

// cutJSON yields the values of a sequence. It is false at the end, or if the rest cannot be
// read.
func cutJSON(text []byte, line int, yield func(*Document, error) bool) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	at := document.NewLineCounter(text)
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return true
		}
		doc := &Document{Text: raw}
		if err != nil {
			doc.place(at.Position(valueStart(text, int(d.InputOffset()))), line)
			yield(doc, restUnread(err))
			return false
		}
		doc.place(at.Position(int(d.InputOffset())-len(raw)), line)
		if !yield(doc, nil) {
			return false
		}
	}
}

// place sets the position of a document in a text that begins at a line.
func (d *Document) place(at document.Position, line int) {
	d.Line, d.Column = at.Line+line-1, at.Column
}

// restUnread returns the error of a document after which the rest of the file is unread.
func restUnread(err error) error {
	return fmt.Errorf("%w (the rest of the file is not read)", err)
}

func valueStart(text []byte, at int) int {
	for at < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[at]) >= 0 {
		at++
	}
	return at
}
