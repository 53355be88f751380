package schema

import (
	"strconv"
	"strings"
)

// Most patterns are simple, and to parse them takes longer than all other
// checks of their schemas. The walk in this file accepts patterns of a small
// language that certainly parse: characters, classes, groups, alternatives and
// repetitions. The parser decides about all others.

// A pattern is accepted if it cannot exceed the limits of the parser: 1,000 nodes of
// depth, 3,355,443 instructions, 33,554,432 runes. That holds for a pattern of
// maxSimplePattern bytes. It also holds for a pattern of maxUncounted bytes without
// counted repetitions: a byte makes at most two instructions and five runes, and a group at
// most four nodes of depth.
const (
	maxSimplePattern = 500
	maxUncounted     = 1 << 20
	maxGroups        = 200 // in one another, in the longer patterns
)

type simplePattern struct {
	rest    string
	long    bool // the pattern is longer than maxSimplePattern
	depth   int  // number of open groups
	atom    bool // the previous part can be repeated
	group   bool // the previous part is a group
	counted bool // the pattern has a repetition with a count
}

// isSimplePattern reports whether a pattern certainly parses. False means that
// the parser must decide.
func isSimplePattern(pattern string) bool {
	p := simplePattern{rest: pattern, long: len(pattern) > maxSimplePattern}
	if len(pattern) > maxUncounted {
		return false
	}
	for p.rest != "" {
		if !p.step() {
			return false
		}
	}
	return p.depth == 0
}

// step reads the next part of the pattern.
func (p *simplePattern) step() bool {
	c := p.rest[0]
	p.rest = p.rest[1:]
	wasGroup := p.group
	p.group = false
	switch c {
	case '(':
		p.rest = strings.TrimPrefix(p.rest, "?:")
		p.depth++
		p.atom = false
		return !strings.HasPrefix(p.rest, "?") && !(p.long && p.depth > maxGroups)
	case ')':
		p.depth--
		p.atom, p.group = true, true
		return p.depth >= 0
	case '|', '^', '$':
		p.atom = false
		return true
	case '*', '+', '?':
		return p.repeat()
	case '{':
		return !p.long && !(wasGroup && p.counted) && p.count() && p.repeat()
	case '[':
		p.atom = true
		return p.class()
	case '\\':
		return p.escape()
	}
	p.atom = true
	return isPrintable(c) && c != ']' && c != '}'
}

// repeat reads the rest of a repetition, which cannot be repeated itself.
func (p *simplePattern) repeat() bool {
	p.rest = strings.TrimPrefix(p.rest, "?")
	ok := p.atom
	p.atom = false
	return ok
}

// count reads {n}, {n,} or {n,m} after the brace.
func (p *simplePattern) count() bool {
	const most = 1000
	low, ok := p.number()
	if !ok {
		return false
	}
	high := low
	if strings.HasPrefix(p.rest, ",") {
		p.rest = p.rest[1:]
		if !strings.HasPrefix(p.rest, "}") {
			if high, ok = p.number(); !ok {
				return false
			}
		}
	}
	if !strings.HasPrefix(p.rest, "}") || low > high || high > most {
		return false
	}
	p.rest = p.rest[1:]
	p.counted = true
	return true
}

// number reads a number of at most four digits.
func (p *simplePattern) number() (int, bool) {
	n, digits := 0, 0
	for p.rest != "" && '0' <= p.rest[0] && p.rest[0] <= '9' {
		n = 10*n + int(p.rest[0]-'0')
		p.rest = p.rest[1:]
		digits++
	}
	return n, digits > 0 && digits <= 4 && (digits == 1 || n >= 10)
}

// escape reads the rest of an escape outside of a class.
func (p *simplePattern) escape() bool {
	if p.rest == "" {
		return false
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	p.atom = c != 'b' && c != 'B'
	if _, ok := p.control(c); ok {
		return true
	}
	return isPunctuation(c) || strings.IndexByte("dDsSwWbB", c) >= 0
}

// control reads the rest of an escape that stands for one byte of ASCII, after its letter.
func (p *simplePattern) control(letter byte) (byte, bool) {
	const letters, bytes = "afnrtv", "\a\f\n\r\t\v"
	if i := strings.IndexByte(letters, letter); i >= 0 {
		return bytes[i], true
	}
	if letter != 'x' || len(p.rest) < 2 {
		return 0, false
	}
	n, err := strconv.ParseUint(p.rest[:2], 16, 7)
	if err != nil {
		return 0, false
	}
	p.rest = p.rest[2:]
	return byte(n), true
}

// class reads the rest of a class.
func (p *simplePattern) class() bool {
	p.rest = strings.TrimPrefix(p.rest, "^")
	if strings.HasPrefix(p.rest, "]") {
		return false
	}
	for p.rest != "" && p.rest[0] != ']' {
		if len(p.rest) > 1 && p.rest[0] == '\\' && strings.IndexByte("dDsSwW", p.rest[1]) >= 0 {
			p.rest = p.rest[2:]
			continue
		}
		if p.namedClass() {
			continue
		}
		low, ok := p.classByte()
		if !ok {
			return false
		}
		if len(p.rest) < 2 || p.rest[0] != '-' || p.rest[1] == ']' {
			continue
		}
		p.rest = p.rest[1:]
		if high, ok := p.classByte(); !ok || high < low {
			return false
		}
	}
	if p.rest == "" {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// namedClass reads a class with a name within a class, such as [:punct:], if there is one.
func (p *simplePattern) namedClass() bool {
	rest, ok := strings.CutPrefix(p.rest, "[:")
	name, rest, closed := strings.Cut(rest, ":]")
	switch name {
	case "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word", "xdigit":
	default:
		return false
	}
	if ok && closed {
		p.rest = rest
	}
	return ok && closed
}

// classByte reads one byte of a class, which may be escaped.
func (p *simplePattern) classByte() (byte, bool) {
	c := p.rest[0]
	p.rest = p.rest[1:]
	if c == '\\' {
		if p.rest == "" {
			return 0, false
		}
		c = p.rest[0]
		p.rest = p.rest[1:]
		if isPunctuation(c) {
			return c, true
		}
		return p.control(c)
	}
	return c, isPrintable(c) && c != '['
}

func isPrintable(c byte) bool { return ' ' <= c && c <= '~' }

// isPunctuation reports whether a backslash before c makes c a literal.
func isPunctuation(c byte) bool {
	return isPrintable(c) && !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
}
