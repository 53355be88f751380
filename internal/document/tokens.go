package document

import (
	"math"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// A Kind says what a value is.
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

// maxTokenDepth is how deep objects and lists may lie in one another.
const maxTokenDepth = jsonscan.MaxDepth

// A Tokens is a document as a list of tokens, with a value in front of what is in
// it, and in objects a name, which is a String, in front of each value. A value
// is known by its index; the document is the value 0.
type Tokens struct {
	text    string
	decoded string // strings that are not in the text as they are
	json    bool
	tokens  []token
}

type token struct {
	kind     Kind
	decoded  bool   // the string is in Tape.made
	at       uint32 // where the value begins in the text
	from, to uint32 // of the inside of a string, or of a number
	next     uint32 // index behind the value and all in it
	n        uint32 // members or elements
}

// Tokenize reads a text: JSON if it begins with a brace, and YAML otherwise. It
// reports false if the text is refused.
func Tokenize(text string) (*Tokens, bool) {
	if len(text) > math.MaxInt32 {
		return nil, false
	}
	if start := jsonscan.Space(text, 0); start < len(text) && text[start] == '{' {
		return tokenizeJSON(text, start)
	}
	return tokenizeYAML(text)
}

// Kind returns the kind of a value.
func (t *Tokens) Kind(i int) Kind { return t.tokens[i].kind }

// Offset returns the offset in the text at which a value or a name begins.
func (t *Tokens) Offset(i int) int { return int(t.tokens[i].at) }

// Len returns how many members an object or a list has.
func (t *Tokens) Len(i int) int { return int(t.tokens[i].n) }

// Next returns the index behind a value and all that is in it. The first member
// of a list, and the first name of an object, are at the index behind its own.
func (t *Tokens) Next(i int) int { return int(t.tokens[i].next) }

// Text returns a string or a name, and the spelling of a number.
func (t *Tokens) Text(i int) string {
	k := &t.tokens[i]
	if k.decoded {
		return t.decoded[k.from:k.to]
	}
	return t.text[k.from:k.to]
}

// Member returns the index of the value of that name in an object, and how often
// the name is there. The index is that of the first. Other values have none.
func (t *Tokens) Member(i int, name string) (value, times int) {
	if t.tokens[i].kind != Object {
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

// AppendJSON appends a value as JSON: as it is written if the text is JSON, and
// as encoding/json writes it otherwise, or if something is left out, which are
// the members of objects whose values are in skip. It reports false if a name of
// what it encodes is there twice.
func (t *Tokens) AppendJSON(dst []byte, i int, skip ...int) ([]byte, bool) {
	if t.json && len(skip) == 0 {
		at := t.Offset(i)
		return append(dst, t.text[at:jsonscan.Skip(t.text, at)]...), true
	}
	return t.encode(dst, i, skip)
}

func (t *Tokens) encode(dst []byte, i int, skip []int) ([]byte, bool) {
	switch t.tokens[i].kind {
	case False:
		return append(dst, "false"...), true
	case True:
		return append(dst, "true"...), true
	case Number:
		return append(dst, t.Text(i)...), true
	case String:
		return jsonscan.AppendString(dst, t.Text(i))
	case List:
		return t.encodeList(dst, i, skip)
	case Object:
		return t.encodeObject(dst, i, skip)
	}
	return append(dst, "null"...), true
}

func (t *Tokens) encodeList(dst []byte, i int, skip []int) ([]byte, bool) {
	dst = append(dst, '[')
	at, ok := i+1, true
	for n := range t.Len(i) {
		if n > 0 {
			dst = append(dst, ',')
		}
		if dst, ok = t.encode(dst, at, skip); !ok {
			return dst, false
		}
		at = t.Next(at)
	}
	return append(dst, ']'), true
}

func (t *Tokens) encodeObject(dst []byte, i int, skip []int) ([]byte, bool) {
	names := make([]int, 0, t.Len(i))
	for at, left := i+1, t.Len(i); left > 0; at, left = t.Next(at+1), left-1 {
		if !slices.Contains(skip, at+1) {
			names = append(names, at)
		}
	}
	slices.SortFunc(names, func(a, b int) int { return strings.Compare(t.Text(a), t.Text(b)) })
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
		if dst, ok = t.encode(append(dst, ':'), at+1, skip); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// open adds an object or a list, which close ends.
func (t *Tokens) open(kind Kind, at int) int {
	t.tokens = append(t.tokens, token{kind: kind, at: uint32(at)})
	return len(t.tokens) - 1
}

func (t *Tokens) close(i, n int) {
	t.tokens[i].n, t.tokens[i].next = uint32(n), uint32(len(t.tokens))
}

// add adds a scalar.
func (t *Tokens) add(k token) {
	k.next = uint32(len(t.tokens) + 1)
	t.tokens = append(t.tokens, k)
}

// tokensFor guesses how many tokens a text has: few enough not to be a waste.
func tokensFor(text string) int { return len(text)/32 + 16 }
