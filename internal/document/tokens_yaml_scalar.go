package document

import (
	"strings"
	"unicode/utf8"
)

// scalar reads a scalar in the block structure at a column, and ends at what
// comes after it.
func (r *yamlTokenizer) scalar(col int) bool {
	at := r.i
	switch r.text[at] {
	case '{':
		return r.emptyObject()
	case '[':
		return r.words()
	case '\'':
		return r.single(col) && r.endLine()
	case '"':
		return r.double(col) && r.endLine()
	case '|':
		return r.literal(col)
	}
	return r.plain(col)
}

// emptyObject reads {}.
func (r *yamlTokenizer) emptyObject() bool {
	r.t.close(r.t.open(Object, r.i), 0)
	r.i++
	r.spaces()
	if r.text[r.i] != '}' {
		return false
	}
	r.i++
	return r.endLine()
}

func (r *yamlTokenizer) spaces() {
	for r.text[r.i] == ' ' {
		r.i++
	}
}

// words reads a list in brackets, on one line, of nothing but words, which may
// be in quotes.
func (r *yamlTokenizer) words() bool {
	list := r.t.open(List, r.i)
	r.i++
	r.spaces()
	n := 0
	for r.text[r.i] != ']' {
		if !r.word() {
			return false
		}
		n++
		r.spaces()
		if r.text[r.i] == ',' {
			r.i++
			r.spaces()
		} else if r.text[r.i] != ']' {
			return false
		}
	}
	r.i++
	r.t.close(list, n)
	return r.endLine()
}

func (r *yamlTokenizer) word() bool {
	k := token{kind: String, at: uint32(r.i), from: uint32(r.i)}
	quote := r.text[r.i]
	quoted := quote == '"' || quote == '\''
	if quoted {
		r.i++
		k.from++
	}
	start := r.i
	for isKeyByte(r.text[r.i]) {
		r.i++
	}
	word := r.text[start:r.i]
	k.to = uint32(r.i)
	switch {
	case quoted && r.text[r.i] == quote:
		r.i++
	case quoted, word == "", !isLetter(word[0]), isWord(word):
		return false
	}
	r.t.add(k)
	return true
}

// addMade adds a string that begins at an index in the text and at another in
// what is made.
func (r *yamlTokenizer) addMade(at, from int) {
	r.t.add(token{kind: String, made: true, at: uint32(at), from: uint32(from), to: uint32(r.made.Len())})
}

// fold goes from the end of a line to where the text goes on, and adds what the
// lines between stand for. That text must be deeper than a column.
func (r *yamlTokenizer) fold(col int) bool {
	breaks := 0
	for {
		r.i++ // the line feed
		breaks++
		start := r.i
		if start >= len(r.text) {
			return false
		}
		for r.text[r.i] == ' ' {
			r.i++
		}
		if r.text[r.i] == '\n' {
			continue
		}
		if breaks == 1 {
			r.made.WriteByte(' ')
		}
		for range breaks - 1 {
			r.made.WriteByte('\n')
		}
		return r.i-start > col
	}
}

// single reads a scalar in single quotes.
func (r *yamlTokenizer) single(col int) bool {
	at := r.i
	r.i++
	start := r.i
	for r.text[r.i] != '\'' && r.text[r.i] != '\n' {
		r.i++
	}
	if r.text[r.i] == '\'' && r.text[r.i+1] != '\'' {
		r.t.add(token{kind: String, at: uint32(at), from: uint32(start), to: uint32(r.i)})
		r.i++
		return true
	}
	from := r.made.Len()
	for {
		switch {
		case r.text[r.i] == '\n':
			r.made.WriteString(strings.TrimRight(r.text[start:r.i], " "))
			if !r.fold(col) {
				return false
			}
			start = r.i
		case r.text[r.i] != '\'':
			r.i++
		case r.text[r.i+1] == '\'':
			r.made.WriteString(r.text[start : r.i+1])
			r.i += 2
			start = r.i
		default:
			r.made.WriteString(r.text[start:r.i])
			r.i++
			r.addMade(at, from)
			return true
		}
	}
}

// double reads a scalar in double quotes.
func (r *yamlTokenizer) double(col int) bool {
	at := r.i
	r.i++
	start := r.i
	for c := r.text[r.i]; c != '"' && c != '\n' && c != '\\'; c = r.text[r.i] {
		r.i++
	}
	if r.text[r.i] == '"' {
		r.t.add(token{kind: String, at: uint32(at), from: uint32(start), to: uint32(r.i)})
		r.i++
		return true
	}
	from := r.made.Len()
	for {
		switch r.text[r.i] {
		default:
			r.i++
			continue
		case '\n':
			r.made.WriteString(strings.TrimRight(r.text[start:r.i], " "))
			if !r.fold(col) {
				return false
			}
		case '\\':
			r.made.WriteString(r.text[start:r.i])
			if !r.escape(col) {
				return false
			}
		case '"':
			r.made.WriteString(r.text[start:r.i])
			r.i++
			r.addMade(at, from)
			return true
		}
		start = r.i
	}
}

// escape reads an escape sequence.
func (r *yamlTokenizer) escape(col int) bool {
	c := r.text[r.i+1]
	r.i += 2
	switch c {
	case ' ', '"', '\\':
		r.made.WriteByte(c)
	case 'n':
		r.made.WriteByte('\n')
	case 'r':
		r.made.WriteByte('\r')
	case 't':
		r.made.WriteByte('\t')
	case 'u':
		return r.unicode()
	case '\n':
		start := r.i
		if start >= len(r.text) {
			return false
		}
		for r.text[r.i] == ' ' {
			r.i++
		}
		return r.text[r.i] != '\n' && r.i-start > col
	default:
		return false
	}
	return true
}

// unicode reads the four digits of a character.
func (r *yamlTokenizer) unicode() bool {
	var char rune
	for range 4 {
		c := r.text[r.i]
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return false
		}
		char = char<<4 | rune(c)
		r.i++
	}
	if !utf8.ValidRune(char) {
		return false
	}
	r.made.WriteRune(char)
	return true
}

// literal reads a literal block, with or without its last line feed.
func (r *yamlTokenizer) literal(col int) bool {
	at := r.i
	r.i++
	strip := r.text[r.i] == '-'
	if strip {
		r.i++
	}
	if r.text[r.i] != '\n' {
		return false
	}
	r.i++
	start := r.i
	for r.i < len(r.text) && r.text[r.i] == ' ' {
		r.i++
	}
	indent := r.i - start
	if r.i >= len(r.text) || r.text[r.i] == '\n' || indent <= col {
		return false
	}
	from := r.made.Len()
	for {
		end := r.i + strings.IndexByte(r.text[r.i:], '\n')
		r.made.WriteString(r.text[r.i:end])
		r.i = end + 1
		breaks := 1 + r.blankLines(indent)
		if !r.indented(indent) {
			break
		}
		for range breaks {
			r.made.WriteByte('\n')
		}
		r.i += indent
	}
	if !strip {
		if r.cut && r.i == len(r.text) {
			return false
		}
		r.made.WriteByte('\n')
	}
	r.addMade(at, from)
	r.content()
	return true
}

// blankLines passes over lines of no more than so many spaces, and returns how
// many they are.
func (r *yamlTokenizer) blankLines(spaces int) int {
	for n := 0; ; n++ {
		i := r.i
		for i < len(r.text) && i-r.i < spaces && r.text[i] == ' ' {
			i++
		}
		if i >= len(r.text) || r.text[i] != '\n' {
			return n
		}
		r.i = i + 1
	}
}

// indented reports whether the line begins with so many spaces.
func (r *yamlTokenizer) indented(spaces int) bool {
	if len(r.text)-r.i <= spaces {
		return false
	}
	for _, c := range []byte(r.text[r.i : r.i+spaces]) {
		if c != ' ' {
			return false
		}
	}
	return true
}
