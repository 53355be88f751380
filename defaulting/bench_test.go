package defaulting

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
)

// The benchmarks walk the largest object of each definition, as it is and with
// its lists repeated until it is of the wanted size. Objects that change are
// benchmarked in batches of new copies, made while the clock stands.

// sizes are those that objects are brought to, in bytes of JSON.
var sizes = []struct {
	name  string
	bytes int
}{{"1K", 1_000}, {"10K", 10_000}, {"100K", 100_000}}

// BenchmarkDropNulls has nulls put into none, few or many maps.
func BenchmarkDropNulls(b *testing.B) {
	for _, nulls := range []struct {
		name string
		nth  int // one null in every nth map
	}{{"none", 0}, {"few", 50}, {"many", 2}} {
		each(b, "nulls="+nulls.name, func(b *testing.B, d *Defaulter, obj map[string]any) {
			d.DropNulls(obj)
			d.Default(obj)
			if nulls.nth > 0 {
				count := 0
				addNulls(obj["spec"], nulls.nth, &count)
			}
			run(b, obj, nulls.nth > 0, d.DropNulls)
		})
	}
}

// BenchmarkDefault has everything to set, or nothing.
func BenchmarkDefault(b *testing.B) {
	each(b, "object=sparse", func(b *testing.B, d *Defaulter, obj map[string]any) {
		run(b, obj, true, d.Default)
	})
	each(b, "object=complete", func(b *testing.B, d *Defaulter, obj map[string]any) {
		d.Default(obj)
		run(b, obj, false, d.Default)
	})
}

func BenchmarkDefaultAndReport(b *testing.B) {
	each(b, "object=sparse", func(b *testing.B, d *Defaulter, obj map[string]any) {
		run(b, obj, true, func(obj map[string]any) { d.DefaultAndReport(obj) })
	})
}

// each runs a benchmark for every definition, size and way.
func each(b *testing.B, name string, bench func(*testing.B, *Defaulter, map[string]any)) {
	for _, def := range loadDefinitions(b) {
		for _, size := range sizes {
			for _, impl := range implementations {
				d := New(def.node, impl.opts...)
				b.Run(fmt.Sprintf("crd=%s/size=%s/%s/way=%s", label(def.name), size.name, name, impl.name), func(b *testing.B) {
					obj := grown(def, size.bytes)
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
	d := New(mustCompile(b, []byte(`{"type":"object","properties":{"a":{"type":"object","default":{},"properties":{
		"b":{"type":"string","default":"x"},"c":{"type":"object","default":{},"properties":{"d":{"type":"integer","default":1}}},
		"e":{"type":"array","default":["x","y"],"items":{"type":"string"}}}}}}`)))
	obj := map[string]any{}
	b.ReportAllocs()
	for b.Loop() {
		clear(obj)
		d.Default(obj)
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
func grown(def definition, bytes int) map[string]any {
	var obj map[string]any
	for _, s := range def.samples {
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

// addNulls makes a scalar of every nth map null.
func addNulls(v any, nth int, count *int) {
	switch v := v.(type) {
	case map[string]any:
		scalar := ""
		for name, e := range v {
			addNulls(e, nth, count)
			if !isContainer(e) && name > scalar {
				scalar = name
			}
		}
		if *count++; scalar != "" && *count%nth == 0 {
			v[scalar] = nil
		}
	case []any:
		for _, e := range v {
			addNulls(e, nth, count)
		}
	}
}

// BenchmarkProbeAndScan measures the two ways through a map between which [probeIsFaster]
// decides. Half of the fields that are present have something to do.
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
				b.Run(fmt.Sprintf("fields=%d/entries=%d/way=%s", fields, entries, name), func(b *testing.B) {
					for b.Loop() {
						walk(m)
					}
				})
			}
		}
	}
}
