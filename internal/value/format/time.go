package format

import "k8s.io/kube-openapi/pkg/validation/strfmt"

// isDate accepts a date yyyy-mm-dd that exists. The year 0000 is a leap year.
func isDate(s string) bool {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, year, month, day := twoDigits(s, 0), twoDigits(s, 2), twoDigits(s, 5), twoDigits(s, 8)
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= daysIn(month, century*100+year)
}

func daysIn(month, year int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// isDateTime accepts a date, a t and a time with a zone. Both t and z may be upper
// case. It recognises the common forms itself.
func isDateTime(s string) bool {
	if len(s) > 19 && s[10]|0x20 == 't' && s[19]|0x20 != 't' && isDate(s[:10]) && isClock(s[11:]) {
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
