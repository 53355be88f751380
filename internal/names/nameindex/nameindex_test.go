package nameindex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// lists returns lists of names by description. Some lists have similar names.
func lists() map[string][]string {
	var lengths, middles, long []string
	for n := range 40 {
		lengths = append(lengths, strings.Repeat("a", n))
	}
	for n := range 100 {
		middles = append(middles, fmt.Sprintf("startstart%03dendendend", n))
		long = append(long, strings.Repeat("x", n)+"\x00é"+strings.Repeat("y", 100-n))
	}
	return map[string][]string{
		"none":    nil,
		"empty":   {""},
		"one":     {"name"},
		"fields":  {"apiVersion", "kind", "metadata", "spec", "status", "x", "xy", "yx", "xyz", "zyx", "items"},
		"zeros":   {"\x00", "\x00\x00", "\x00\x00\x00", strings.Repeat("\x00", 8), strings.Repeat("\x00", 16), strings.Repeat("\x00", 17)},
		"lengths": lengths,
		"middles": middles,
		"few":     middles[:3], // few enough for a chain
		"long":    long,
	}
}

func TestFind(t *testing.T) {
	all := lists()
	for name, list := range all {
		for _, impl := range []struct {
			name  string
			index Index
		}{{"New", New(list)}, {"mapped", newMapIndex(list)}} {
			want := make(map[string]int)
			for i, s := range list {
				want[s] = i
			}
			for _, other := range all {
				for _, s := range other {
					check(t, name+" by "+impl.name, &impl.index, want, s)
					check(t, name+" by "+impl.name, &impl.index, want, s+"a")
					check(t, name+" by "+impl.name, &impl.index, want, "a"+s)
				}
			}
		}
	}
}

func check(t *testing.T, what string, x *Index, want map[string]int, s string) {
	t.Helper()
	i, ok := want[s]
	if !ok {
		i = -1
	}
	if got := x.Find(strings.Clone(s)); got != i {
		t.Errorf("%s: Find(%q) = %d, want %d", what, s, got, i)
	}
}

// Two names of the same length differ, whichever byte it is that differs.
func TestFindComparesEachByte(t *testing.T) {
	for length := 1; length <= 20; length++ {
		name := []byte(strings.Repeat("n", length))
		x := New([]string{string(name)})
		for i := range name {
			for _, other := range []byte{'m', 'o', 0xee, 0} {
				name[i] = other
				if got := x.Find(string(name)); got != -1 {
					t.Errorf("Find(%q) = %d in an index of %q", name, got, strings.Repeat("n", length))
				}
			}
			name[i] = 'n'
		}
	}
}

// TestSlots checks that an Index has two slots for each name and at least four, so
// that few names share a slot.
func TestSlots(t *testing.T) {
	for names, slots := range []int{4, 4, 4, 8, 8, 16, 16, 16, 16, 32} {
		if x := New(lists()["lengths"][:names]); len(x.first) != slots {
			t.Errorf("%d slots for %d names, want %d", len(x.first), names, slots)
		}
	}
}

func TestZeroIndexHasNothing(t *testing.T) {
	var x Index
	for _, s := range []string{"", "a", "name", "metadata"} {
		if got := x.Find(s); got != -1 {
			t.Errorf("Find(%q) = %d, want -1", s, got)
		}
	}
}

// TestNewSelectsMap checks that an Index uses a Go map for many names that differ
// only in the middle, and no Go map for typical names.
func TestNewSelectsMap(t *testing.T) {
	if x := New(lists()["middles"]); x.byName == nil {
		t.Error("names with equal ends are compared one by one")
	}
	if x := New(lists()["middles"][:longest+1]); x.byName == nil {
		t.Error("more names with equal ends than a chain may have are compared one by one")
	}
	if x := New(lists()["middles"][:longest]); x.byName != nil {
		t.Error("as many names with equal ends as a chain may have are in a map")
	}
	if x := New(lists()["fields"]); x.byName != nil {
		t.Error("ordinary names are in a map")
	}
}

func FuzzFind(f *testing.F) {
	for _, list := range lists() {
		f.Add(strings.Join(list, "\n"), "name")
	}
	fuzz.Run(f, func(t *testing.T, text, name string) {
		want := make(map[string]int)
		var list []string
		for s := range strings.SplitSeq(text, "\n") {
			if _, ok := want[s]; !ok {
				want[s] = len(list)
				list = append(list, s)
			}
		}
		x, m := New(list), newMapIndex(list)
		for _, s := range append(list, name) {
			check(t, "New", &x, want, s)
			check(t, "mapped", &m, want, s)
		}
	})
}

func TestFindAllocatesNothing(t *testing.T) {
	x := New(lists()["fields"])
	if got := testing.AllocsPerRun(100, func() { x.Find("metadata"); x.Find("absent") }); got != 0 {
		t.Errorf("Find allocated %v times, want 0", got)
	}
}

// BenchmarkFind looks up each name of a list, and as many names that the list does
// not have.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{3, 6, 25, 126} {
		var list, asked []string
		for i := range n {
			list = append(list, fmt.Sprintf("%cField%dName", 'a'+i%26, i*i))
			asked = append(asked, strings.Clone(list[i]), fmt.Sprintf("%cField%dOther", 'a'+i%26, i))
		}
		for _, impl := range []struct {
			name  string
			index Index
		}{{"index", New(list)}, {"map", newMapIndex(list)}} {
			b.Run(fmt.Sprintf("names=%d/way=%s", n, impl.name), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					impl.index.Find(asked[i%len(asked)])
				}
			})
		}
	}
}
