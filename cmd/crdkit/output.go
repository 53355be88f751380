package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// An outputWriter is standard output. It keeps the first error, so that the command fails if
// output is lost.
type outputWriter struct {
	out io.Writer
	err error
}

func (w *outputWriter) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.out.Write(p)
	if err != nil {
		w.err = fmt.Errorf("writing the output: %w", err)
	}
	return n, w.err
}

// A textWriter writes text for people. The text may quote input, so control characters are
// escaped.
type textWriter struct{ out io.Writer }

func (w textWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.out, printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// printable escapes characters that are not graphic, except line feeds and tabs, and bytes
// that are not UTF-8.
func printable(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case !unprintable(r):
			b.WriteString(text[:size])
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		text = text[size:]
	}
	return b.String()
}

func unprintable(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }

// mapped returns f(v) for each value v. The result is never nil, so it is a list in JSON.
func mapped[T, U any](values []T, f func(T) U) []U {
	all := []U{}
	for _, v := range values {
		all = append(all, f(v))
	}
	return all
}

// listed returns a copy of values that is never nil, so it is a list in JSON.
func listed[T any](values []T) []T { return append([]T{}, values...) }

func texts[T any](values []T) []string {
	return mapped(values, func(v T) string { return fmt.Sprint(v) })
}

// fileBelow returns the file that w writes to, or nil.
func fileBelow(w io.Writer) *os.File {
	switch w := w.(type) {
	case *outputWriter:
		return fileBelow(w.out)
	case textWriter:
		return fileBelow(w.out)
	case *os.File:
		return w
	}
	return nil
}

// hasColors reports whether text may have colors: on a terminal, unless NO_COLOR is set.
//
// See https://no-color.org.
func hasColors(out io.Writer) bool { return isTerminal(out) && os.Getenv("NO_COLOR") == "" }

// An objectWriter prints objects as documents of YAML.
type objectWriter struct {
	out     io.Writer
	printed bool
}

func (w *objectWriter) yaml(object map[string]any) error {
	text, err := yaml.Marshal(object)
	if err != nil {
		return err
	}
	if w.printed {
		text = append([]byte("---\n"), text...)
	}
	w.printed = true
	_, err = w.out.Write(text)
	return err
}
