package explain

import (
	"fmt"
	"strings"
	"unicode"
)

// shortEnum is how many values of an enum a list of fields shows.
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

// enumShort prints the first values on a line of their own.
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

// enumLong prints each value on a line of its own.
func enumLong(s schema) string {
	values := enumValues(s)
	if len(values) == 0 {
		return ""
	}
	return "ENUM:\n    " + strings.Join(values, "\n    ")
}

// indent moves all lines of s to the right, an empty one after the last newline
// too.
func indent(by int, s string) string {
	pad := strings.Repeat(" ", by)
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad)
}

const noBreakSpace = '\u00a0'

// wrap breaks lines at white space so that they have at most limit characters,
// unless a word alone has more. White space at a break is lost.
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

// A wrapper holds back the last word, for it may have to go to the next line,
// and the white space before it, for it is lost then.
type wrapper struct {
	limit        int
	column       int // of what is written
	spaces, word []rune
	out          strings.Builder
}

// flush writes what is held back.
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
