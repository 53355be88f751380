// Package objectname checks names without a regular expression and without an allocation.
//
// The comment of each function names a rule of Kubernetes. The function accepts only names that the
// rule accepts. Functions that ignore case or check a prefix refuse a few unusual names that the
// rule accepts. Callers that need an error call the rule.
package objectname

import "strings"

const (
	maxSubdomain = 253
	maxLabel     = 63
)

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLowerAlnum(c byte) bool { return isLower(c) || isDigit(c) }

// IsSubdomain is like IsDNS1123Subdomain.
func IsSubdomain(s string) bool { return subdomain(s, false) }

// subdomain is like IsSubdomain. If fold is true, upper case is allowed.
func subdomain(s string, fold bool) bool {
	if s == "" || len(s) > maxSubdomain {
		return false
	}
	start := true // of a label
	for i := range len(s) {
		c := s[i]
		switch {
		case isLowerAlnum(c), fold && isUpper(c):
			start = false
		case c == '-':
			if start || i+1 == len(s) || s[i+1] == '.' {
				return false
			}
		case c == '.':
			if start {
				return false
			}
			start = true
		default:
			return false
		}
	}
	return !start
}

// IsSubdomainPrefix is like NameIsDNSSubdomain of a prefix, which may end with a dash.
func IsSubdomainPrefix(s string) bool {
	if len(s) > 1 && s[len(s)-1] == '-' {
		s = s[:len(s)-1]
	}
	return IsSubdomain(s)
}

// IsLabel is like IsDNS1123Label.
func IsLabel(s string) bool {
	return len(s) <= maxLabel && IsSubdomain(s) && !strings.Contains(s, ".")
}

// IsDNS1035Label is like the rule of the same name: a label that does not begin with a digit.
func IsDNS1035Label(s string) bool { return IsLabel(s) && !isDigit(s[0]) }

// IsKind is like IsDNS1035Label of the kind in lower case.
func IsKind(s string) bool {
	if len(s) > maxLabel || !subdomain(s, true) || strings.Contains(s, ".") {
		return false
	}
	return !isDigit(s[0])
}

// IsQualifiedName is like the rule of the same name. If fold is true, it checks s in lower case.
func IsQualifiedName(s string, fold bool) bool {
	for i := range len(s) {
		if s[i] == '/' {
			return subdomain(s[:i], fold) && isNamePart(s[i+1:])
		}
	}
	return isNamePart(s)
}

func isNamePart(s string) bool {
	if s == "" || len(s) > maxLabel {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if isLowerAlnum(c) || isUpper(c) {
			continue
		}
		if c != '-' && c != '_' && c != '.' || i == 0 || i == len(s)-1 {
			return false
		}
	}
	return true
}

// IsLabelValue is like IsValidLabelValue.
func IsLabelValue(s string) bool { return s == "" || isNamePart(s) }

// IsPathPrefix is like IsPathSegmentPrefix.
func IsPathPrefix(s string) bool { return !strings.Contains(s, "/") && !strings.Contains(s, "%") }

// IsPathName is like IsPathSegmentName.
func IsPathName(s string) bool { return s != "." && s != ".." && IsPathPrefix(s) }
