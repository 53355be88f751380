package defaulting

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit/enginetest"
)

// BenchmarkDropNulls adds nulls to none, few or many maps.
func BenchmarkDropNulls(b *testing.B) {
	for _, nulls := range []struct {
		name string
		nth  int // one null in every nth map
	}{{"none", 0}, {"few", 50}, {"many", 2}} {
		each(b, "nulls="+nulls.name, func(b *testing.B, d *Defaulter, obj map[string]any) {
			func(obj map[string]any) { d.DropNulls(obj) }(obj)
			d.Default(obj)
			addNulls(obj["spec"], nulls.nth)
			enginetest.Measure(b, obj, nulls.nth > 0, func(obj map[string]any) { d.DropNulls(obj) })
		})
	}
}

// BenchmarkDefault sets all defaults, or none.
func BenchmarkDefault(b *testing.B) {
	each(b, "object=sparse", func(b *testing.B, d *Defaulter, obj map[string]any) {
		enginetest.Measure(b, obj, true, func(obj map[string]any) { d.Default(obj) })
	})
	each(b, "object=complete", func(b *testing.B, d *Defaulter, obj map[string]any) {
		d.Default(obj)
		enginetest.Measure(b, obj, false, func(obj map[string]any) { d.Default(obj) })
	})
}

func BenchmarkDefaultAndReport(b *testing.B) {
	each(b, "object=sparse", func(b *testing.B, d *Defaulter, obj map[string]any) {
		enginetest.Measure(b, obj, true, func(obj map[string]any) { d.DefaultAndReport(obj) })
	})
}

// each runs a benchmark for every definition, size and implementation.
func each(b *testing.B, name string, bench func(*testing.B, *Defaulter, map[string]any)) {
	for _, def := range enginetest.Versions(b) {
		for _, size := range enginetest.Sizes() {
			for _, impl := range implementations {
				d := New(def.Node, impl.opts...)
				b.Run(fmt.Sprintf("crd=%s/size=%s/%s/impl=%s", def.Label(), size.Name, name, impl.name), func(b *testing.B) {
					obj := def.Grow(size)
					if obj == nil {
						b.Skip("the object has no lists to make it larger by")
					}
					bench(b, d, obj)
				})
			}
		}
	}
}

// BenchmarkCopy measures a default that is a container.
func BenchmarkCopy(b *testing.B) {
	d := New(enginetest.MustCompile(b, []byte(`{"type":"object","properties":{"a":{"type":"object","default":{},"properties":{
		"b":{"type":"string","default":"x"},"c":{"type":"object","default":{},"properties":{"d":{"type":"integer","default":1}}},
		"e":{"type":"array","default":["x","y"],"items":{"type":"string"}}}}}}`)))
	obj := map[string]any{}
	b.ReportAllocs()
	for b.Loop() {
		clear(obj)
		d.Default(obj)
	}
}

// addNulls makes a scalar of every nth map in v null.
func addNulls(v any, nth int) {
	count := 0
	enginetest.EachMap(v, func(m map[string]any) {
		scalar := ""
		for name, e := range m {
			if !isContainer(e) && name > scalar {
				scalar = name
			}
		}
		if count++; scalar != "" && nth > 0 && count%nth == 0 {
			m[scalar] = nil
		}
	})
}

// BenchmarkProbeAndScan measures the two methods that [probeIsFaster] chooses
// from. Half of the entries of the map are fields of the node.
func BenchmarkProbeAndScan(b *testing.B) {
	for _, fields := range []int{2, 4, 6, 8, 12, 16, 24} {
		n := &nullNode{}
		for i := range fields {
			f := nullField{fmt.Sprint("fieldNumber", i), nullRule{drop: true}}
			n.fields = append(n.fields, f)
		}
		n.named = n.fields
		n.finish()
		for _, entries := range []int{1, 2, 4, 8, 12, 24} {
			m := make(map[string]any)
			for i := range entries {
				m[fmt.Sprint("fieldNumber", i*2)] = "x"
			}
			for name, walk := range map[string]func(map[string]any){
				"probe": func(m map[string]any) { n.probe(m, nil) },
				"scan":  func(m map[string]any) { n.scan(m, nil) },
			} {
				b.Run(fmt.Sprintf("fields=%d/entries=%d/impl=%s", fields, entries, name), func(b *testing.B) {
					for b.Loop() {
						walk(m)
					}
				})
			}
		}
	}
}
