package pruning

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
)

// The benchmarks walk the first object of each definition, as it is and with
// its lists repeated until it is of the wanted size. Objects that lose fields
// are benchmarked in batches of new copies, made while the clock stands.

// sizes are those that objects are brought to, in bytes of JSON.
var sizes = []struct {
	name  string
	bytes int
}{{"1K", 1_000}, {"10K", 10_000}, {"100K", 100_000}}

// unknowns say into which maps an undeclared field is put.
var unknowns = []struct {
	name string
	nth  int // every nth map, 0 for none
}{{"none", 0}, {"few", 50}, {"many", 2}}

func BenchmarkPrune(b *testing.B) {
	benchmark(b, func(p *Pruner, obj map[string]any) { p.Prune(obj) })
}

func BenchmarkPruneAndReport(b *testing.B) {
	benchmark(b, func(p *Pruner, obj map[string]any) { p.PruneAndReport(obj) })
}

func benchmark(b *testing.B, op func(p *Pruner, obj map[string]any)) {
	for _, d := range loadDefinitions(b) {
		for _, size := range sizes {
			for _, unknown := range unknowns {
				for _, impl := range implementations {
					name := fmt.Sprintf("crd=%s/size=%s/unknown=%s/way=%s", label(d.name), size.name, unknown.name, impl.name)
					p := New(d.node, impl.opts...)
					b.Run(name, func(b *testing.B) {
						obj := grown(d, size.bytes)
						if obj == nil {
							b.Skip("the object has no lists to make it larger by")
						}
						New(d.node).Prune(obj)
						if unknown.nth > 0 {
							count := 0
							addUnknown(obj["spec"], unknown.nth, &count)
						}
						run(b, obj, unknown.nth > 0, func(obj map[string]any) { op(p, obj) })
					})
				}
			}
		}
	}
}

// run measures op over obj; per operation is per object.
func run(b *testing.B, obj map[string]any, changes bool, op func(map[string]any)) {
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

// label makes a definition's name fit for the name of a benchmark.
func label(name string) string {
	for i, c := range name {
		if c == '.' {
			return name[:i] + "-" + name[len(name)-2:]
		}
	}
	return name
}

// grown returns an object of about that size, nil if there is none.
func grown(d definition, bytes int) map[string]any {
	var obj map[string]any
	for _, s := range d.samples {
		if _, ok := s["spec"].(map[string]any); ok && (obj == nil || len(testkit.Encode(s)) > len(testkit.Encode(obj))) {
			obj = s
		}
	}
	obj = testkit.Clone(obj)
	for {
		size := len(testkit.Encode(obj))
		if size >= bytes*2/3 {
			return obj
		}
		repeatLists(obj["spec"])
		if len(testkit.Encode(obj)) == size {
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

// addUnknown puts an undeclared field into every nth map.
func addUnknown(v any, nth int, count *int) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			addUnknown(e, nth, count)
		}
		if *count++; *count%nth == 0 {
			v["undeclared"] = "x"
		}
	case []any:
		for _, e := range v {
			addUnknown(e, nth, count)
		}
	}
}

// BenchmarkProbeAndScan measures the two ways through a map between which
// [node.probeIsFaster] decides.
func BenchmarkProbeAndScan(b *testing.B) {
	leaf := &node{}
	leaf.items = leaf
	for _, fields := range []int{4, 8, 12, 16, 24, 40} {
		n := &node{}
		for i := range fields {
			n.fields = append(n.fields, field{name: fmt.Sprint("fieldNumber", i*7%fields), node: leaf})
		}
		n.finish()
		for _, entries := range []int{1, 2, 4, 8, 12, 24} {
			if entries > fields {
				continue
			}
			objects := sparse(n, entries)
			for name, walk := range map[string]func(map[string]any){
				"probe": func(m map[string]any) { n.probe(m, false) },
				"scan":  func(m map[string]any) { n.scan(m, false) },
			} {
				b.Run(fmt.Sprintf("fields=%d/entries=%d/way=%s", fields, entries, name), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						walk(objects[i%len(objects)])
					}
				})
			}
		}
	}
}

// sparse returns maps with that many of the fields of n.
func sparse(n *node, entries int) []map[string]any {
	var out []map[string]any
	for shift := range 16 {
		m := make(map[string]any)
		for i := range entries {
			m[n.fields[(shift*5+i*len(n.fields)/entries)%len(n.fields)].name] = "x"
		}
		out = append(out, m)
	}
	return out
}
