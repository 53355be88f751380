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
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(tokens[i], "~1", "/"), "~0", "~")
	}
	return tokens
}
