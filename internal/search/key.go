package search

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Key returns a text that is the same for the same conditions only. Conditions
// with different keys may still hold for the same values.
func (c *Cond) Key() string {
	var b strings.Builder
	c.writeKey(&b)
	return b.String()
}

func (c *Cond) writeKey(b *strings.Builder) {
	b.WriteString(strconv.Itoa(int(c.kind)))
	for _, flag := range []bool{c.neg, c.other, c.strict} {
		if flag {
			b.WriteByte('+')
		} else {
			b.WriteByte('-')
		}
	}
	fmt.Fprintf(b, "%d,%d,%g,%q", c.mask, c.n, c.x, c.text)
	if len(c.keys) > 0 {
		fmt.Fprintf(b, "%q", c.keys)
	}
	if len(c.values) > 0 {
		text, err := json.Marshal(c.values)
		if err != nil {
			text = fmt.Append(nil, c.values)
		}
		b.Write(text)
	}
	if len(c.subs) > 0 {
		b.WriteByte('(')
		for _, sub := range c.subs {
			sub.writeKey(b)
			b.WriteByte(';')
		}
		b.WriteByte(')')
	}
}
