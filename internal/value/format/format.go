package format

import (
	"strings"

	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/crdkit/crdkit/internal/kube/kubeversion"
)

// A Func reports whether a string has a format.
type Func func(string) bool

// DefaultMinor is the minor version whose formats [kubeversion.Newest] uses.
const DefaultMinor = int(kubeversion.Newest) - 1

// namesSince is the first minor version with k8s-long-name and k8s-short-name.
const namesSince = 34

// Normalize returns the name of a format without dashes.
func Normalize(name string) string { return strings.ReplaceAll(name, "-", "") }

// Supported reports whether Kubernetes 1.minor checks a format for the declared type. typ is "" if
// no type or several types are declared, as with x-kubernetes-int-or-string. A server ignores all
// other formats.
func Supported(typ, format string, minor int) bool {
	switch typ {
	case "", "string":
		return isKnown(Normalize(format), minor)
	case "integer":
		return format == "int32" || format == "int64"
	case "number":
		return format == "float" || format == "double"
	}
	return false
}

// isKnown reports whether Kubernetes 1.minor knows a format of strings. The name is normalized.
func isKnown(name string, minor int) bool {
	if name == "k8slongname" || name == "k8sshortname" {
		return minor >= namesSince
	}
	return strfmt.Default.ContainsName(name)
}

// Lookup returns the check of a format of strings. If Kubernetes 1.minor ignores the format, it
// returns nil and false.
func Lookup(name string, minor int) (Func, bool) {
	if !isKnown(Normalize(name), minor) {
		return nil, false
	}
	return Registered(name)
}

// Registered returns the check of a format in any version of Kubernetes. If there is none, it
// returns nil and false.
func Registered(name string) (Func, bool) {
	switch name = Normalize(name); {
	case name == "byte":
		return isBase64, true
	case name == "date":
		return strfmt.IsDate, true
	case name == "datetime":
		return isDateTime, true
	case name == "hostname":
		return isHostname, true
	case strfmt.Default.ContainsName(name):
		return func(s string) bool { return strfmt.Default.Validates(name, s) }, true
	}
	return nil, false
}

// isBase64 accepts padded standard base64 of at least one byte. Unused bits may be set.
func isBase64(s string) bool {
	if s == "" || len(s)%4 != 0 {
		return false
	}
	s = strings.TrimSuffix(s, "=")
	if len(s)%4 == 3 {
		s = strings.TrimSuffix(s, "=")
	}
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && !isLetter(c) && c != '+' && c != '/' {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isHostname accepts usual names at once. strfmt checks all others with a regular expression.
func isHostname(s string) bool { return isUsualHostname(s) || strfmt.IsHostname(s) }

func isUsualHostname(s string) bool {
	const longest, longestLabel = 255, 63
	labels, last, several := s, "", false
	if top := strings.LastIndexByte(s, '.'); top >= 0 {
		labels, last, several = s[:top], s[top+1:], true
	}
	if several && (len(s) > longest || len(last) < 2 || len(last) > longestLabel || !all(last, isLetter)) {
		return false
	}
	for label := range strings.SplitSeq(labels, ".") {
		inside := func(c byte) bool { return isLetter(c) || isDigit(c) || several && c == '-' }
		if label == "" || len(label) > longestLabel || label[0] == '-' || label[len(label)-1] == '-' || !all(label, inside) {
			return false
		}
	}
	return true
}

func all(s string, f func(byte) bool) bool {
	for i := range len(s) {
		if !f(s[i]) {
			return false
		}
	}
	return true
}

// isDateTime accepts a date, t or T, and a time with a zone.
func isDateTime(s string) bool {
	if len(s) > 19 && s[10]|0x20 == 't' && s[19]|0x20 != 't' && strfmt.IsDate(s[:10]) && isClock(s[11:]) {
		return true
	}
	return strfmt.IsDateTime(s)
}

// isClock accepts hh:mm:ss, an optional fraction, and a zone: z, +hh:mm or -hh:mm. A fraction is
// any byte except a newline, and then digits.
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

// twoDigits returns the number of two digits. It returns a negative number if a byte is not a
// digit.
func twoDigits(s string, at int) int {
	if !isDigit(s[at]) || !isDigit(s[at+1]) {
		return -1
	}
	return int(s[at]-'0')*10 + int(s[at+1]-'0')
}
