package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v2"
)

// Aliases may make a value expansion times as large as its text, or minExpansion bytes.
const (
	expansion    = 4
	minExpansion = 8 << 20
)

// CheckAliases returns an error if aliases make the value of a YAML text much larger than
// the text, or if a text with aliases cannot be read.
//
// It decodes such a text once: strings share memory, and the decoder refuses lists and
// mappings that are repeated too often. The JSON, which the caller makes afterwards, is not
// small.
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

// beforeIndicator has the bytes that can precede an anchor or an alias: white space, the
// last bytes of other line breaks, punctuation, and the 0 of UTF-16.
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

// sizeOf returns about how many bytes a value takes as text.
func sizeOf(value any) int {
	const least = 4 // of a value with its punctuation
	switch v := value.(type) {
	case string:
		return len(v) + least
	case []any:
		size := least
		for _, element := range v {
			size += sizeOf(element)
		}
		return size
	case map[any]any:
		size := least
		for key, element := range v {
			size += sizeOf(key) + sizeOf(element)
		}
		return size
	}
	return least
}

// NestedDeeper reports whether JSON is nested in more than so many levels, in linear time
// and without allocations. It does not check the text.
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
