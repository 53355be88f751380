package format

import "k8s.io/kube-openapi/pkg/validation/strfmt"

// isDateTime accepts a date, a t and a time with a zone. Both t and z may be upper
// case. It recognises the common forms itself.
func isDateTime(s string) bool {
	if len(s) > 19 && s[10]|0x20 == 't' && s[19]|0x20 != 't' && strfmt.IsDate(s[:10]) && isClock(s[11:]) {
		return true
	}
	return strfmt.IsDateTime(s)
}

// isClock accepts a time hh:mm:ss, an optional fraction and a zone. Any byte except
// a newline may separate the fraction. The zone is z, +hh:mm or -hh:mm.
func isClock(s string) bool {
	if len(s) < len("15:04:05z") || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := twoDigits(s, 0), twoDigits(s, 3), twoDigits(s, 6)
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return false
	}
	s = s[8:]
	if isZone(s) {
		return true
	}
	if s[0] == '\n' || len(s) < 2 || !isDigit(s[1]) {
		return false
	}
	s = s[1:]
	for s != "" && isDigit(s[0]) {
		s = s[1:]
	}
	return isZone(s)
}

func isZone(s string) bool {
	switch len(s) {
	case 1:
		return s[0]|0x20 == 'z'
	case 6:
		return (s[0] == '+' || s[0] == '-') && twoDigits(s, 1) >= 0 && s[3] == ':' && twoDigits(s, 4) >= 0
	}
	return false
}

// twoDigits returns the number with the digits s[at] and s[at+1], or a negative
// number if one of them is not a digit.
func twoDigits(s string, at int) int {
	if !isDigit(s[at]) || !isDigit(s[at+1]) {
		return -1
	}
	return int(s[at]-'0')*10 + int(s[at+1]-'0')
}
