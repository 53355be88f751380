package objectmeta

// The functions in this file check names without a regular expression and
// without an allocation. Each accepts only names that the named rule of
// Kubernetes accepts. Where case is folded, and for prefixes, the rule also
// accepts a few unusual names.

const (
	maxSubdomain = 253
	maxLabel     = 63
)

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLowerAlnum(c byte) bool { return isLower(c) || isDigit(c) }

// isSubdomain: IsDNS1123Subdomain.
func isSubdomain(s string) bool { return subdomain(s, false) }

// subdomain is like isSubdomain. With fold, upper case counts as lower case.
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

// isSubdomainPrefix: NameIsDNSSubdomain of a prefix. It may end with a dash,
// which a name may not.
func isSubdomainPrefix(s string) bool {
	if len(s) > 1 && s[len(s)-1] == '-' {
		s = s[:len(s)-1]
	}
	return isSubdomain(s)
}

// isLabel: IsDNS1123Label.
func isLabel(s string) bool {
	return len(s) <= maxLabel && isSubdomain(s) && !hasByte(s, '.')
}

// isKind: IsDNS1035Label of the lower-cased kind.
func isKind(s string) bool {
	if len(s) > maxLabel || !subdomain(s, true) || hasByte(s, '.') {
		return false
	}
	return !isDigit(s[0])
}

func hasByte(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}

// isQualifiedName: IsQualifiedName. With fold, of the lower-cased name.
func isQualifiedName(s string, fold bool) bool {
	for i := range len(s) {
		if s[i] == '/' {
			return subdomain(s[:i], fold) && isNamePart(s[i+1:])
		}
	}
	return isNamePart(s)
}

// isNamePart reports whether s is a qualified name without a prefix.
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

// isLabelValue: IsValidLabelValue.
func isLabelValue(s string) bool { return s == "" || isNamePart(s) }

// isPathPrefix: IsPathSegmentPrefix.
func isPathPrefix(s string) bool { return !hasByte(s, '/') && !hasByte(s, '%') }

// isPathName: IsPathSegmentName.
func isPathName(s string) bool { return s != "." && s != ".." && isPathPrefix(s) }
