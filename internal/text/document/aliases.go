package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v2"
)

// The aliases of a YAML document may make its value at most expansion times as
// large as its text, or minExpansion bytes large.
const (
	expansion    = 4
	minExpansion = 8 << 20
)

// CheckAliases returns an error if the value of a YAML text would be much larger
// than the text, because the text repeats parts by aliases. It also returns an error
// for a text with aliases that it cannot read.
//
// CheckAliases decodes a text with aliases once. A decoded string shares the memory of
// its anchor, and the decoder itself refuses a text whose aliases repeat lists and
// mappings too often, so that the decoded value is small. Its JSON is not: the caller
// makes it afterwards.
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

// beforeIndicator has the bytes that can precede an anchor or an alias: white
// space, the last bytes of other line breaks, punctuation, and the 0 of UTF-16.
var beforeIndicator = []byte(" \t\r\n\x00\x85\xa8\xa9,[{:")

// countIndicators counts the bytes of a text that can start an anchor or an
// alias.
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

// NestedDeeper reports whether the objects and lists of a JSON text are nested in more
// than the given number of levels. It takes time in proportion to the text, allocates
// nothing, and does not check that the text is well-formed.
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
