package document

import (
	"encoding/json"
	"slices"
	"strings"
	"unsafe"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// A jsonTokenizer reads JSON.
type jsonTokenizer struct {
	t       *Tokens
	text    string
	decoded []byte
}

// manyTokens is the number of tokens from which the nesting is tested before their memory
// is allocated.
const manyTokens = 1 << 14

func tokenizeJSON(text string, start, nesting int) (*Tokens, bool) {
	n := jsonTokens(text)
	if n > manyTokens && NestedDeeper(text, nesting) {
		return nil, false
	}
	r := jsonTokenizer{t: &Tokens{text: text, json: true, tokens: make([]token, 0, n)}, text: text}
	end := r.readValue(start, nesting)
	if end < 0 || jsonscan.Space(text, end) != len(text) {
		return nil, false
	}
	r.t.decoded = unsafe.String(unsafe.SliceData(r.decoded), len(r.decoded)) // r.decoded is not used again
	return r.t, true
}

// jsonTokens returns a capacity for the tokens of a text. A list that grows would be
// allocated again and again. A name or a value begins the text or follows a comma, a colon
// or a bracket, so that their number is enough. Strings may contain many of them too: most
// tokens are strings, objects and lists.
func jsonTokens(text string) int {
	nested := strings.Count(text, "{") + strings.Count(text, "[")
	most := 1 + nested + strings.Count(text, ",") + strings.Count(text, ":")
	return min(most, (strings.Count(text, `"`)/2+nested)*3/2+16)
}

// readValue reads the value at an index and returns the index after it, -1 to
// decline. Objects and lists may be nested by depth.
func (r *jsonTokenizer) readValue(i, depth int) int {
	if i >= len(r.text) {
		return -1
	}
	literal := func(kind Kind, word string) int {
		r.t.add(newToken(kind, i, 0, 0))
		return jsonscan.Literal(r.text, i, word)
	}
	switch c := r.text[i]; c {
	case '{', '[':
		if depth == 0 {
			return -1
		}
		if c == '[' {
			return r.readList(i, depth-1)
		}
		return r.readObject(i, depth-1)
	case '"':
		return r.readString(i)
	case 't':
		return literal(True, "true")
	case 'f':
		return literal(False, "false")
	case 'n':
		return literal(Null, "null")
	}
	end, _ := jsonscan.Number(r.text, i)
	if end >= 0 {
		r.t.add(newToken(Number, i, i, end))
	}
	return end
}

func (r *jsonTokenizer) readString(i int) int {
	end, text := jsonscan.String(r.text, i+1)
	if end >= 0 && text&jsonscan.Escaped == 0 {
		r.t.add(newToken(String, i, i+1, end))
		return end + 1
	}
	from, ok := len(r.decoded), end >= 0
	if ok {
		r.decoded, ok = jsonscan.Unescape(slices.Grow(r.decoded, end-i), r.text[i+1:end])
	}
	if !ok { // not UTF-8, or half a surrogate pair, which a decoder replaces
		d, s := json.NewDecoder(strings.NewReader(r.text[i:])), ""
		if d.Decode(&s) != nil {
			return -1
		}
		r.decoded, end = append(r.decoded[:from], s...), i+int(d.InputOffset())-1
	}
	r.t.add(newDecoded(i, from, len(r.decoded)))
	return end + 1
}

func (r *jsonTokenizer) readList(i, depth int) int {
	list := r.t.open(List, i)
	n := 0
	i = jsonscan.Space(r.text, i+1)
	if i < len(r.text) && r.text[i] == ']' {
		r.t.close(list, 0)
		return i + 1
	}
	for more := true; more; n++ {
		if i = r.readValue(i, depth); i < 0 {
			return -1
		}
		i, more = jsonscan.Next(r.text, i, ']')
	}
	r.t.close(list, n)
	return i
}

func (r *jsonTokenizer) readObject(i, depth int) int {
	object := r.t.open(Object, i)
	n := 0
	i = jsonscan.Space(r.text, i+1)
	if i < len(r.text) && r.text[i] == '}' {
		r.t.close(object, 0)
		return i + 1
	}
	for more := true; more; n++ {
		if i >= len(r.text) || r.text[i] != '"' {
			return -1
		}
		if i = r.readString(i); i < 0 {
			return -1
		}
		if i = jsonscan.Space(r.text, i); i >= len(r.text) || r.text[i] != ':' {
			return -1
		}
		if i = r.readValue(jsonscan.Space(r.text, i+1), depth); i < 0 {
			return -1
		}
		i, more = jsonscan.Next(r.text, i, '}')
	}
	r.t.close(object, n)
	return i
}
