package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A spelling is how an encoder writes JSON where encoders differ.
type spelling struct {
	name   string
	indent string // of a level, "" for no line breaks
	html   string // characters that are escaped beside those that have to be
	slash  bool   // / is escaped with a backslash
	ascii  bool   // characters that are not ASCII are escaped
	sorted bool   // members are sorted; else those below metadata and spec are in the reverse order
}

// spellings are those of encoders that clients of the server are built with.
var spellings = []spelling{
	{name: "Python", ascii: true},
	{name: "Python, indented", indent: "    ", ascii: true, sorted: true},
	{name: "JavaScript"},
	{name: "Java, Gson", html: "<>&='"},
	{name: "PHP", slash: true, ascii: true},
}

// spelledNote is an annotation with the characters that encoders write in different ways.
const spelledNote = `{"expr":"rate(a[5m]) > 0.5 && b < 1","runbook":"https://example.com/?a=b&c='d'","owner":"Müller"}`

// spelledCases returns a case for each object without unknown fields and each spelling.
func spelledCases(dir string) ([]*testCase, error) {
	cases, err := loadCases(dir)
	if err != nil {
		return nil, err
	}
	var out []*testCase
	for _, c := range cases {
		if c.unknown || c.rules {
			continue
		}
		object := testkit.Clone(c.object)
		annotations, _ := object["metadata"].(map[string]any)["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
			object["metadata"].(map[string]any)["annotations"] = annotations
		}
		annotations["example.com/note"] = spelledNote
		for _, s := range spellings {
			k := *c
			k.name, k.text = fmt.Sprintf("%s, %s", c.name, s.name), s.append(nil, object, "\n")
			if !json.Valid(k.text) {
				return nil, fmt.Errorf("%s: not JSON", k.name)
			}
			out = append(out, &k)
		}
	}
	return out, nil
}

// prepareSpelled is prepareRequest for the texts of [spelledCases].
func prepareSpelled(c *testCase) (*pair, error) {
	if c.text == nil {
		return nil, nil
	}
	return createPair(c, c.text)
}

// append appends v as the encoder writes it. newline is the line break of the level of v.
func (s spelling) append(dst []byte, v any, newline string) []byte {
	inner := newline + s.indent
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b string) int {
			if s.sorted || v["apiVersion"] != nil {
				return strings.Compare(a, b)
			}
			return strings.Compare(b, a)
		})
		return s.appendAll(dst, '{', '}', len(keys), newline, func(dst []byte, i int) []byte {
			dst = append(s.appendString(dst, keys[i]), ':')
			if s.ascii {
				dst = append(dst, ' ')
			}
			return s.append(dst, v[keys[i]], inner)
		})
	case []any:
		return s.appendAll(dst, '[', ']', len(v), newline, func(dst []byte, i int) []byte { return s.append(dst, v[i], inner) })
	case string:
		return s.appendString(dst, v)
	default:
		return fmt.Append(dst, v)
	}
}

// appendAll appends n members or elements between brackets.
func (s spelling) appendAll(dst []byte, open, closing byte, n int, newline string, one func(dst []byte, i int) []byte) []byte {
	dst = append(dst, open)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch {
		case s.indent != "":
			dst = append(append(dst, newline...), s.indent...)
		case s.ascii && i > 0:
			dst = append(dst, ' ')
		}
		dst = one(dst, i)
	}
	if s.indent != "" && n > 0 {
		dst = append(dst, newline...)
	}
	return append(dst, closing)
}

// appendString appends a string without control characters.
func (s spelling) appendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\' || r == '/' && s.slash:
			dst = append(dst, '\\', byte(r))
		case strings.ContainsRune(s.html, r) || r >= utf8.RuneSelf && s.ascii:
			for _, unit := range utf16.Encode([]rune{r}) {
				dst = fmt.Appendf(dst, "\\u%04x", unit)
			}
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
