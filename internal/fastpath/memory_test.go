package fastpath_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/fastpath"
)

// Whatever the text, the memory that it takes is bounded by a multiple of its
// length, accepted or not.
func TestMemory(t *testing.T) {
	n := compileGroup(t, &group{Spec: `{type: object, properties: {
		s: {type: string}, set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
		any: {type: object, x-kubernetes-preserve-unknown-fields: true},
		l: {type: array, items: {type: object, properties: {a: {type: integer, default: 1}, b: {type: integer, default: 2}}}},
		r: {type: object, x-kubernetes-validations: [{rule: "true"}], x-kubernetes-preserve-unknown-fields: true}}}`})
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			if strings.Contains(format, "%") {
				fmt.Fprintf(&b, format, i)
			} else {
				b.WriteString(format)
			}
		}
		return b.String()
	}
	const times, fixed = 256, 1 << 16 // three bytes, {}, may take two defaults
	for name, spec := range map[string]string{
		"deep":      `{"any":` + strings.Repeat(`{"a":[`, 200) + strings.Repeat(`]}`, 200) + `}`,
		"too deep":  `{"any":` + strings.Repeat(`[`, 100_000),
		"unknown":   `{` + many(5000, `"u%d":1`) + `}`,
		"shuffled":  `{"any":{` + many(5000, `"%[1]d":[%[1]d]`) + `}}`,
		"set":       `{"set":[` + many(5000, `"v%d"`) + `]}`,
		"repeated":  `{"set":[` + many(5000, `"v"`) + `]}`,
		"defaults":  `{"l":[` + many(5000, `{}`) + `]}`,
		"nulls":     `{"l":[` + many(5000, `{"a":null}`) + `]}`,
		"escapes":   `{"s":"` + strings.Repeat(`\u0041<`, 5000) + `"}`,
		"for rules": `{"r":{` + many(5000, `"k%d":{"a":["b"]}`) + `}}`,
	} {
		raw := head + `"spec":` + spec + `}`
		for _, splice := range []bool{false, true} {
			plan := fastpath.Compile(n, testConfig) // which has kept nothing yet
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, ok := plan.JSON(raw, &fastpath.Request{Report: true, Splice: splice})
			if ok {
				m.Unknown("", "")
				plan.Values(nil).RuleInput(m.Text(), false)
				m.Release()
			}
			runtime.ReadMemStats(&after)
			if got, most := after.TotalAlloc-before.TotalAlloc, uint64(times*len(raw)+fixed); got > most {
				t.Errorf("%s, splice %t: %d bytes for a text of %d", name, splice, got, len(raw))
			}
		}
	}
}
