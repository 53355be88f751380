package conversion

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// The estimated size of decoded values. A map with one member has room for eight. A list
// may have room for twice its elements. TestMemoryEstimate compares the estimate with the
// heap.
const (
	listMemory    = 24
	elementMemory = 32 // and a string or number has no other memory than its text
	emptyMemory   = 64 // of an object without members
	objectMemory  = 336
	memberMemory  = 80 // of each after the eighth
	freeMembers   = 8
)

// errIrregular reports a text that is not a review in JSON, or that repeats the objects.
var errIrregular = errors.New("it is not a regular review in JSON")

// A review is the text of a ConversionReview, taken apart.
type review struct {
	rest    []byte   // the text with empty lists in place of the objects
	objects []string // the texts of the first objects
	count   int      // the number of all objects
	memory  int64    // the estimated size of objects
	largest int64    // the highest cost of one of them, in a handler
}

// reviewDepth is the number of objects and lists around an object of a review.
const reviewDepth = 3

// readReview takes a review apart: the objects of the member, which is request or response,
// up to most of them, and the text without the objects of both. It decodes no object.
func readReview(text, member string, most int) (*review, error) {
	r := &reader{text: text}
	out := &review{}
	done := 0 // the text before is in out.rest
	object := func(_ string, at int) int {
		r.memory = 0
		end := r.skip(at, reviewDepth)
		if end >= 0 && out.count < most {
			out.objects = append(out.objects, text[at:end])
			out.memory += r.memory
			out.largest = max(out.largest, textCost*int64(end-at)+objectCost*r.memory)
		}
		out.count++
		return end
	}
	ignore := func(_ string, at int) int { return r.skip(at, reviewDepth) }
	seen := map[string]bool{}
	start := jsonscan.Space(text, 0)
	end := r.enter(start, 0, '{', func(part string, at int) int {
		list := map[string]string{"request": "objects", "response": "convertedObjects"}[part]
		if list == "" {
			return r.skip(at, 1)
		}
		if seen[part] {
			return -1
		}
		seen[part] = true
		return r.enter(at, 1, '{', func(name string, at int) int {
			if name != list {
				return r.skip(at, 2)
			}
			if seen[list] {
				return -1
			}
			seen[list] = true
			visit := ignore
			if part == member {
				visit = object
			}
			end := r.enter(at, 2, '[', visit)
			if r.at(at) == '[' {
				out.rest = append(append(out.rest, text[done:at]...), "[]"...)
				done = end
			}
			return end
		})
	})
	if r.at(start) != '{' || end < 0 || jsonscan.Space(text, end) != len(text) {
		return nil, errIrregular
	}
	out.rest = append(out.rest, text[done:]...)
	return out, nil
}

// decodeObject returns the value of the text of an object. The value does not keep the rest
// of the review.
func decodeObject(text string) (v any, err error) {
	if v, ok := jsonscan.Decode(strings.Clone(text)); ok {
		return v, nil
	}
	err = utiljson.Unmarshal([]byte(text), &v)
	return v, err
}

// A reader reads JSON as encoding/json does, and estimates the memory of decoded values. Its
// methods return the index after what they read, and -1 for a text that is not JSON.
type reader struct {
	text   string
	memory int64
}

func (r *reader) at(i int) byte {
	if i < len(r.text) {
		return r.text[i]
	}
	return 0
}

// skip reads the value at i, which is in depth objects and lists.
func (r *reader) skip(i, depth int) int {
	open := r.at(i)
	if open != '{' && open != '[' {
		if end := jsonscan.Skip(r.text, i); end >= 0 {
			return end
		}
		return r.rare(i)
	}
	if depth == maxDepth {
		return -1
	}
	n := int64(0)
	end := r.walk(i, func(_ string, at int) int {
		n++
		return r.skip(at, depth+1)
	})
	switch {
	case open == '[':
		r.memory += listMemory + elementMemory*n
	case n == 0:
		r.memory += emptyMemory
	default:
		r.memory += objectMemory + memberMemory*max(0, n-freeMembers)
	}
	return end
}

// enter is walk for a value that begins with open, and skip for another one.
func (r *reader) enter(i, depth int, open byte, visit func(name string, at int) int) int {
	if r.at(i) != open {
		return r.skip(i, depth)
	}
	return r.walk(i, visit)
}

// walk calls visit with the name and the index of each member of the object at i, or with
// the index of each element of a list. visit returns the index after the value.
func (r *reader) walk(i int, visit func(name string, at int) int) int {
	object, closing := r.text[i] == '{', r.text[i]+2
	i = jsonscan.Space(r.text, i+1)
	if r.at(i) == closing {
		return i + 1
	}
	for more := true; more; {
		name := ""
		if object {
			name, i = r.name(i)
		}
		if i >= 0 {
			i = visit(name, i)
		}
		if i < 0 {
			return -1
		}
		i, more = jsonscan.Next(r.text, i, closing)
	}
	return i
}

// name reads the name of the member at i, and returns the index of its value. It returns ""
// for a name that is not UTF-8.
func (r *reader) name(i int) (string, int) {
	if name, at := jsonscan.DecodedKey(r.text, i); at >= 0 || r.at(i) != '"' {
		return name, at
	}
	end := r.rare(i)
	if end = jsonscan.Space(r.text, max(end, i)); r.at(end) != ':' {
		return "", -1
	}
	return "", jsonscan.Space(r.text, end+1)
}

// rare reads what package jsonscan declines: a string that is not UTF-8 or has half a
// surrogate pair, and a number that no float64 holds, which only the decoder of a value
// refuses.
func (r *reader) rare(i int) int {
	end := i
	if r.at(i) == '"' {
		for end++; end < len(r.text) && r.text[end] != '"'; end++ {
			if r.text[end] == '\\' {
				end++
			}
		}
		end = min(end+1, len(r.text))
	} else {
		for end < len(r.text) && strings.IndexByte("+-.0123456789Ee", r.text[end]) >= 0 {
			end++
		}
	}
	if !json.Valid([]byte(r.text[i:end])) {
		return -1
	}
	for _, c := range r.text[i:end] {
		if c == utf8.RuneError {
			r.memory += 2 // one byte becomes three
		}
	}
	return end
}
