package pruning

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit/enginetest"
)

// unknowns says which maps get an undeclared field: every nth, 0 for none.
var unknowns = []struct {
	name string
	nth  int
}{{"none", 0}, {"few", 50}, {"many", 2}}

func BenchmarkPrune(b *testing.B) {
	benchmark(b, func(p *Pruner, obj map[string]any) { p.Prune(obj) })
}

func BenchmarkPruneAndReport(b *testing.B) {
	benchmark(b, func(p *Pruner, obj map[string]any) { p.PruneAndReport(obj) })
}

func benchmark(b *testing.B, op func(p *Pruner, obj map[string]any)) {
	for _, d := range enginetest.Versions(b) {
		for _, size := range enginetest.Sizes() {
			for _, unknown := range unknowns {
				for _, impl := range implementations {
					name := fmt.Sprintf("crd=%s/size=%s/unknown=%s/impl=%s", d.Label(), size.Name, unknown.name, impl.name)
					p := New(d.Node, impl.opts...)
					b.Run(name, func(b *testing.B) {
						obj := d.Grow(size)
						if obj == nil {
							b.Skip("the object has no lists to make it larger by")
						}
						New(d.Node).Prune(obj)
						addUnknown(obj["spec"], unknown.nth)
						enginetest.Measure(b, obj, unknown.nth > 0, func(obj map[string]any) { op(p, obj) })
					})
				}
			}
		}
	}
}

// addUnknown adds an undeclared field to every nth map in v.
func addUnknown(v any, nth int) {
	count := 0
	enginetest.EachMap(v, func(m map[string]any) {
		if count++; nth > 0 && count%nth == 0 {
			m["undeclared"] = "x"
		}
	})
}

// BenchmarkProbeAndScan measures the two methods that [node.probeIsFaster]
// chooses from.
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
				b.Run(fmt.Sprintf("fields=%d/entries=%d/impl=%s", fields, entries, name), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						walk(objects[i%len(objects)])
					}
				})
			}
		}
	}
}

// sparse returns maps that have this number of the fields of n.
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
