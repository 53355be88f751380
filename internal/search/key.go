package search

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Key returns a text that is the same for the same conditions only. Conditions
// with different keys may still hold for the same values.
func (c *Cond) Key() string {
	values, err := json.Marshal(c.values)
	if err != nil {
		values = fmt.Append(nil, c.values)
	}
	subs := make([]string, len(c.subs))
	for i, sub := range c.subs {
		subs[i] = sub.Key()
	}
	return fmt.Sprintf("%d %t %t %t %d %d %g %q %q %s(%s)", c.kind, c.neg, c.other, c.strict, c.mask, c.n, c.x, c.text, c.keys, values, strings.Join(subs, ";"))
}
