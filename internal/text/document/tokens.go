package document

import (
	"bytes"
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// A Kind is the kind of a value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	False
	True
	Number
	String
	List
	Object
)

// MaxDepth is the deepest nesting of objects and lists in tokens.
const MaxDepth = jsonscan.MaxDepth

// Tokens are the values of a document as a list. A value is identified by the index of its token.
// The tokens of its members follow. In objects each value comes after its name, a String. The
// document has index 0.
type Tokens struct {
	text    string
	decoded string // the strings that differ from their text
	tokens  []token
}

// A token is small, because there are many of them.
type token struct {
	kind    Kind
	decoded bool   // the string is in Tokens.decoded
	at      uint32 // the offset of the value
	from    uint32 // the start of the content of a string or number; or the number of members
	to      uint32 // the end of the content; or the index after an object or list
}

const maxText = math.MaxInt32

// YAMLToJSON converts YAML as sigs.k8s.io/yaml does. It declines what [Tokenize] declines, and
// duplicate names.
func YAMLToJSON(text string) ([]byte, bool) {
	t, ok := Tokenize(text)
	if !ok {
		return nil, false
	}
	return t.AppendJSON(make([]byte, 0, len(text)), 0)
}

// Kind returns the kind of a value.
func (t *Tokens) Kind(i int) Kind { return t.tokens[i].kind }

// Offset returns the offset in the text at which a value or a name starts.
func (t *Tokens) Offset(i int) int { return int(t.tokens[i].at) }

// Len returns the number of members of an object or a list, and 0 for other values.
func (t *Tokens) Len(i int) int {
	if k := &t.tokens[i]; k.kind >= List {
		return int(k.from)
	}
	return 0
}

// Next returns the index after a value and its members.
func (t *Tokens) Next(i int) int {
	if k := &t.tokens[i]; k.kind >= List {
		return int(k.to)
	}
	return i + 1
}

// Text returns a string, a name, or a number as it is written. It may share memory with the text.
func (t *Tokens) Text(i int) string {
	k := &t.tokens[i]
	if k.decoded {
		return t.decoded[k.from:k.to]
	}
	return t.text[k.from:k.to]
}

// Member returns the index of a member's value, the first if the name is repeated, and how often
// the name occurs.
func (t *Tokens) Member(i int, name string) (value, times int) {
	if t.Kind(i) != Object {
		return 0, 0
	}
	at := i + 1
	for range t.Len(i) {
		if t.Text(at) == name {
			if times++; times == 1 {
				value = at + 1
			}
		}
		at = t.Next(at + 1)
	}
	return value, times
}

// AppendJSON appends a value as encoding/json does. It returns false for a duplicate name.
func (t *Tokens) AppendJSON(dst []byte, i int) ([]byte, bool) {
	switch t.Kind(i) {
	case False:
		return append(dst, "false"...), true
	case True:
		return append(dst, "true"...), true
	case Number:
		return append(dst, t.Text(i)...), true
	case String:
		return jsonscan.AppendString(dst, t.Text(i))
	case List:
		return t.appendList(dst, i)
	case Object:
		return t.appendObject(dst, i)
	}
	return append(dst, "null"...), true
}

func (t *Tokens) appendList(dst []byte, i int) ([]byte, bool) {
	dst = append(dst, '[')
	at, ok := i+1, true
	for n := range t.Len(i) {
		if n > 0 {
			dst = append(dst, ',')
		}
		if dst, ok = t.AppendJSON(dst, at); !ok {
			return dst, false
		}
		at = t.Next(at)
	}
	return append(dst, ']'), true
}

func (t *Tokens) appendObject(dst []byte, i int) ([]byte, bool) {
	names := make([]int, 0, t.Len(i))
	for at, left := i+1, t.Len(i); left > 0; at, left = t.Next(at+1), left-1 {
		names = append(names, at)
	}
	sort.Slice(names, func(i, j int) bool { return t.Text(names[i]) < t.Text(names[j]) })
	dst = append(dst, '{')
	for n, at := range names {
		if n > 0 {
			if t.Text(at) == t.Text(names[n-1]) {
				return dst, false
			}
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = jsonscan.AppendString(dst, t.Text(at)); !ok {
			return dst, false
		}
		if dst, ok = t.AppendJSON(append(dst, ':'), at+1); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// open adds an object or a list. The caller calls close after its members.
func (t *Tokens) open(kind Kind, at int) int {
	t.add(kind, at, 0, 0)
	return len(t.tokens) - 1
}

func (t *Tokens) close(i, n int) {
	t.tokens[i].from, t.tokens[i].to = uint32(n), uint32(len(t.tokens))
}

// add adds a scalar. The content of a string or number is between two offsets in the text.
func (t *Tokens) add(kind Kind, at, from, to int) {
	t.tokens = append(t.tokens, token{kind: kind, at: uint32(at), from: uint32(from), to: uint32(to)})
}

// tokensFor returns a capacity for the tokens of YAML. Nearly every colon is after a name.
func tokensFor(text string) int { return min(strings.Count(text, ":")*17/8, len(text)/10) + 16 }

const byteOrderMark = "\ufeff"

// A Position is a location in a text. Lines end with line feeds.
type Position struct {
	Line   int // from 1
	Column int // from 1, in code points
}

// A LineCounter finds the positions of increasing offsets in a text.
type LineCounter struct {
	text   []byte
	offset int // of the last position
	at     Position
}

// NewLineCounter returns a LineCounter for a text. It keeps the text.
func NewLineCounter(text []byte) *LineCounter {
	return &LineCounter{text: text, at: Position{1, 1}}
}

// Position returns the position of an offset. Offsets must not decrease.
func (c *LineCounter) Position(offset int) Position {
	skipped := c.text[c.offset:offset]
	if end := bytes.LastIndexByte(skipped, '\n'); end >= 0 {
		c.at.Line += bytes.Count(skipped, []byte("\n"))
		c.at.Column, skipped = 1, skipped[end+1:]
	}
	c.at.Column += utf8.RuneCount(skipped)
	c.offset = offset
	return c.at
}
