package patching

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// A node is a value of the document. It is parsed when a path of the patch first enters it;
// until then it is text. A nil node is a null inside of an object or list.
type node struct {
	kind    kind
	depth   int              // number of levels above that were parsed one by one
	encoded bool             // the text has the server's encoding
	text    string           // of a value that is not parsed
	members map[string]*node // of an object
	items   []*node          // of a list
}

type kind uint8

const (
	text   kind = iota
	null        // the value null of an operation
	broken      // a null that a path has entered; it counts as an object that refuses members
	object
	list
)

// maxLazyDepth is the number of levels that are parsed one by one. Each level scans its
// text again. Deeper levels are parsed at once, in linear time.
const maxLazyDepth = 32

func newNode(value string) *node { return &node{text: value} }

// newDocument returns the node of a value in the server's encoding.
func newDocument(value string) *node { return &node{text: value, encoded: true} }

func (n *node) element(value string) *node {
	if value == "null" {
		return nil
	}
	return &node{text: value, depth: n.depth + 1, encoded: n.encoded}
}

func (n *node) isObject() bool {
	n.enter()
	return n.kind == object || n.kind == broken
}

func (n *node) isList() bool {
	n.enter()
	return n.kind == list
}

func (n *node) isContainer() bool { return n.isObject() || n.isList() }

// enter parses one level of the text. At maxLazyDepth, it parses all levels. Scalars except
// null remain text.
func (n *node) enter() {
	if n.kind != text {
		return
	}
	switch s := n.text; {
	case s == "null":
		n.kind, n.text = broken, ""
	case s[0] != '{' && s[0] != '[':
	case n.depth >= maxLazyDepth:
		n.read(s, 0)
	case s[0] == '{':
		n.kind, n.members, n.text = object, map[string]*node{}, ""
		readMembers(s, 0, func(key string, i int) int {
			end := skipValue(s, i)
			n.members[key] = n.element(s[i:end])
			return end
		})
	default:
		n.kind, n.text = list, ""
		readItems(s, 0, func(i int) int {
			end := skipValue(s, i)
			n.items = append(n.items, n.element(s[i:end]))
			return end
		})
	}
}

// read parses the whole value at s[i], and returns the index after it.
func (n *node) read(s string, i int) int {
	child := func(i int) (*node, int) {
		if s[i] == 'n' {
			return nil, i + len("null")
		}
		c := &node{depth: n.depth, encoded: n.encoded}
		return c, c.read(s, i)
	}
	switch s[i] {
	case '{':
		n.kind, n.members, n.text = object, map[string]*node{}, ""
		return readMembers(s, i, func(key string, i int) (end int) {
			n.members[key], end = child(i)
			return end
		})
	case '[':
		n.kind, n.text = list, ""
		return readItems(s, i, func(i int) int {
			c, end := child(i)
			n.items = append(n.items, c)
			return end
		})
	}
	end := skipValue(s, i)
	n.text = s[i:end]
	return end
}

// readMembers calls f for each member of the object at s[i], with its key and the index of
// its value. f returns the index after the value. readMembers returns the index after the
// object. s is valid JSON.
func readMembers(s string, i int, f func(key string, i int) int) int {
	for i = skipSpace(s, i+1); s[i] != '}'; {
		end := skipString(s, i)
		key := unquote(s[i:end])
		i = skipSpace(s, end)
		i = skipSpace(s, i+1) // the colon
		if i = skipSpace(s, f(key, i)); s[i] == ',' {
			i = skipSpace(s, i+1)
		}
	}
	return i + 1
}

func readItems(s string, i int, f func(i int) int) int {
	for i = skipSpace(s, i+1); s[i] != ']'; {
		if i = skipSpace(s, f(i)); s[i] == ',' {
			i = skipSpace(s, i+1)
		}
	}
	return i + 1
}

func skipSpace(s string, i int) int { return jsonscan.Space(s, i) }

// skipValue returns the index after the value at s[i], which is valid JSON.
func skipValue(s string, i int) int {
	open := 0
	for {
		switch s[i] {
		case '"':
			i = skipString(s, i)
		case '{', '[':
			open, i = open+1, i+1
		case '}', ']':
			open, i = open-1, i+1
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
		default:
			i = skipWord(s, i)
		}
		if open == 0 {
			return i
		}
	}
}

func skipString(s string, i int) int {
	for i++; ; i++ {
		i += strings.IndexByte(s[i:], '"')
		escapes := 0
		for s[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// skipWord returns the index after the number, boolean or null at s[i].
func skipWord(s string, i int) int {
	if n := strings.IndexAny(s[i:], ",:]} \t\r\n"); n >= 0 {
		return i + n
	}
	return len(s)
}

func unquote(quoted string) string {
	if inner := quoted[1 : len(quoted)-1]; isASCII(inner) {
		return inner
	}
	var s string
	if json.Unmarshal([]byte(quoted), &s) != nil {
		return "" // not reached: the text is valid JSON
	}
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] == '\\' || s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// append appends the node as the server encodes it. Parsed objects are sorted by key, text
// is copied without white space.
func (n *node) append(dst []byte) []byte {
	switch {
	case n == nil || n.kind == null || n.kind == broken:
		return append(dst, "null"...)
	case n.kind == text && n.encoded:
		return append(dst, n.text...)
	case n.kind == text:
		return appendCompact(dst, n.text)
	case n.kind == list:
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, key := range slices.Sorted(maps.Keys(n.members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, key), ':')
		dst = n.members[key].append(dst)
	}
	return append(dst, '}')
}

func appendString(dst []byte, s string) []byte {
	if out, ok := jsonscan.AppendString(dst, s); ok {
		return out
	}
	out, err := json.Marshal(s)
	if err != nil {
		return dst // not reached: a string can be encoded
	}
	return append(dst, out...)
}

// appendCompact appends s without white space and escaped for HTML. s is valid JSON.
func appendCompact(dst []byte, s string) []byte {
	if !strings.ContainsAny(s, " \t\r\n<>&\u2028\u2029") {
		return append(dst, s...)
	}
	compact := bytes.NewBuffer(make([]byte, 0, len(s)))
	if json.Compact(compact, []byte(s)) != nil {
		return append(dst, s...) // not reached: the text is valid JSON
	}
	escaped := bytes.NewBuffer(dst)
	json.HTMLEscape(escaped, compact.Bytes())
	return escaped.Bytes()
}

// equal reports whether two values are equal. It compares scalars as text: 1 and 1.0 differ.
func (n *node) equal(o *node) bool {
	switch {
	case n == nil || o == nil:
		return n == nil && o == nil
	case n.isObject():
		return o.isObject() && maps.EqualFunc(n.members, o.members, (*node).equal)
	case n.isList():
		return o.isList() && slices.EqualFunc(n.items, o.items, (*node).equal)
	}
	return n.kind == o.kind && n.text == o.text
}
