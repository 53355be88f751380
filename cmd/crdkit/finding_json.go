package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
)

// A lineWriter writes a finding as one line of JSON.
type lineWriter interface {
	writeLine(io.Writer) error
}

// jsonLines prints -o jsonl.
type jsonLines struct{ out io.Writer }

func (p jsonLines) print(f *finding) error { return f.line.writeLine(p.out) }

func (p jsonLines) end() error { return nil }

// jsonArray prints -o json: an array with the lines of -o jsonl. It keeps no finding.
type jsonArray struct {
	out     io.Writer
	printed bool
}

func (p *jsonArray) print(f *finding) error {
	before := ",\n"
	if !p.printed {
		before, p.printed = "[\n", true
	}
	if _, err := io.WriteString(p.out, before); err != nil {
		return err
	}
	return f.line.writeLine(withoutLineFeed{p.out})
}

func (p *jsonArray) end() error {
	after := "\n]\n"
	if !p.printed {
		after = "[]\n"
	}
	_, err := io.WriteString(p.out, after)
	return err
}

// withoutLineFeed writes all but line feeds, which JSON has only between values.
type withoutLineFeed struct{ out io.Writer }

func (w withoutLineFeed) Write(p []byte) (int, error) {
	if _, err := w.out.Write(bytes.TrimSuffix(p, []byte("\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// encodeJSON writes a value as JSON and a line feed. Characters that a terminal obeys are
// written as escape sequences, which have the same meaning in JSON.
func encodeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeJSON(b.Bytes()))
	return err
}

// escapeJSON returns JSON with escape sequences for characters that a terminal obeys.
func escapeJSON(text []byte) []byte {
	if bytes.IndexFunc(text, escapedInJSON) < 0 {
		return text
	}
	var escaped bytes.Buffer
	for _, r := range string(text) {
		if escapedInJSON(r) {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.Bytes()
}

// escapedInJSON reports whether a character, which can only be part of a string, needs an
// escape sequence on a terminal.
func escapedInJSON(r rune) bool { return r != '\n' && r <= 0xffff && !unicode.IsGraphic(r) }
