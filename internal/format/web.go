package format

import (
	"net/url"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// isURI accepts the strings that [url.ParseRequestURI] accepts.
func isURI(s string) bool {
	if isUnescapedURI(s) {
		return true
	}
	_, err := url.ParseRequestURI(s)
	return err == nil
}

// isUnescapedURI accepts common URIs in which nothing needs decoding: an absolute
// path, or a scheme, a host, an optional port and an optional path. A query may
// follow. It declines other URIs, valid or not.
func isUnescapedURI(s string) bool {
	if s == "" {
		return false
	}
	s, query, _ := strings.Cut(s, "?")
	if !all(query, isQueryByte) || s == "" {
		return false
	}
	if s[0] != '/' {
		var ok bool
		if s, ok = cutOrigin(s); !ok {
			return false
		}
	}
	return all(s, isPathByte)
}

// cutOrigin returns the path after scheme://host:port. It reports false if s does
// not begin with a scheme and a host in which nothing needs decoding.
func cutOrigin(s string) (path string, ok bool) {
	scheme, s, ok := strings.Cut(s, "://")
	if !ok || scheme == "" || !all(scheme, isLetter) {
		return "", false
	}
	at := strings.IndexByte(s, '/')
	if at < 0 {
		at = len(s)
	}
	host, port, _ := strings.Cut(s[:at], ":")
	return s[at:], host != "" && all(host, isHostNameByte) && all(port, isDigit)
}

func isHostNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c == '.' }

func isPathByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '/' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isQueryByte(c byte) bool { return isPathByte(c) || c == '=' || c == '&' }

// isEmail accepts the addresses that [net/mail.ParseAddress] accepts, including
// those with display names and comments.
func isEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	if ok && isDotAtom(local) && isDotAtom(domain) {
		return true
	}
	return strfmt.IsEmail(s)
}

// isDotAtom accepts words of letters, digits, plus signs, dashes and
// underscores, joined by dots.
func isDotAtom(s string) bool {
	if s == "" || s[len(s)-1] == '.' {
		return false
	}
	last := byte('.')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '.' && last == '.' {
			return false
		}
		if c != '.' && !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '_' {
			return false
		}
		last = c
	}
	return true
}
