package enginetest

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A Size is a wanted size of an object, in bytes of JSON.
type Size struct {
	Name  string
	Bytes int
}

// Sizes returns the sizes of the objects of benchmarks.
func Sizes() []Size { return []Size{{"1K", 1_000}, {"10K", 10_000}, {"100K", 100_000}} }

// Label returns the first word of the name and the version, for the names of
// benchmarks, which must not contain slashes.
func (v Version) Label() string {
	for i, c := range v.Name {
		if c == '.' {
			return v.Name[:i] + "-" + v.Name[len(v.Name)-2:]
		}
	}
	return v.Name
}

// Grow returns a copy of the largest sample, with its lists repeated until it
// has about the wanted size. It returns nil if the sample has no lists to repeat.
func (v Version) Grow(size Size) map[string]any {
	var obj map[string]any
	for _, s := range v.Samples {
		if _, ok := s["spec"].(map[string]any); ok && (obj == nil || len(testkit.Encode(s)) > len(testkit.Encode(obj))) {
			obj = s
		}
	}
	obj = testkit.Clone(obj)
	for {
		before := len(testkit.Encode(obj))
		if before >= size.Bytes*2/3 {
			return obj
		}
		repeatLists(obj["spec"])
		if len(testkit.Encode(obj)) == before {
			return nil
		}
	}
}

// repeatLists makes every outermost list of objects twice as long.
func repeatLists(v any) {
	m, _ := v.(map[string]any)
	for name, e := range m {
		list, ok := e.([]any)
		if !ok || len(list) == 0 {
			repeatLists(e)
			continue
		}
		if _, ok := list[0].(map[string]any); ok {
			m[name] = append(list, testkit.Clone(map[string]any{"": list})[""].([]any)...)
		}
	}
}

// EachMap calls change for every map in v, inner maps first.
func EachMap(v any, change func(m map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			EachMap(e, change)
		}
		change(v)
	case []any:
		for _, e := range v {
			EachMap(e, change)
		}
	}
}

// Measure runs op over obj. If op changes the object, it runs over new copies,
// which Measure makes while the timer is stopped. The results are per object.
func Measure(b *testing.B, obj map[string]any, changes bool, op func(map[string]any)) {
	b.ReportAllocs()
	if !changes {
		for b.Loop() {
			op(obj)
		}
		return
	}
	const batch = 32
	copies := make([]map[string]any, batch)
	i := batch
	for b.Loop() {
		if i == batch {
			b.StopTimer()
			for j := range copies {
				copies[j] = testkit.Clone(obj)
			}
			i = 0
			b.StartTimer()
		}
		op(copies[i])
		i++
	}
}
