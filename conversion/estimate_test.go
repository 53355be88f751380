package conversion

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestMemoryEstimate compares the estimated size of decoded values with the heap that
// they hold.
func TestMemoryEstimate(t *testing.T) {
	real := `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a","namespace":"default",` +
		`"labels":{"app":"web","tier":"front"}},"spec":{"schedule":"*/5 * * * *","suspend":false,"replicas":3,` +
		`"template":{"containers":[{"name":"main","image":"example.com/image:1","args":["-v","--port=80"]}]}}}`
	for _, element := range []string{`{"a":0}`, `[]`, `{}`, `0`, `"text of a string"`, `{"a":{"b":{"c":"d"}}}`, real} {
		text := "[" + strings.TrimSuffix(strings.Repeat(element+",", 1_000_000/len(element)), ",") + "]"
		s := &reader{text: text}
		s.skip("", 0)
		held := heldBy(t, text)
		ratio := float64(s.memory) / float64(held)
		line := fmt.Sprintf("%.40s: estimated %d, held %d: %.2f; %.1f times the text", element, s.memory, held, ratio, float64(held)/float64(len(text)))
		t.Log(line)
		if ratio < 0.6 || ratio > 2.2 {
			t.Error(line)
		}
	}
}

// heldBy returns the heap that the decoded text holds.
func heldBy(t *testing.T, text string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(v)
	return after.HeapAlloc - before.HeapAlloc
}
