package document

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLongLines compares columns in lines of many lengths with a count from their start.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("aé€😀\xff", 1000)
	text := "short\n" + long + "\n" + long[:4096] + "\n\n" + long
	x := NewLineIndex([]byte(text))
	for offset := 0; offset < len(text); offset++ {
		if !utf8.RuneStart(text[offset]) {
			continue
		}
		start := strings.LastIndexByte(text[:offset], '\n') + 1
		wantLine, wantColumn := strings.Count(text[:offset], "\n")+1, utf8.RuneCountInString(text[start:offset])+1
		if line, column := x.Position(offset); line != wantLine || column != wantColumn {
			t.Fatalf("Position(%d) = %d:%d, want %d:%d", offset, line, column, wantLine, wantColumn)
		}
	}
}

// TestYAMLLines compares the offsets of nodes with those that are counted from the start of
// their lines.
func TestYAMLLines(t *testing.T) {
	for _, first := range []string{"", byteOrderMark} {
		text, line, column := first, 1, 1
		l := newYAMLLines([]byte(first + strings.Repeat("aé€😀", 100) + "\r\n\n" + strings.Repeat("b\r", 70) + "c\u0085d\u2028e"))
		for rest := string(l.text[len(first):]); rest != ""; column++ {
			if got := l.offset(line, column); got != len(text) {
				t.Fatalf("offset of %d:%d = %d, want %d", line, column, got, len(text))
			}
			_, size := utf8.DecodeRuneInString(rest)
			ends := breakSize([]byte(rest)) == size
			text, rest = text+rest[:size], rest[size:]
			if ends {
				line, column = line+1, 0
			}
		}
		if got := l.offset(line, column+1000); line != 75 || got != len(l.text) {
			t.Errorf("offset behind the end, in line %d of 75, = %d, want %d", line, got, len(l.text))
		}
	}
}
