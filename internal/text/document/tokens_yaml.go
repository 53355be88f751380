package document

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// A yamlTokenizer reads block structure line by line. The text ends with a line feed, so that every
// byte before it has a next byte.
type yamlTokenizer struct {
	t       *Tokens
	text    string
	decoded strings.Builder

	i     int // the current index
	col   int // column of i, set by [yamlTokenizer.skipToContent]; -1 at the end
	depth int
	cut   bool // the text has no line feed at its end
}

// Tokenize reads YAML. It reports false if it declines the text.
func Tokenize(text string) (*Tokens, bool) {
	if start := jsonscan.Space(text, 0); len(text) > maxText || start < len(text) && text[start] == '{' {
		return nil, false // Tokenize reads no braces with content
	}
	cut := !strings.HasSuffix(text, "\n")
	if cut {
		text += "\n"
	}
	if !isPrintable(text) {
		return nil, false
	}
	r := yamlTokenizer{t: &Tokens{text: text, tokens: make([]token, 0, tokensFor(text))}, text: text, cut: cut}
	r.skipToContent()
	if r.col == 0 && strings.HasPrefix(text[r.i:], "---") {
		r.i += len("---")
		if !r.endLine() {
			return nil, false
		}
	}
	if r.col != 0 || !r.readMapping(0) || r.col >= 0 {
		return nil, false
	}
	r.t.decoded = r.decoded.String()
	return r.t, true
}

// isPrintable reports whether a text has only characters that the YAML library accepts. Line feeds
// are the only control characters and line breaks that isPrintable accepts.
func isPrintable(text string) bool {
	for i := 0; i < len(text); {
		if i+8 <= len(text) && isPrintableASCII(jsonscan.Load(text, i)) {
			i += 8
			continue
		}
		c := text[i]
		if ' ' <= c && c < 0x7f || c == '\n' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r < 0xa0, r == utf8.RuneError, r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff':
			return false
		}
		i += size
	}
	return true
}

// isPrintableASCII reports whether each of eight bytes is printable ASCII or a line feed. Each sum
// is a test: it sets the highest bit of the bytes that pass. ASCII has no highest bit, so the sums
// do not carry.
func isPrintableASCII(b uint64) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	notControl := b + ones*(0x80-' ')
	notLineFeed := (b ^ ones*'\n') + ones*0x7f
	notDelete := (b ^ ones*0x7f) + ones*0x7f
	return b&high == 0 && (notControl|^notLineFeed)&notDelete&high == high
}

// skipToContent moves from the start of a line past white space and comments.
func (r *yamlTokenizer) skipToContent() {
	for r.i < len(r.text) {
		col := r.spacesAt(r.i)
		r.i += col
		switch r.text[r.i] {
		case '\n':
			r.i++
		case '#':
			r.i += strings.IndexByte(r.text[r.i:], '\n') + 1
		default:
			r.col = col
			return
		}
	}
	r.col = -1
}

func (r *yamlTokenizer) spacesAt(i int) int {
	const spaces = 0x2020202020202020
	start := i
	for i+8 <= len(r.text) {
		if other := jsonscan.Load(r.text, i) ^ spaces; other != 0 {
			return i + bits.TrailingZeros64(other)/8 - start
		}
		i += 8
	}
	for i < len(r.text) && r.text[i] == ' ' {
		i++
	}
	return i - start
}

// endLine reads the rest of a line, which may be a comment, and moves to the next content.
func (r *yamlTokenizer) endLine() bool {
	start := r.i
	for r.text[r.i] == ' ' {
		r.i++
	}
	switch {
	case r.text[r.i] == '\n':
		r.i++
	case r.text[r.i] == '#' && r.i > start:
		r.i += strings.IndexByte(r.text[r.i:], '\n') + 1
	default:
		return false
	}
	r.skipToContent()
	return true
}

func (r *yamlTokenizer) isDash() bool { return r.text[r.i] == '-' && r.text[r.i+1] == ' ' }

func (r *yamlTokenizer) readMapping(col int) bool {
	if r.depth++; r.depth > MaxDepth {
		return false
	}
	object := r.t.open(Object, r.i)
	for n := 1; ; n++ {
		if !r.readKey() || !r.readValue(col) || r.col > col {
			return false
		}
		if r.col < col {
			r.t.close(object, n)
			r.depth--
			return true
		}
	}
}

func (r *yamlTokenizer) readKey() bool {
	from, to, end := r.keyAt(r.i)
	if end < 0 {
		return false
	}
	r.t.add(String, r.i, from, to)
	r.i = end
	return true
}

// longestKey is the longest key that is read, in bytes. YAML allows longer keys.
const longestKey = 500

// keyAt finds the key r.text[from:to] at i. end is the index after its colon, -1 without a key.
func (r *yamlTokenizer) keyAt(i int) (from, to, end int) {
	from = i
	if quote := r.text[i]; quote == '"' || quote == '\'' {
		from++
		for i++; r.text[i] != quote; i++ {
			if r.text[i] == '\n' || r.text[i] == '\\' {
				return 0, 0, -1
			}
		}
		to = i
		i++
	} else {
		if !isKeyStart(quote) && !(quote == '-' && isLetter(r.text[i+1])) {
			return 0, 0, -1
		}
		for isKeyByte(r.text[i]) {
			i++
		}
		if to = i; isBoolOrNull(r.text[from:to]) {
			return 0, 0, -1
		}
	}
	if to-from > longestKey || r.text[i] != ':' || r.text[i+1] != ' ' && r.text[i+1] != '\n' {
		return 0, 0, -1
	}
	return from, to, i + 1
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isKeyStart(c byte) bool { return isLetter(c) || c == '_' || c == '$' || c == '/' }

func isKeyByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '/' || c == '_' || c == '$'
}

// readValue reads the value after the colon of a key. col is the column of the key.
func (r *yamlTokenizer) readValue(col int) bool {
	for r.text[r.i] == ' ' {
		r.i++
	}
	switch {
	case r.text[r.i] == '\n':
		r.i++
	case r.text[r.i] == '#' && r.text[r.i-1] == ' ':
		r.i += strings.IndexByte(r.text[r.i:], '\n') + 1
	default:
		return r.readScalar(col)
	}
	at := r.i - 1
	r.skipToContent()
	switch {
	case r.col >= col && r.col >= 0 && r.isDash():
		return r.readList(r.col)
	case r.col > col:
		return r.readMapping(r.col)
	}
	r.t.add(Null, at, 0, 0)
	return true
}

func (r *yamlTokenizer) readList(col int) bool {
	if r.depth++; r.depth > MaxDepth {
		return false
	}
	list := -1
	for n := 1; ; n++ {
		at, i := r.i, r.i+1
		for r.text[i] == ' ' {
			i++
		}
		if n == 1 {
			list = r.t.open(List, at)
		}
		if !r.readElement(i, col, col+i-at) || r.col > col {
			return false
		}
		if r.col < col || !r.isDash() {
			r.t.close(list, n)
			r.depth--
			return true
		}
	}
}

// readElement reads the list element at r.text[i], in column inner. col is the column of the list.
func (r *yamlTokenizer) readElement(i, col, inner int) bool {
	r.i = i
	if r.text[i] == '\n' || r.isDash() {
		return false
	}
	if _, _, end := r.keyAt(i); end >= 0 {
		return r.readMapping(inner)
	}
	return r.readScalar(col)
}

// readPlainScalar reads a plain scalar, which continues on lines that are indented more than col.
func (r *yamlTokenizer) readPlainScalar(col int) bool {
	at := r.i
	if !isPlainStart(r.text[at], r.text[at+1]) {
		return false
	}
	line, more, ok := r.plainLine()
	if !ok {
		return false
	}
	if !more || !r.continuesPlain(col) {
		if !r.addPlain(at, line) {
			return false
		}
		return r.endLine()
	}
	from := r.startDecoded()
	r.decoded.WriteString(line)
	for more && r.continuesPlain(col) {
		if !r.foldLines(col) {
			return false
		}
		if line, more, ok = r.plainLine(); !ok {
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

// isPlainStart reports whether a plain scalar may start with c, followed by next. YAML allows more.
func isPlainStart(c, next byte) bool {
	switch c {
	case '-':
		return next != ' ' && next != '\n'
	case '_', '$', '/', '^', '(', '.', '+', '<', '=', '\\', ';':
		return true
	}
	return isLetter(c) || isDigit(c) || c >= 0x80
}

// plainLine reads the part of a plain scalar on this line. more is false if a comment ends the
// scalar. plainLine declines a key, because a key is not allowed here.
func (r *yamlTokenizer) plainLine() (line string, more, ok bool) {
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

// continuesPlain reports whether the next line that is not blank continues a plain scalar. The
// tokenizer is at the end of a line.
func (r *yamlTokenizer) continuesPlain(col int) bool {
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

func (r *yamlTokenizer) addPlain(at int, text string) bool {
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

// isCertainlyString reports whether a plain scalar is a string in every version of YAML. After a
// digit or a sign it may be a number or a date, unless it has a character that these cannot have.
// After a dot it may be infinity or NaN.
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

func isNeverInNumber(r rune) bool {
	return !strings.ContainsRune("0123456789 +-.:_abcdefABCDEFtTzZxXoO", r)
}

// isVersionNumber reports whether a text is three or more numbers with dots between them.
func isVersionNumber(text string) bool {
	for _, c := range []byte(text) {
		if !isDigit(c) && c != '.' {
			return false
		}
	}
	return strings.Count(text, ".") > 1
}
