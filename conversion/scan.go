package conversion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// errIrregular reports a text that a scan cannot take apart: it is not JSON, or a
// member that holds objects is repeated. The server's decoder decides about it.
var errIrregular = errors.New("irregular")

// The estimated size of decoded values. A map has room for eight members as soon as it
// has one, and a list may be twice as long as its elements. TestMemoryEstimate compares
// the estimate with the heap.
const (
	listMemory    = 24
	elementMemory = 32 // and a string or number has no other memory than its text
	emptyMemory   = 64 // of an object without members
	objectMemory  = 336
	memberMemory  = 80 // of each after the eighth
	freeMembers   = 8
)

// A scan reads the text of a review once, without decoding it. It checks the
// syntax as encoding/json does, estimates how large the decoded objects are, and
// looks at the context. Its methods return the index after what they read, or -1
// with err set.
type scan struct {
	ctx    context.Context
	text   []byte
	seen   int // where the scan last looked at the context
	memory int64
	most   int64       // of memory
	large  map[int]int // the ends of large lists and objects, by start
	single bool        // objects are decoded one after another
	err    error
}

func newScan(ctx context.Context, text []byte, most int64) *scan {
	if most == 0 {
		most = minMemory + memoryFactor*int64(len(text))
	}
	return &scan{ctx: ctx, text: text, most: most, large: map[int]int{}}
}

// A span is a part of a text.
type span struct{ start, end int }

// An envelope is a review without its objects.
type envelope struct {
	rest    []byte // the text with empty lists in place of the objects
	objects []span // of the member asked for
	count   int    // the number of objects, which may be more than there are spans
	largest int64  // the highest cost of an object, if objects are decoded one after another
}

// envelope takes a review apart: the objects of request.objects or
// response.convertedObjects, up to most of them, and the text without either. The
// objects after those count, and are not kept. It returns errIrregular for a text
// that has another form.
func (s *scan) envelope(of string, most int) (*envelope, error) {
	env := &envelope{}
	kept, seen := 0, map[string]bool{}
	cut := func(start, end int) {
		env.rest = append(append(env.rest, s.text[kept:start]...), '[', ']')
		kept = end
	}
	i := s.fields(s.space(0), func(key []byte, at int) int {
		list := listOfReview(string(key))
		if list == "" || at >= len(s.text) || s.text[at] != '{' {
			return s.skipValue(at, 1)
		}
		return s.fields(at, func(inner []byte, at int) int {
			if string(inner) != list || at >= len(s.text) || s.text[at] != '[' {
				return s.skipValue(at, 2)
			}
			if seen[list] {
				return s.fail(errIrregular)
			}
			seen[list] = true
			end := s.objects(env, at, string(key) == of, most)
			if end >= 0 {
				cut(at, end)
			}
			return end
		})
	})
	if i >= 0 && s.space(i) != len(s.text) {
		s.fail(errIrregular)
	}
	if i >= 0 {
		s.checkLimits(i)
	}
	env.rest = append(env.rest, s.text[kept:]...)
	return env, s.err
}

// listOfReview returns the name of the list of objects in a member of a review.
func listOfReview(member string) string {
	switch member {
	case "request":
		return "objects"
	case "response":
		return "convertedObjects"
	}
	return ""
}

// objects reads the list of objects at i. Objects that nobody decodes hold no
// memory.
func (s *scan) objects(env *envelope, i int, wanted bool, most int) int {
	if i = s.space(i + 1); i < len(s.text) && s.text[i] == ']' {
		return i + 1
	}
	for {
		start, memory, large := i, s.memory, len(s.large)
		if i = s.skipValue(i, 3); i < 0 || s.memory > s.most && !s.checkLimits(i) {
			return -1
		}
		if s.single {
			env.largest = max(env.largest, textCost*int64(i-start)+objectCost*(s.memory-memory))
			s.memory = memory + memberMemory*int64(len(s.large)-large)
		}
		if wanted && env.count < most {
			env.objects = append(env.objects, span{start, i})
		} else {
			s.memory = memory
			s.forget(start)
		}
		if wanted {
			env.count++
		}
		next, more := s.next(i, ']')
		if !more {
			return next
		}
		i = next
	}
}

// forget drops what the scan noted about the text after start.
func (s *scan) forget(start int) {
	if len(s.large) == 0 || s.large[start] == 0 {
		return
	}
	for at := range s.large {
		if at >= start {
			delete(s.large, at)
		}
	}
}

// fields calls visit with each member of the object at i: its key as it is written,
// and the index of its value. visit returns the index after the value. A repeated
// key is irregular if it is one of a review, and so is a key with an escape.
func (s *scan) fields(i int, visit func(key []byte, at int) int) int {
	if i >= len(s.text) || s.text[i] != '{' {
		return s.fail(errIrregular)
	}
	if i = s.space(i + 1); i < len(s.text) && s.text[i] == '}' {
		return i + 1
	}
	seen := map[string]bool{}
	for {
		at := s.key(i)
		if at < 0 {
			return -1
		}
		key := s.text[i+1:]
		key = key[:bytes.IndexByte(key, '"')]
		if bytes.IndexByte(key, '\\') >= 0 || listOfReview(string(key)) != "" && seen[string(key)] {
			return s.fail(errIrregular)
		}
		if listOfReview(string(key)) != "" {
			seen[string(key)] = true
		}
		if i = visit(key, at); i < 0 {
			return -1
		}
		next, more := s.next(i, '}')
		if !more {
			return next
		}
		i = next
	}
}

func (s *scan) fail(err error) int {
	if s.err == nil {
		s.err = err
	}
	return -1
}

// checkLimits checks the context and the memory that the scan counted.
func (s *scan) checkLimits(i int) bool {
	s.seen = i
	if err := s.ctx.Err(); err != nil {
		s.fail(err)
		return false
	}
	if s.memory > s.most {
		s.fail(fmt.Errorf("its objects would hold more than %d bytes of memory", s.most))
		return false
	}
	return true
}

// skipValue reads the value at i, which is in depth lists and objects.
func (s *scan) skipValue(i, depth int) int {
	if i >= len(s.text) {
		return s.fail(errIrregular)
	}
	if i-s.seen >= pieceBytes && !s.checkLimits(i) {
		return -1
	}
	switch s.text[i] {
	case '{', '[':
		return s.nested(i, depth+1)
	case '"':
		return s.string(i + 1)
	case 't':
		return s.literal(i, "true")
	case 'f':
		return s.literal(i, "false")
	case 'n':
		return s.literal(i, "null")
	}
	return s.number(i)
}

// nested reads the object or list at i.
func (s *scan) nested(i, depth int) int {
	start, object := i, s.text[i] == '{'
	if depth > maxDepth {
		return s.fail(errIrregular)
	}
	closing := byte(']')
	if object {
		closing = '}'
	}
	n := 0
	i = s.space(i + 1)
	for more := i >= len(s.text) || s.text[i] != closing; more; n++ {
		if object {
			if i = s.key(i); i < 0 {
				return -1
			}
		}
		if i = s.skipValue(i, depth); i < 0 {
			return -1
		}
		if i, more = s.next(i, closing); i < 0 {
			return -1
		}
	}
	if n == 0 {
		i++
	}
	s.count(object, n)
	if i-start >= pieceBytes {
		s.large[start] = i
		s.memory += memberMemory
	}
	return i
}

// count adds an object or list of n values to the memory.
func (s *scan) count(object bool, n int) {
	switch {
	case object && n == 0:
		s.memory += emptyMemory
	case object:
		s.memory += objectMemory + memberMemory*int64(max(0, n-freeMembers))
	default:
		s.memory += listMemory + elementMemory*int64(n)
	}
	if s.memory > s.most {
		s.seen = -pieceBytes // look at the next value
	}
}

func (s *scan) space(i int) int {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\n' || s.text[i] == '\t' || s.text[i] == '\r') {
		i++
	}
	return i
}

// key reads the key at i and returns the index of its value.
func (s *scan) key(i int) int {
	if i >= len(s.text) || s.text[i] != '"' {
		return s.fail(errIrregular)
	}
	if i = s.string(i + 1); i < 0 {
		return -1
	}
	if i = s.space(i); i >= len(s.text) || s.text[i] != ':' {
		return s.fail(errIrregular)
	}
	return s.space(i + 1)
}

// next reads what follows a value that ends at i. It returns the index of the next
// value and true, or the index after the closing bracket and false.
func (s *scan) next(i int, closing byte) (int, bool) {
	if i = s.space(i); i < len(s.text) {
		switch s.text[i] {
		case ',':
			return s.space(i + 1), true
		case closing:
			return i + 1, false
		}
	}
	return s.fail(errIrregular), false
}

func (s *scan) literal(i int, word string) int {
	if !bytes.HasPrefix(s.text[i:], []byte(word)) {
		return s.fail(errIrregular)
	}
	return i + len(word)
}

// string reads the string whose opening quote is before i.
func (s *scan) string(i int) int {
	for i < len(s.text) {
		if i-s.seen >= pieceBytes && !s.checkLimits(i) {
			return -1
		}
		switch c := s.text[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return s.fail(errIrregular)
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(s.text[i:])
			if r == utf8.RuneError && n == 1 {
				s.memory += 2 // it is decoded as three bytes
			}
			i += n
		case c != '\\':
			i++
		case i+1 < len(s.text) && s.text[i+1] == 'u':
			if !isHex(s.text[i+2 : min(i+6, len(s.text))]) {
				return s.fail(errIrregular)
			}
			i += 6
		case i+1 < len(s.text) && bytes.IndexByte([]byte(`"\/bfnrt`), s.text[i+1]) >= 0:
			i += 2
		default:
			return s.fail(errIrregular)
		}
	}
	return s.fail(errIrregular)
}

func isHex(digits []byte) bool {
	for _, c := range digits {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return len(digits) == 4
}

func (s *scan) number(i int) int {
	if s.at(i) == '-' {
		i++
	}
	start := i
	if i = s.digits(i); i == start || s.text[start] == '0' && i > start+1 {
		return s.fail(errIrregular)
	}
	if s.at(i) == '.' {
		start = i + 1
		if i = s.digits(start); i == start {
			return s.fail(errIrregular)
		}
	}
	if s.at(i)|0x20 == 'e' {
		if i++; s.at(i) == '+' || s.at(i) == '-' {
			i++
		}
		start = i
		if i = s.digits(i); i == start {
			return s.fail(errIrregular)
		}
	}
	return i
}

// at returns the byte at i, 0 after the end.
func (s *scan) at(i int) byte {
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

func (s *scan) digits(i int) int {
	for i < len(s.text) && '0' <= s.text[i] && s.text[i] <= '9' {
		i++
	}
	return i
}
