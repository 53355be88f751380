package fastpath

import (
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// A cursor moves through the text of a value, which a walk has read, and knows the
// path to where it is. It reads each byte once.
type cursor struct {
	text string
	at   int
	open []opened // the objects and lists around at, from the outside
}

// opened is an object or a list that is open.
type opened struct {
	start int    // index of the bracket
	key   string // of the current member of an object
	index int    // of the current element of a list, inObject for an object
}

const inObject = -1

// step returns the step to the current member or element.
func (o *opened) step() schema.Step {
	if o.index == inObject {
		return schema.Field(o.key)
	}
	return schema.Index(o.index)
}

// to moves to the value at an index, which must not be before the cursor. It reports
// false if no value begins there, or if it cannot read the text before.
func (c *cursor) to(target int) bool {
	for c.at >= 0 && c.at < min(target, len(c.text)) {
		c.at = c.next()
	}
	return c.at == target
}

// next returns the index after the token at the cursor, negative if it cannot be
// read. The key of a member and its colon are one token.
func (c *cursor) next() int {
	after := c.at + 1
	switch c.text[c.at] {
	case '{':
		c.open = append(c.open, opened{start: c.at, index: inObject})
		if after = jsonscan.Space(c.text, after); after < len(c.text) && c.text[after] == '"' {
			return c.key(after)
		}
	case '[':
		c.open = append(c.open, opened{start: c.at})
		return jsonscan.Space(c.text, after)
	case '}', ']':
		if len(c.open) == 0 {
			return refused
		}
		c.open = c.open[:len(c.open)-1]
	case ',':
		if len(c.open) == 0 {
			return refused
		}
		after = jsonscan.Space(c.text, after)
		if top := &c.open[len(c.open)-1]; top.index != inObject {
			top.index++
			return after
		}
		return c.key(after)
	case '"':
		end, _ := jsonscan.String(c.text, after)
		if end < 0 {
			return refused
		}
		return end + 1
	}
	return after
}

// key reads the key at an index. It returns the index of the value, or of what comes after
// the metadata of the whole object, which the walk does not look into.
func (c *cursor) key(i int) int {
	key, _, at := jsonscan.Key(c.text, i)
	c.open[len(c.open)-1].key = key
	if at >= 0 && key == "metadata" && len(c.open) == 1 {
		return jsonscan.Skip(c.text, at)
	}
	return at
}

// appendPath appends the path to the cursor.
func (c *cursor) appendPath(path schema.Path) schema.Path {
	for i := range c.open {
		path = append(path, c.open[i].step())
	}
	return path
}
