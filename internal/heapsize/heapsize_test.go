package heapsize_test

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/crdkit/crdkit/internal/heapsize"
)

// heap returns the bytes of the heap that are in use.
func heap() int {
	for range 3 { // the first collection empties pools, the next frees what they held
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

type tree struct {
	name     string
	children []*tree
	byName   map[string]*tree
	value    any
	lazy     atomic.Pointer[tree]
	pool     sync.Pool
	lock     sync.Mutex
}

type large [100]uint64

func newTree(depth int) *tree {
	t := &tree{
		name:  strings.Repeat("x", depth+1),
		value: int64(1000 + depth),
		pool:  sync.Pool{},
		lock:  sync.Mutex{},
	}
	if depth == 0 {
		return t
	}
	t.byName = map[string]*tree{}
	for i := range 3 {
		child := newTree(depth - 1)
		t.children = append(t.children, child)
		t.byName[strings.Repeat("k", i+10)] = child
	}
	t.lazy.Store(newTree(0))
	return t
}

// heapTests make values that are large in comparison with the garbage of a
// test.
var heapTests = []struct {
	name string
	make func() any
}{
	{"tree", func() any { return newTree(8) }},
	{"strings", func() any { return each(func(i int) string { return strings.Repeat("s", i%100) }) }},
	{"small maps", func() any { return each(func(i int) map[string]int { return map[string]int{"a": i} }) }},
	{"maps of eight", func() any { return each(func(i int) map[int]int { return numbers(8) }) }},
	{"maps of twenty", func() any { return each(func(i int) map[int]int { return numbers(20) }) }},
	{"maps of many", func() any {
		return each(func(i int) map[int]int { return numbers(i % 500) })
	}},
	{"maps of large values", func() any { return each(func(i int) map[int]large { return map[int]large{1: {}, 2: {}} }) }},
	{"interfaces", func() any {
		return each(func(i int) any { return map[string]any{"a": float64(i), "b": []any{"x", int64(i) + 1000}} })
	}},
	{"structs in slices", func() any { return each(func(i int) []large { return make([]large, i%4, 4) }) }},
}

func each[T any](f func(int) T) []T {
	out := make([]T, 5000)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func numbers(n int) map[int]int {
	out := map[int]int{}
	for i := range n {
		out[i] = i
	}
	return out
}

// TestBytes compares sizes with the growth of the heap. It is skipped with
// -short, which CI sets for the race detector, because the detector uses the
// heap, too.
func TestBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("compares sizes with the heap; skipped with -short")
	}
	for _, tt := range heapTests {
		t.Run(tt.name, func(t *testing.T) {
			before := heap()
			v := tt.make()
			want := heap() - before
			m := heapsize.New()
			m.Add(v)
			m.Add(v)
			if got := m.Bytes(); got < want*95/100 || got > want*105/100 {
				t.Errorf("Bytes() = %d, want %d within 5 %%", got, want)
			}
			runtime.KeepAlive(v)
		})
	}
}

type closure struct {
	run  func()
	size int
}

func (c *closure) HeapHidden() int { return c.size }

type global struct{ data []byte }

func (*global) HeapGlobal() {}

type gated struct {
	gate heapsize.Gate
	data []byte
}

func closed(g *gated) *gated {
	g.gate.Close()
	return g
}

func opened(g *gated) *gated {
	g.gate.Open()
	return g
}

func TestHooks(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    any
		want int
	}{
		{"nothing", nil, 0},
		{"closures", &closure{run: func() {}, size: 1000}, 16 + 1000},
		{"global", struct{ g *global }{&global{make([]byte, 100)}}, 8},
		{"no gate", &gated{data: make([]byte, 96)}, 32 + 96},
		{"closed", closed(&gated{data: make([]byte, 96)}), 32},
		{"opened", opened(closed(&gated{data: make([]byte, 96)})), 32 + 96},
		{"twice", []*closure{twice, twice}, 24 + 16 + 16 + 100},
		{"overlapping", [][]byte{text[:100], text[50:]}, 24 + 48 + 128},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := heapsize.New()
			m.Add(tt.v)
			if got := m.Bytes(); got != tt.want {
				t.Errorf("Bytes() = %d, want %d", got, tt.want)
			}
		})
	}
}

var (
	twice = &closure{size: 100}
	text  = make([]byte, 128)
)
