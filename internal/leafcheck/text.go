package leafcheck

import (
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/pattern"
	"github.com/crdkit/crdkit/schema"
)

// Text has the checks of strings apart from enum. Lengths count runes, where
// each invalid byte counts as one.
type Text struct {
	Min, Max  schema.Count
	Expr      string           // pattern as declared, "" if there is none
	Pattern   *pattern.Pattern // nil if there is none or BadExpr is set
	BadExpr   string           // the error of compiling Expr; no string matches it
	Format    string           // as declared
	HasFormat format.Func      // nil if Format is not a format of strings
}

// Valid reports whether s passes all checks.
func (t *Text) Valid(s string) bool {
	return !t.TooLong(s) && !t.TooShort(s) && t.Matches(s) && (t.HasFormat == nil || t.HasFormat(s))
}

// TooLong reports whether s has more runes than Max.
func (t *Text) TooLong(s string) bool {
	if !t.Max.Set || int64(len(s)) <= t.Max.N { // there are at least as many bytes as runes
		return false
	}
	return int64(utf8.RuneCountInString(s)) > t.Max.N
}

// TooShort reports whether s has fewer runes than Min.
func (t *Text) TooShort(s string) bool {
	if !t.Min.Set {
		return false
	}
	if n := int64(len(s)); n < t.Min.N || (n+utf8.UTFMax-1)/utf8.UTFMax >= t.Min.N {
		return n < t.Min.N
	}
	return int64(utf8.RuneCountInString(s)) < t.Min.N
}

// Matches reports whether s matches the pattern. It is true without a pattern.
func (t *Text) Matches(s string) bool {
	if t.Pattern == nil {
		return t.Expr == ""
	}
	return t.Pattern.Match(s)
}
