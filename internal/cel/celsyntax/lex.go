package celsyntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// See https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax.

// A token is a part of an expression. An operator is identified by its text.
type token struct {
	kind tokenKind
	text string // as written, but without the quotes of a string
	raw  bool   // a raw string, which has no escapes
	at   int    // index of the first byte
}

type tokenKind uint8

const (
	tokenUnknown tokenKind = iota // the lexer cannot read the text
	tokenEnd
	tokenName
	tokenIn
	tokenTrue
	tokenFalse
	tokenNull
	tokenInt
	tokenUint
	tokenDouble
	tokenString
	tokenOperator
)

type lexer struct {
	text string
	at   int
}

func (l *lexer) next() token {
	l.skip()
	at := l.at
	t := l.token()
	t.at = at
	return t
}

func (l *lexer) token() token {
	if l.at >= len(l.text) {
		return token{kind: tokenEnd}
	}
	switch c := l.text[l.at]; {
	case isLetter(c):
		return l.word()
	case isDigit(c), c == '.' && isDigit(l.byteAt(1)):
		return l.number()
	case c == '"' || c == '\'':
		return l.quoted(false)
	}
	return l.operator()
}

func (l *lexer) skip() {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			l.at++
		case c == '/' && l.byteAt(1) == '/':
			end := strings.IndexByte(l.text[l.at:], '\n')
			if end < 0 {
				l.at = len(l.text)
				return
			}
			l.at += end
		default:
			return
		}
	}
}

func (l *lexer) byteAt(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

// take returns the text up to end and moves to end.
func (l *lexer) take(end int) string {
	text := l.text[l.at:end]
	l.at = end
	return text
}

func (l *lexer) word() token {
	end := l.at
	for end < len(l.text) && (isLetter(l.text[end]) || isDigit(l.text[end])) {
		end++
	}
	quoted := end < len(l.text) && (l.text[end] == '"' || l.text[end] == '\'')
	switch text := l.take(end); {
	case quoted && (text == "r" || text == "R"):
		return l.quoted(true)
	case quoted && (strings.EqualFold(text, "b") || strings.EqualFold(text, "br")): // a bytes literal
		return token{}
	default:
		return named(text)
	}
}

func named(text string) token {
	switch text {
	case "in":
		return token{kind: tokenIn, text: text}
	case "true":
		return token{kind: tokenTrue}
	case "false":
		return token{kind: tokenFalse}
	case "null":
		return token{kind: tokenNull}
	}
	return token{kind: tokenName, text: text}
}

// number reads a number. A name may follow directly, as in 1in list.
func (l *lexer) number() token {
	kind, end := tokenInt, l.digits(l.at)
	switch {
	case l.text[l.at:end] == "0" && end < len(l.text) && l.text[end] == 'x':
		for end++; end < len(l.text) && isHex(l.text[end]); {
			end++
		}
		if end == l.at+2 {
			return token{}
		}
	default:
		if end+1 < len(l.text) && l.text[end] == '.' && isDigit(l.text[end+1]) {
			kind, end = tokenDouble, l.digits(end+1)
		}
		if exponent := l.exponent(end); exponent > end {
			kind, end = tokenDouble, exponent
		}
	}
	if kind == tokenInt && end < len(l.text) && (l.text[end] == 'u' || l.text[end] == 'U') {
		kind, end = tokenUint, end+1
	}
	return token{kind: kind, text: l.take(end)}
}

func (l *lexer) digits(at int) int {
	for at < len(l.text) && isDigit(l.text[at]) {
		at++
	}
	return at
}

// exponent returns the end of the exponent that begins at start, or start if there is none.
func (l *lexer) exponent(start int) int {
	end := start
	if end >= len(l.text) || l.text[end] != 'e' && l.text[end] != 'E' {
		return start
	}
	if end++; end < len(l.text) && (l.text[end] == '+' || l.text[end] == '-') {
		end++
	}
	if last := l.digits(end); last > end {
		return last
	}
	return start
}

func (l *lexer) quoted(raw bool) token {
	quote, lines := l.text[l.at:l.at+1], false
	if l.byteAt(1) == quote[0] && l.byteAt(2) == quote[0] {
		quote, lines = l.text[l.at:l.at+3], true
	}
	start := l.at + len(quote)
	for end := start; end < len(l.text); end++ {
		switch c := l.text[end]; {
		case strings.HasPrefix(l.text[end:], quote):
			l.at = end + len(quote)
			return token{kind: tokenString, text: l.text[start:end], raw: raw}
		case (c == '\r' || c == '\n') && !lines:
			return token{}
		case c == '\\' && !raw:
			end++
		}
	}
	return token{}
}

func (l *lexer) operator() token {
	switch two := l.text[l.at:min(l.at+2, len(l.text))]; two {
	case "==", "!=", "<=", ">=", "&&", "||":
		l.at += 2
		return token{kind: tokenOperator, text: two}
	}
	if strings.IndexByte("<>[]().,-!?:+*/%", l.text[l.at]) < 0 {
		return token{}
	}
	return token{kind: tokenOperator, text: l.take(l.at + 1)}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// maxParsed is the longest text in bytes that is parsed. cel-go counts code points.
const maxParsed = 100_000

func isReadable(text string) bool { return len(text) <= maxParsed && utf8.ValidString(text) }

// A Token is a name, operator, bracket or literal of an expression: text[Start:End].
type Token struct {
	Start, End int
	// IsName is true for identifiers: fields, variables and functions.
	IsName     bool
	IsOperator bool
	// IsText is true for string literals. Text is the value.
	IsText bool
	Text   string
}

// Tokens splits an expression into tokens. It returns false if it cannot read the text.
func Tokens(text string) ([]Token, bool) {
	if !isReadable(text) {
		return nil, false
	}
	l := lexer{text: text}
	var out []Token
	for {
		l.skip()
		start := l.at
		switch t := l.next(); t.kind {
		case tokenUnknown:
			return nil, false
		case tokenEnd:
			return out, true
		default:
			token := Token{Start: start, End: l.at, IsName: t.kind == tokenName, IsOperator: t.kind == tokenOperator || t.kind == tokenIn}
			if t.kind == tokenString {
				token.Text, token.IsText = t.unescape()
			}
			out = append(out, token)
		}
	}
}

// unescape returns the value of a string token. It returns false if an escape is invalid.
func (t token) unescape() (string, bool) {
	text := t.text
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	if t.raw || strings.IndexByte(text, '\\') < 0 {
		return text, true
	}
	b := make([]byte, 0, len(text))
	for text != "" {
		at := strings.IndexByte(text, '\\')
		if at < 0 {
			break
		}
		b = append(b, text[:at]...)
		var ok bool
		if b, text, ok = appendEscape(b, text[at+1:]); !ok {
			return "", false
		}
	}
	return string(append(b, text...)), true
}

const (
	escapes = "abfnrtv\\'\"`?"
	escaped = "\a\b\f\n\r\t\v\\'\"`?"
)

// appendEscape appends the value of the escape after a backslash. It returns the rest of text.
func appendEscape(b []byte, text string) (out []byte, rest string, ok bool) {
	if text == "" {
		return b, "", false
	}
	if at := strings.IndexByte(escapes, text[0]); at >= 0 {
		return append(b, escaped[at]), text[1:], true
	}
	first, length, base := 1, 0, 16
	switch text[0] {
	case 'x', 'X':
		length = 2
	case 'u':
		length = 4
	case 'U':
		length = 8
	case '0', '1', '2', '3':
		first, length, base = 0, 3, 8
	}
	if length == 0 || len(text) < first+length {
		return b, "", false
	}
	digits := text[first : first+length]
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return b, "", false
	}
	if v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return b, "", false
	}
	return utf8.AppendRune(b, rune(v)), text[first+length:], true
}
