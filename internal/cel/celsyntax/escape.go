package celsyntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape returns the value of a token of a string. It is not ok for an escape that cel-go
// refuses.
func (t token) unescape() (string, bool) {
	text := t.text
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	if t.raw || strings.IndexByte(text, '\\') < 0 {
		return text, true
	}
	b := make([]byte, 0, len(text))
	for text != "" {
		at := strings.IndexByte(text, '\\')
		if at < 0 {
			break
		}
		b = append(b, text[:at]...)
		var ok bool
		if b, text, ok = appendEscape(b, text[at+1:]); !ok {
			return "", false
		}
	}
	return string(append(b, text...)), true
}

const (
	escapes = "abfnrtv\\'\"`?"
	escaped = "\a\b\f\n\r\t\v\\'\"`?"
)

// appendEscape appends the value of the escape that text begins with, after its
// backslash. It returns the rest of the text.
func appendEscape(b []byte, text string) (out []byte, rest string, ok bool) {
	if text == "" {
		return b, "", false
	}
	if at := strings.IndexByte(escapes, text[0]); at >= 0 {
		return append(b, escaped[at]), text[1:], true
	}
	first, length, base := 1, 0, 16
	switch text[0] {
	case 'x', 'X':
		length = 2
	case 'u':
		length = 4
	case 'U':
		length = 8
	case '0', '1', '2', '3':
		first, length, base = 0, 3, 8
	}
	if length == 0 || len(text) < first+length {
		return b, "", false
	}
	digits := text[first : first+length]
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return b, "", false
	}
	if v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return b, "", false
	}
	return utf8.AppendRune(b, rune(v)), text[first+length:], true
}
