package celtypes

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
)

// The text of an error shows its line and a mark below the column. cel-go makes the
// mark one dot at a time, in time quadratic in the column, for each of up to 100
// errors. This file makes the same text in linear time.

const (
	maxShownLine = 16384 // bytes; longer lines are not shown
	maxErrors    = 100   // more are only counted
)

// problems returns the words of cel-go for the errors of our parser, "" if there are none
// or only cel-go words them.
func (x *Checker) problems(text string) string {
	located := x.Language.syntax.Locate(text)
	if located == nil || len(located.Problems) == 0 {
		return ""
	}
	source := common.NewTextSource(text)
	info, errs := ast.NewSourceInfo(source), common.NewErrors(source)
	for _, p := range located.Problems {
		errs.ReportErrorString(info.GetLocationByOffset(int32(p.Offset)), p.Text)
	}
	return textOf(cel.NewIssues(errs), source)
}

// worded returns the text of issues of a tree that has no source positions if our parser
// has read it.
func (x *Checker) worded(issues *cel.Issues, text string) string {
	source := common.NewTextSource(text)
	if located := x.Language.syntax.Locate(text); located != nil {
		info := ast.NewSourceInfo(source)
		for _, e := range issues.Errors() {
			e.Location = common.NoLocation
			if at, ok := located.Offset(e.ExprID); ok {
				e.Location = info.GetLocationByOffset(int32(at))
			}
		}
	}
	return textOf(issues, source)
}

// textOf returns what issues.String returns. It drops the locations of the issues.
func textOf(issues *cel.Issues, source common.Source) string {
	errs := issues.Errors()
	sort.SliceStable(errs, func(i, j int) bool {
		a, b := errs[i].Location, errs[j].Location
		return a.Line() < b.Line() || a.Line() == b.Line() && a.Column() < b.Column()
	})
	lines := make([]string, 0, len(errs)+1)
	for _, e := range errs {
		lines = append(lines, errorText(e, source))
	}
	if len(errs) >= maxErrors {
		for _, e := range errs {
			e.Location = common.NoLocation
		}
		short := issues.String()
		if last := short[strings.LastIndexByte(short, '\n')+1:]; strings.HasSuffix(last, " more errors were truncated") {
			lines = append(lines, last)
		}
	}
	return strings.Join(lines, "\n")
}

func errorText(e *common.Error, source common.Source) string {
	head := fmt.Sprintf("ERROR: %s:%d:%d: %s", source.Description(), e.Location.Line(), e.Location.Column()+1, e.Message)
	line, ok := source.Snippet(e.Location.Line())
	if !ok || len(line) > maxShownLine {
		return head
	}
	var mark strings.Builder
	rest := line
	for range max(e.Location.Column(), 0) {
		if rest == "" {
			break
		}
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		mark.WriteString(wider(size, ".", "\uff0e"))
	}
	_, size := utf8.DecodeRuneInString(rest)
	return head + "\n | " + strings.ReplaceAll(line, "\t", " ") + "\n | " + mark.String() + wider(size, "^", "\uff3e")
}

// wider returns the mark below a letter of so many bytes.
func wider(size int, narrow, wide string) string {
	if size > 1 {
		return wide
	}
	return narrow
}
