package document

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// readScalar reads a scalar and moves to the next content. col is the column of the block around
// it.
func (r *yamlTokenizer) readScalar(col int) bool {
	at := r.i
	switch r.text[at] {
	case '{', '[':
		return r.readEmpty() && r.endLine()
	case '\'', '"':
		return r.readQuoted(col) && r.endLine()
	case '|':
		return r.readBlock(col)
	}
	return r.readPlainScalar(col)
}

func (r *yamlTokenizer) skipSpaces() { r.i += r.spacesAt(r.i) }

// startDecoded returns the offset of the next decoded string. The first call allocates enough for
// most definitions.
func (r *yamlTokenizer) startDecoded() int {
	if r.decoded.Cap() == 0 {
		r.decoded.Grow((len(r.text) - r.i) * 2 / 5)
	}
	return r.decoded.Len()
}

// addDecoded adds the decoded string at r.decoded[from:]. start is its offset in the text.
func (r *yamlTokenizer) addDecoded(start, from int) {
	r.t.add(String, start, from, r.decoded.Len())
	r.t.tokens[len(r.t.tokens)-1].decoded = true
}

func (r *yamlTokenizer) readEmpty() bool {
	at, kind, closing := r.i, Object, byte('}')
	if r.text[r.i] == '[' {
		kind, closing = List, ']'
	}
	r.i++
	r.skipSpaces()
	if r.text[r.i] != closing {
		return false
	}
	r.i++
	r.t.close(r.t.open(kind, at), 0)
	return true
}

// foldLines moves from the end of a line to the next text, which must be indented more than col. It
// adds what the line breaks stand for.
func (r *yamlTokenizer) foldLines(col int) bool {
	breaks := 0
	for {
		r.i++ // the line feed
		breaks++
		start := r.i
		if start >= len(r.text) {
			return false
		}
		r.skipSpaces()
		if r.text[r.i] == '\n' {
			continue
		}
		if breaks == 1 {
			r.decoded.WriteByte(' ')
		}
		for range breaks - 1 {
			r.decoded.WriteByte('\n')
		}
		return r.i-start > col
	}
}

func (r *yamlTokenizer) readQuoted(col int) bool {
	at, quote := r.i, r.text[r.i]
	r.i++
	start, from := r.i, -1 // from is the start of the decoded string, if it differs from the text
	for {
		c := r.text[r.i]
		if c != quote && c != '\n' && (c != '\\' || quote == '\'') {
			r.i++
			continue
		}
		part := r.text[start:r.i]
		ends := c == quote && (quote == '"' || r.text[r.i+1] != quote)
		if ends && from < 0 {
			r.t.add(String, at, start, r.i)
			r.i++
			return true
		}
		if from < 0 {
			from = r.startDecoded()
		}
		switch {
		case c == '\n':
			r.decoded.WriteString(strings.TrimRight(part, " "))
			if !r.foldLines(col) {
				return false
			}
		case c == '\\':
			r.decoded.WriteString(part)
			if !r.readEscape(col) {
				return false
			}
		case ends:
			r.decoded.WriteString(part)
			r.i++
			r.addDecoded(at, from)
			return true
		default: // two single quotes
			r.decoded.WriteString(part)
			r.decoded.WriteByte(quote)
			r.i += 2
		}
		start = r.i
	}
}

func (r *yamlTokenizer) readEscape(col int) bool {
	c := r.text[r.i+1]
	r.i += 2
	switch c {
	case ' ', '"', '\\':
		r.decoded.WriteByte(c)
	case 'n':
		r.decoded.WriteByte('\n')
	case 'r':
		r.decoded.WriteByte('\r')
	case 't':
		r.decoded.WriteByte('\t')
	case 'u':
		return r.readUnicode()
	case '\n':
		start := r.i
		if start >= len(r.text) {
			return false
		}
		r.skipSpaces()
		return r.text[r.i] != '\n' && r.i-start > col
	default:
		return false
	}
	return true
}

func (r *yamlTokenizer) readUnicode() bool {
	end := r.i + 4
	if end > len(r.text) {
		return false
	}
	char, err := strconv.ParseUint(r.text[r.i:end], 16, 16)
	if err != nil || !utf8.ValidRune(rune(char)) {
		return false
	}
	r.decoded.WriteRune(rune(char))
	r.i = end
	return true
}

// readBlock reads a literal block, with or without its last line feed.
func (r *yamlTokenizer) readBlock(col int) bool {
	at := r.i
	strip, indent, ok := r.blockHeader(col)
	if !ok {
		return false
	}
	from, breaks := r.startDecoded(), 0
	if indent > 0 { // the text may start with blank lines or spaces
		breaks = r.skipBlankLines(indent)
	} else if indent = r.spacesAt(r.i); indent <= col || r.text[r.i+indent] == '\n' {
		return false
	}
	if !r.isIndented(indent) {
		return false
	}
	for r.isIndented(indent) {
		for range breaks {
			r.decoded.WriteByte('\n')
		}
		end := r.i + strings.IndexByte(r.text[r.i:], '\n')
		r.decoded.WriteString(r.text[r.i+indent : end])
		r.i = end + 1
		breaks = 1 + r.skipBlankLines(indent)
	}
	if !strip {
		if r.cut && r.i == len(r.text) {
			return false
		}
		r.decoded.WriteByte('\n')
	}
	r.addDecoded(at, from)
	r.skipToContent()
	return true
}

// blockHeader reads the first line of a block. indent is the stated indentation, or 0.
func (r *yamlTokenizer) blockHeader(col int) (strip bool, indent int, ok bool) {
	r.i++
	if c := r.text[r.i]; '1' <= c && c <= '9' {
		indent = col + int(c-'0')
		r.i++
	}
	if strip = r.text[r.i] == '-'; strip {
		r.i++
	}
	if r.text[r.i] != '\n' {
		return false, 0, false
	}
	r.i++
	return strip, indent, true
}

// skipBlankLines skips lines that have only spaces, at most the given number. It returns how many
// lines it skipped.
func (r *yamlTokenizer) skipBlankLines(spaces int) int {
	for n := 0; ; n++ {
		i := r.i + r.spacesAt(r.i)
		if i >= len(r.text) || r.text[i] != '\n' || i-r.i > spaces {
			return n
		}
		r.i = i + 1
	}
}

func (r *yamlTokenizer) isIndented(spaces int) bool {
	return len(r.text)-r.i > spaces && r.spacesAt(r.i) >= spaces
}
