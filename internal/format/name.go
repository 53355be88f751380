package format

import (
	"strings"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// isHostname accepts a single label, or labels and a top-level domain of at least
// two letters. As in strfmt, a single label may have a dash only as its second
// byte, even if that is the last one.
func isHostname(s string) bool {
	if !isASCII(s) {
		return strfmt.IsHostname(s)
	}
	if s == "" || len(s) > 255 {
		return false
	}
	top := strings.LastIndexByte(s, '.')
	if top < 0 {
		return isSingleLabel(s)
	}
	for start, i := 0, 0; i <= top; i++ {
		if s[i] != '.' {
			continue
		}
		if !isLabel(s[start:i], isHostByte) {
			return false
		}
		start = i + 1
	}
	s = s[top+1:]
	return len(s) >= 2 && len(s) <= 63 && all(s, isLetter)
}

func isSingleLabel(s string) bool {
	if len(s) > 63 || !isHostByte(s[0]) {
		return false
	}
	return all(strings.TrimPrefix(s[1:], "-"), isHostByte)
}

// isLabel accepts 1 to 63 bytes. Each byte must satisfy f or be a dash, and
// neither the first nor the last byte may be a dash.
func isLabel(s string, f func(byte) bool) bool { return len(s) <= 63 && isSegment(s, f) }

// isSegment accepts what isLabel accepts, but without the limit of 63 bytes.
func isSegment(s string, f func(byte) bool) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '-' && !f(s[i]) {
			return false
		}
	}
	return true
}

// isHostByte accepts the letters, digits and symbols of ASCII. It accepts symbols
// because strfmt accepts every Unicode symbol in a hostname.
func isHostByte(c byte) bool {
	switch c {
	case '$', '+', '<', '=', '>', '^', '`', '|', '~':
		return true
	}
	return isLetter(c) || isDigit(c)
}

func isLowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || isDigit(c) }

func isShortName(s string) bool { return isLabel(s, isLowerOrDigit) }

func isLongName(s string) bool {
	if len(s) > strfmt.LongNameMaxLength {
		return false
	}
	for more := true; more; {
		var segment string
		segment, s, more = strings.Cut(s, ".")
		if !isSegment(segment, isLowerOrDigit) {
			return false
		}
	}
	return true
}
