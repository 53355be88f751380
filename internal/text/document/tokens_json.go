package document

import (
	"encoding/json"
	"slices"
	"strings"
	"unsafe"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// A jsonTokenizer reads JSON.
type jsonTokenizer struct {
	t       *Tokens
	text    string
	decoded []byte
}

func tokenizeJSON(text string, start, nesting int) (*Tokens, bool) {
	r := jsonTokenizer{t: &Tokens{text: text, json: true}, text: text}
	end := r.readValue(start, nesting)
	if end < 0 || jsonscan.Space(text, end) != len(text) {
		return nil, false
	}
	r.t.decoded = unsafe.String(unsafe.SliceData(r.decoded), len(r.decoded)) // r.decoded is not used again
	return r.t, true
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
	switch r.text[i] {
	case '{':
		return r.readParts(Object, '}', i, depth-1)
	case '[':
		return r.readParts(List, ']', i, depth-1)
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

// readParts reads an object or a list, up to the closing bracket.
func (r *jsonTokenizer) readParts(kind Kind, closing byte, i, depth int) int {
	if depth < 0 {
		return -1
	}
	whole, n := r.t.open(kind, i), 0
	i = jsonscan.Space(r.text, i+1)
	if i < len(r.text) && r.text[i] == closing {
		r.t.close(whole, 0)
		return i + 1
	}
	for more := true; more; n++ {
		if kind == Object {
			if i >= len(r.text) || r.text[i] != '"' {
				return -1
			}
			if i = r.readString(i); i < 0 {
				return -1
			}
			if i = jsonscan.Space(r.text, i); i >= len(r.text) || r.text[i] != ':' {
				return -1
			}
			i = jsonscan.Space(r.text, i+1)
		}
		if i = r.readValue(i, depth); i < 0 {
			return -1
		}
		i, more = jsonscan.Next(r.text, i, closing)
	}
	r.t.close(whole, n)
	return i
}
