package celtypes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
)

const (
	maxShownLine = 16384 // bytes; longer lines are not shown
	maxErrors    = 100   // more are only counted
	truncated    = " more errors were truncated"
)

// textOf returns what issues.String returns: each error with its line and a mark below the
// column. cel-go makes the mark one dot at a time, in time quadratic in the column. textOf
// sorts the issues and drops their locations.
func textOf(issues *cel.Issues, text string) string {
	list, source := issues.Errors(), common.NewTextSource(text)
	slices.SortStableFunc(list, func(a, b *cel.Error) int {
		return cmp.Or(cmp.Compare(a.Location.Line(), b.Location.Line()), cmp.Compare(a.Location.Column(), b.Location.Column()))
	})
	var b strings.Builder
	for i, e := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "ERROR: <input>:%d:%d: %s", e.Location.Line(), e.Location.Column()+1, e.Message)
		rest, ok := source.Snippet(e.Location.Line())
		if !ok || len(rest) > maxShownLine {
			continue
		}
		b.WriteString("\n | " + strings.ReplaceAll(rest, "\t", " ") + "\n | ")
		mark := func(narrow, wide string) {
			_, size := utf8.DecodeRuneInString(rest)
			if rest = rest[size:]; size > 1 {
				narrow = wide
			}
			b.WriteString(narrow)
		}
		for n := e.Location.Column(); n > 0 && rest != ""; n-- {
			mark(".", "\uff0e")
		}
		mark("^", "\uff3e")
	}
	if len(list) >= maxErrors {
		for _, e := range list {
			e.Location = common.NoLocation
		}
		short := issues.String()
		if last := short[strings.LastIndexByte(short, '\n')+1:]; strings.HasSuffix(last, truncated) {
			b.WriteString("\n" + last)
		}
	}
	return b.String()
}
