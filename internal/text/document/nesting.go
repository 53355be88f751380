package document

// NestedDeeper reports whether the objects and lists of a JSON text are nested in more
// than the given number of levels. It takes time in proportion to the text, allocates
// nothing, and does not check that the text is well-formed.
func NestedDeeper[T string | []byte](json T, levels int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(json); i++ {
		switch c := json[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > levels {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
