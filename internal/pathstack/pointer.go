package pathstack

import "strings"

// Tokens returns the reference tokens of a JSON pointer, unescaped. The pointer to the
// root, "", has none.
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range tokens {
		tokens[i] = Unescape(tokens[i])
	}
	return tokens
}

// Unescape returns the name that a reference token of a JSON pointer (RFC 6901) stands
// for: it is the inverse of [AppendToken]. A "~" without 0 or 1 after it stays.
func Unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
