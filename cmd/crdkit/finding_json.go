package main

import (
	"bytes"
	"io"
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
