package format

import "unicode/utf8"

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isSpace reports whether \s in a regular expression matches c.
func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// all reports whether every byte of s satisfies f.
func all(s string, f func(byte) bool) bool {
	for i := 0; i < len(s); i++ {
		if !f(s[i]) {
			return false
		}
	}
	return true
}

// twoDigits returns the number with the digits s[at] and s[at+1], or a negative
// number if one of them is not a digit.
func twoDigits(s string, at int) int {
	if !isDigit(s[at]) || !isDigit(s[at+1]) {
		return -1
	}
	return int(s[at]-'0')*10 + int(s[at+1]-'0')
}
