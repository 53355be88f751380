package document

import "strings"

// readBareScalar reads a plain scalar, which continues on lines that are
// indented more than a column.
func (r *yamlTokenizer) readBareScalar(col int) bool {
	at := r.i
	if !isBareStart(r.text[at], r.text[at+1]) {
		return false
	}
	line, more, ok := r.bareLine()
	if !ok {
		return false
	}
	if !more || !r.continuesBare(col) {
		if !r.addBare(at, line) {
			return false
		}
		return r.endLine()
	}
	from := r.startDecoded()
	r.decoded.WriteString(line)
	for more && r.continuesBare(col) {
		if !r.foldLines(col) {
			return false
		}
		if line, more, ok = r.bareLine(); !ok {
			return false
		}
		r.decoded.WriteString(line)
	}
	if !isCertainlyString(r.decoded.String()[from:]) {
		return false
	}
	r.addDecoded(at, from)
	return r.endLine()
}

// isBareStart reports whether a plain scalar may start with c, before the byte
// next. YAML allows more.
func isBareStart(c, next byte) bool {
	switch c {
	case '-':
		return next != ' ' && next != '\n'
	case '_', '$', '/', '^', '(', '.', '+', '<', '=', '\\', ';':
		return true
	}
	return isLetter(c) || isDigit(c) || c >= 0x80
}

// bareLine reads the part of a plain scalar on the current line. more reports
// whether the line does not end with a comment, so that the scalar may
// continue. bareLine declines text that ends with a colon, because a key cannot
// be here.
func (r *yamlTokenizer) bareLine() (line string, more, ok bool) {
	start := r.i
	line = r.text[start : start+strings.IndexByte(r.text[start:], '\n')]
	comment := strings.Index(line, " #")
	if comment >= 0 {
		line = line[:comment+1]
	}
	for rest := line; ; {
		i := strings.IndexByte(rest, ':') + 1
		if i == 0 {
			break
		}
		if rest = rest[i:]; rest == "" || rest[0] == ' ' {
			return "", false, false
		}
	}
	r.i = start + len(line)
	line = strings.TrimRight(line, " ")
	if comment >= 0 {
		r.i = start + len(line)
	}
	return line, comment < 0, true
}

// continuesBare reports whether the next line that is not blank continues a
// plain scalar. The tokenizer must be at the end of a line.
func (r *yamlTokenizer) continuesBare(col int) bool {
	for i := r.i + 1; ; i++ {
		spaces := r.spacesAt(i)
		i += spaces
		switch {
		case i >= len(r.text):
			return false
		case r.text[i] != '\n':
			return r.text[i] != '#' && spaces > col
		}
	}
}

// addBare adds a plain scalar of one line.
func (r *yamlTokenizer) addBare(at int, text string) bool {
	kind := String
	switch {
	case text == "true":
		kind = True
	case text == "false":
		kind = False
	case text == "null":
		kind = Null
	case isBoolOrNull(text):
		return false
	case isInteger(text):
		kind = Number
	case !isCertainlyString(text):
		return false
	}
	r.t.add(kind, at, at, at+len(text))
	return true
}

// isBoolOrNull reports whether a text denotes a boolean or null in some version
// of YAML, in any case.
func isBoolOrNull(text string) bool {
	if len(text) > len("false") {
		return false
	}
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

// isInteger reports whether a text is an integer in JSON notation that fits an
// int64.
func isInteger(text string) bool {
	if text == "0" {
		return true
	}
	text = strings.TrimPrefix(text, "-")
	if text == "" || text[0] == '0' {
		return false
	}
	for _, c := range []byte(text) {
		if !isDigit(c) {
			return false
		}
	}
	const max = "9223372036854775807"
	return len(text) < len(max) || len(text) == len(max) && text <= max
}

// isCertainlyString reports whether a plain scalar is a string in every version
// of YAML. A text that starts with a digit or a sign may be a number or a date
// unless it has a character that neither has. A text that starts with a dot may
// be infinity or NaN, and infinity may have a sign.
func isCertainlyString(text string) bool {
	switch c := text[0]; {
	case (c == '-' || c == '+') && strings.EqualFold(text[1:], ".inf"):
		return false
	case isDigit(c), c == '-', c == '+':
		return isVersionNumber(text) || strings.ContainsFunc(text, isNeverInNumber)
	case c == '.':
		return len(text) > 1 && isLetter(text[1]) && !strings.EqualFold(text, ".inf") && !strings.EqualFold(text, ".nan")
	case c == '<':
		return text != "<<"
	}
	return true
}

// isNeverInNumber reports whether r occurs in no number and no date, in any
// notation.
func isNeverInNumber(r rune) bool {
	return !strings.ContainsRune("0123456789 +-.:_abcdefABCDEFtTzZxXoO", r)
}

// isVersionNumber reports whether a text consists of at least three numbers
// with dots between them.
func isVersionNumber(text string) bool {
	for _, c := range []byte(text) {
		if !isDigit(c) && c != '.' {
			return false
		}
	}
	return strings.Count(text, ".") > 1
}
