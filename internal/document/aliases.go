package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"go.yaml.in/yaml/v3"
)

// The aliases of a YAML document may make its value at most expansion times as
// large as its text, or minExpansion bytes large.
const (
	expansion    = 4
	minExpansion = 8 << 20
)

// CheckAliases returns an error if the value of a YAML text would be much larger
// than the text, because the text repeats parts by aliases. YAML libraries build
// the whole value. It also returns an error for a text with aliases that it cannot
// read. CheckAliases takes time and memory in proportion to the text.
func CheckAliases(text []byte) error {
	anchors, aliases := countIndicators(text, '&'), countIndicators(text, '*')
	most := max(expansion*len(text), minExpansion)
	if anchors == 0 || aliases == 0 || anchors == 1 && aliases < most/len(text) {
		return nil
	}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		m := &aliasMeter{sizes: map[*yaml.Node]int{}}
		if m.size(&doc) > most {
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

// An aliasMeter computes the sizes of values with their aliases.
type aliasMeter struct {
	sizes map[*yaml.Node]int // of anchored nodes; -1 while it is computed
}

const endless = math.MaxInt / 4

func (m *aliasMeter) size(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		if n.Alias == nil {
			return 0
		}
		n = n.Alias
	}
	if n.Anchor != "" {
		switch size, ok := m.sizes[n]; {
		case ok && size < 0:
			return endless
		case ok:
			return size
		}
		m.sizes[n] = -1
	}
	size := len(n.Value) + 4
	for _, child := range n.Content {
		size = min(size+m.size(child), endless)
	}
	if n.Anchor != "" {
		m.sizes[n] = size
	}
	return size
}
