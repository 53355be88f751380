package pathstack_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

type recorder = pathstack.Recorder[schema.Path, schema.Step]

func sorted(paths []schema.Path) []schema.Path {
	schema.SortPaths(paths)
	return paths
}

// inline is the depth up to which a Recorder allocates nothing for its location.
const inline = 16

func TestPaths(t *testing.T) {
	var r recorder
	r.Enter(schema.Field("spec"))
	r.Enter(schema.Index(2))
	r.Record(schema.Field("b"))
	r.Leave()
	r.Enter(schema.Index(10))
	r.Record(schema.Field("a"))
	r.Leave()
	r.Leave()
	r.Record(schema.Field("kind"))

	var got []string
	for _, p := range sorted(r.Paths()) {
		got = append(got, p.String())
	}
	want := []string{"kind", "spec[10].a", "spec[2].b"}
	if !slices.Equal(got, want) {
		t.Errorf("Paths = %q, want %q", got, want)
	}
}

func TestNilRecorderDoesNothing(t *testing.T) {
	var r *recorder
	r.Enter(schema.Field("a"))
	r.Record(schema.Field("b"))
	r.Leave()
}

// Appending to a path must change no other path, and the rest of the walk must
// change no recorded path.
func TestPathsOwnTheirMemory(t *testing.T) {
	var r recorder
	r.Enter(schema.Field("a"))
	r.Record(schema.Field("x"))
	r.Record(schema.Field("y"))
	r.Leave()
	r.Enter(schema.Field("b"))
	r.Record(schema.Field("z"))
	paths := sorted(r.Paths())
	_ = append(paths[0], schema.Field("more"))
	for i, want := range []string{"a.x", "a.y", "b.z"} {
		if got := paths[i].String(); got != want {
			t.Errorf("path %d = %q, want %q", i, got, want)
		}
	}
}

func TestDeepRecorder(t *testing.T) {
	for _, depth := range []int{inline - 1, inline, inline + 1, 10_000} {
		var r recorder
		for range depth {
			r.Enter(schema.Field("a"))
		}
		r.Record(schema.Field("b"))
		for range depth {
			r.Leave()
		}
		r.Enter(schema.Field("c"))
		r.Record(schema.Field("d"))

		paths := sorted(r.Paths())
		want := []string{strings.Repeat("a.", depth) + "b", "c.d"}
		for i := range want {
			if got := paths[i].String(); got != want[i] {
				t.Errorf("depth %d: path %d has %d bytes, want %d", depth, i, len(got), len(want[i]))
			}
		}
	}
}

func TestWalkWithoutPathsAllocatesNothing(t *testing.T) {
	got := testing.AllocsPerRun(100, func() {
		var r recorder
		for range inline {
			r.Enter(schema.Field("a"))
		}
		for range inline {
			r.Leave()
		}
		if sorted(r.Paths()) != nil {
			t.Error("paths without Record")
		}
	})
	if got != 0 {
		t.Errorf("a walk allocated %v times, want 0", got)
	}
}

// Paths share few blocks of memory: few paths have small blocks, and many paths
// do not need a block each.
func TestRecordedPathsShareMemory(t *testing.T) {
	for paths, most := range map[int]float64{1: 2, 1000: 30} {
		got := testing.AllocsPerRun(10, func() {
			var r recorder
			r.Enter(schema.Field("a"))
			for range paths {
				r.Record(schema.Field("b"))
			}
		})
		if got > most {
			t.Errorf("%d paths took %v allocations, want at most %v", paths, got, most)
		}
	}
}
