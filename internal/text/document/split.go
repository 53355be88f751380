package document

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"
)

// A Splitter returns the documents of a YAML file.
type Splitter struct {
	rest   []byte
	line   int  // the first line of rest, from 0
	breaks bool // lines may also end at breaks other than line feeds
}

// Split cuts a text as apimachinery's YAMLReader does: at lines of three dashes and maybe a
// comment. It also cuts after a line of three dots, and accepts all line breaks of YAML 1.1.
// Otherwise YAML libraries would drop the rest of a document.
//
// Split decodes the text with [UTF8]. The documents share the memory of the decoded text. If the
// last one has no line feed at its end, it is a copy that has one.
func Split(text []byte) *Splitter {
	text = UTF8(text)
	return &Splitter{rest: text, breaks: hasOtherBreaks(text)}
}

// UTF8 returns a text as kubectl decodes it: without byte order mark, and converted to UTF-8 if the
// mark says UTF-16. Callers decode a file before they split it into lines.
func UTF8(text []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		order = binary.BigEndian
	case !bytes.HasPrefix(text, []byte("\xff\xfe")):
		return bytes.TrimPrefix(text, []byte(byteOrderMark))
	}
	out := make([]byte, 0, len(text))
	for text = text[2:]; len(text) > 1; text = text[2:] {
		r := rune(order.Uint16(text))
		if utf16.IsSurrogate(r) && len(text) > 3 {
			if pair := utf16.DecodeRune(r, rune(order.Uint16(text[2:]))); pair != utf8.RuneError {
				r, text = pair, text[2:]
			}
		}
		out = utf8.AppendRune(out, r) // U+FFFD for half a pair
	}
	if len(text) > 0 {
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	return out
}

var errRest = errors.New("there is text after the end of the document, which YAML libraries do not read")

// CheckEnd returns an error if there is more than one document. YAML libraries only return the
// first document.
func CheckEnd(text []byte) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var first, second struct{}
	_ = d.Decode(&first) // the reader of the document reports this error
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return errRest
	}
	return nil
}

// breakSize returns the length of the YAML 1.1 line break at the start of text, or 0.
func breakSize(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	case text[0] == '\r' || text[0] == '\n':
		return 1
	case bytes.HasPrefix(text, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(text, []byte("\u2028")), bytes.HasPrefix(text, []byte("\u2029")):
		return 3
	}
	return 0
}

// hasOtherBreaks reports whether a text has line breaks other than \n and \r\n.
func hasOtherBreaks(text []byte) bool {
	for rest := text; ; {
		at := bytes.IndexByte(rest, '\r')
		if at < 0 {
			break
		}
		if at+1 == len(rest) || rest[at+1] != '\n' {
			return true
		}
		rest = rest[at+2:]
	}
	return bytes.Contains(text, []byte("\u0085")) || bytes.Contains(text, []byte("\u2028")) || bytes.Contains(text, []byte("\u2029"))
}

// Next returns the next document and its first line, counted from 1. At the end it returns io.EOF.
// If a separator line has other text, Next returns an error, and line is the first line of the text
// that cannot be read.
func (s *Splitter) Next() (doc []byte, line int, err error) {
	first, size, blank := s.line+1, 0, true
	for {
		current, ok := s.lineAt(size)
		if !ok {
			if size == 0 {
				return nil, 0, io.EOF
			}
			return s.cut(size, 0), first, nil
		}
		if after, found := bytes.CutPrefix(current, []byte("---")); found {
			if after = bytes.TrimSpace(after); len(after) > 0 && after[0] != '#' {
				return nil, first, fmt.Errorf("invalid Yaml document separator: %s", after)
			}
			if size > 0 {
				return s.cut(size, len(current)), first, nil
			}
		}
		size += len(current)
		if blank = blank && blankLine(current); !blank && endsDocument(current) {
			return s.cut(size, 0), first, nil
		}
	}
}

// endsDocument reports whether a line has three dots and maybe a comment.
func endsDocument(line []byte) bool {
	after, found := bytes.CutPrefix(line, []byte("..."))
	return found && (len(after) == 0 || breakSize(after) > 0 || after[0] == ' ' || after[0] == '\t')
}

func (s *Splitter) lineAt(after int) ([]byte, bool) {
	rest := s.rest[after:]
	if len(rest) == 0 {
		return nil, false
	}
	return rest[:lineSize(rest, s.breaks)], true
}

// lineSize returns the length of the first line with its break: a line feed or, if all is true, any
// break of YAML 1.1.
func lineSize(text []byte, all bool) int {
	if !all {
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			return end + 1
		}
		return len(text)
	}
	for i := range text {
		if size := breakSize(text[i:]); size > 0 {
			return i + size
		}
	}
	return len(text)
}

// cut removes a document and the separator after it from s.rest, and returns the document.
func (s *Splitter) cut(size, separator int) []byte {
	doc := s.rest[:size:size]
	s.line += bytes.Count(s.rest[:size+separator], []byte("\n"))
	s.rest = s.rest[size+separator:]
	if doc[size-1] != '\n' && len(s.rest) == 0 && separator == 0 {
		doc = append(doc, '\n')
	}
	return doc
}

// Blank reports whether a document has only comments, white space, directives and document marks.
func Blank(doc []byte) bool {
	breaks := hasOtherBreaks(doc)
	for len(doc) > 0 {
		size := lineSize(doc, breaks)
		if !blankLine(doc[:size]) {
			return false
		}
		doc = doc[size:]
	}
	return true
}

func blankLine(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#' || line[0] == '%' || bytes.Equal(line, []byte("---")) || bytes.Equal(line, []byte("..."))
}

// A value with aliases may be 4 times the size of its text, or 8 MiB if that is more.
const (
	expansion    = 4
	minExpansion = 8 << 20
)

// CheckAliases returns an error if aliases make the value of a YAML text much larger than the text,
// or if a text with aliases cannot be read.
//
// It decodes the text once, which takes little memory: strings share memory, and the decoder
// refuses lists and mappings that are repeated too often.
func CheckAliases(text []byte) error {
	anchors, aliases := countIndicators(text, '&'), countIndicators(text, '*')
	most := max(expansion*len(text), minExpansion)
	if anchors == 0 || aliases == 0 || anchors == 1 && aliases < most/len(text) {
		return nil
	}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var value any
		switch err := d.Decode(&value); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if sizeOf(value) > most {
			return fmt.Errorf("the aliases of the YAML document make it larger than %d bytes", most)
		}
	}
}

// beforeIndicator has the bytes that can be before an anchor or an alias: white space, the last
// bytes of U+0085, U+2028 and U+2029, punctuation, and the zero bytes of UTF-16.
var beforeIndicator = []byte(" \t\r\n\x00\x85\xa8\xa9,[{:")

// countIndicators counts the bytes of a text that can start an anchor or an alias.
func countIndicators(text []byte, indicator byte) int {
	n := 0
	for i := 0; ; {
		at := bytes.IndexByte(text[i:], indicator)
		if at < 0 {
			return n
		}
		i += at + 1
		starts := i == 1 || bytes.IndexByte(beforeIndicator, text[i-2]) >= 0
		if starts && i < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[i]) < 0 {
			n++
		}
	}
}

// sizeOf returns roughly how many bytes a value takes as text.
func sizeOf(value any) int {
	const minSize = 4 // a value with its punctuation
	switch v := value.(type) {
	case string:
		return len(v) + minSize
	case []any:
		size := minSize
		for _, element := range v {
			size += sizeOf(element)
		}
		return size
	case map[any]any:
		size := minSize
		for key, element := range v {
			size += sizeOf(key) + sizeOf(element)
		}
		return size
	}
	return minSize
}

// NestedDeeper reports whether JSON is nested more than levels deep, in linear time and without
// allocations. It does not check the text.
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
