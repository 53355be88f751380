package document

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLongLines compares columns in lines of many lengths with a count from their start.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("aé€😀\xff", 1000)
	text := "short\n" + long + "\n" + long[:markEvery] + "\n\n" + long
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
