package celtypes

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
)

// The text of an error shows its line and a mark below the column. cel-go makes the
// mark one dot at a time, in time quadratic in the column, for each of up to 100
// errors. This file makes the same text in linear time.

const (
	maxShownLine = 16384 // bytes; longer lines are not shown
	maxErrors    = 100   // more are only counted
)

// A mistake is an error of an expression.
type mistake struct {
	line, column int // both -1 for none
	text         string
}

// textOf returns what issues.String returns. It drops the locations of the issues.
func textOf(issues *cel.Issues, text string) string {
	list := issues.Errors()
	errs := make([]mistake, len(list))
	for i, e := range list {
		errs[i] = mistake{e.Location.Line(), e.Location.Column(), e.Message}
	}
	out := listed(errs, text)
	if len(list) >= maxErrors {
		for _, e := range list {
			e.Location = common.NoLocation
		}
		short := issues.String()
		if last := short[strings.LastIndexByte(short, '\n')+1:]; strings.HasSuffix(last, truncated) {
			out += "\n" + last
		}
	}
	return out
}

const truncated = " more errors were truncated"

// listed returns the text of errors in the order of their places. Only the first ones that
// were found are shown.
func listed(errs []mistake, text string) string {
	more := len(errs) - maxErrors
	if more > 0 {
		errs = errs[:maxErrors]
	}
	for i := range errs {
		for j := i; j > 0 && (errs[j].line < errs[j-1].line || errs[j].line == errs[j-1].line && errs[j].column < errs[j-1].column); j-- {
			errs[j], errs[j-1] = errs[j-1], errs[j]
		}
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	var b strings.Builder
	size := 0
	for i := range errs {
		line, _ := lineOf(text, errs[i].line)
		size += 2*min(len(line), maxShownLine) + len(errs[i].text) + 40
	}
	b.Grow(size)
	for i := range errs {
		if i > 0 {
			b.WriteByte('\n')
		}
		errs[i].write(&b, text)
	}
	if more > 0 {
		b.WriteString("\n" + strconv.Itoa(more) + truncated)
	}
	return b.String()
}

func (m *mistake) write(b *strings.Builder, text string) {
	b.WriteString("ERROR: <input>:" + strconv.Itoa(m.line) + ":" + strconv.Itoa(m.column+1) + ": " + m.text)
	rest, ok := lineOf(text, m.line)
	if !ok || len(rest) > maxShownLine {
		return
	}
	b.WriteString("\n | ")
	b.WriteString(strings.ReplaceAll(rest, "\t", " "))
	b.WriteString("\n | ")
	for n := m.column; n > 0 && rest != ""; n-- {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		b.WriteString(wider(size, ".", "\uff0e"))
	}
	_, size := utf8.DecodeRuneInString(rest)
	b.WriteString(wider(size, "^", "\uff3e"))
}

// lineOf returns a line of a text. An empty text has none.
func lineOf(text string, line int) (string, bool) {
	if line < 1 || text == "" {
		return "", false
	}
	for ; line > 1; line-- {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			return "", false
		}
		text = text[end+1:]
	}
	before, _, _ := strings.Cut(text, "\n")
	return before, true
}

// wider returns the mark below a letter of so many bytes.
func wider(size int, narrow, wide string) string {
	if size > 1 {
		return wide
	}
	return narrow
}
