package kubectl

import (
	"fmt"
	"strings"
	"unicode"
)

// shortEnum is the number of enum values that a list of fields shows.
const shortEnum = 4

func enumValues(s schema) []string {
	list, _ := s["enum"].([]any)
	var out []string
	for _, v := range list {
		switch v {
		case nil:
			out = append(out, "<no value>")
		case "":
			out = append(out, `""`)
		default:
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}

// enumShort returns a line with the first enum values, "" if there are none.
func enumShort(s schema, by int) string {
	values := enumValues(s)
	if len(values) == 0 {
		return ""
	}
	if len(values) > shortEnum {
		values = append(values[:shortEnum:shortEnum], "....")
	}
	return "\n" + indent(by, "enum: ") + strings.Join(values, ", ")
}

// enumLong returns the enum values, one per line, "" if there are none.
func enumLong(s schema) string {
	values := enumValues(s)
	if len(values) == 0 {
		return ""
	}
	return "ENUM:\n    " + strings.Join(values, "\n    ")
}

// indent indents all lines of s, including an empty line after the last line feed.
func indent(by int, s string) string {
	pad := strings.Repeat(" ", by)
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad)
}

const noBreakSpace = '\u00a0'

// wrap breaks lines at white space so that they have at most limit characters,
// unless a single word has more. It drops white space at a break.
func wrap(limit int, s string) string {
	w := wrapper{limit: limit}
	for _, c := range s {
		switch {
		case c == '\n':
			w.newline()
		case unicode.IsSpace(c) && c != noBreakSpace:
			w.space(c)
		default:
			w.letter(c)
		}
	}
	if len(w.word) > 0 || w.column+len(w.spaces) <= limit {
		w.flush()
	}
	return w.out.String()
}

// A wrapper delays the last word, which may have to go to the next line, and the
// white space before it, which is dropped then.
type wrapper struct {
	limit        int
	column       int // of the output
	spaces, word []rune
	out          strings.Builder
}

// flush writes the delayed white space and word.
func (w *wrapper) flush() {
	w.out.WriteString(string(w.spaces))
	w.out.WriteString(string(w.word))
	w.column += len(w.spaces) + len(w.word)
	w.spaces, w.word = w.spaces[:0], w.word[:0]
}

func (w *wrapper) newline() {
	if len(w.word) > 0 || w.column+len(w.spaces) <= w.limit {
		w.flush()
	}
	w.spaces = w.spaces[:0]
	w.out.WriteByte('\n')
	w.column = 0
}

func (w *wrapper) space(c rune) {
	if len(w.word) > 0 {
		w.flush()
	}
	w.spaces = append(w.spaces, c)
}

func (w *wrapper) letter(c rune) {
	w.word = append(w.word, c)
	if w.column+len(w.spaces)+len(w.word) > w.limit && len(w.word) < w.limit {
		w.out.WriteByte('\n')
		w.column = 0
		w.spaces = w.spaces[:0]
	}
}
