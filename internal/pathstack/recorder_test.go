package pathstack

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/schema"
)

func TestMarks(t *testing.T) {
	var tr Trail
	tr.Enter(schema.Field("spec"))
	tr.Enter(schema.Index(2))
	tr.Mark(schema.Field("b"))
	tr.Leave()
	tr.Enter(schema.Index(10))
	tr.Mark(schema.Field("a"))
	tr.Leave()
	tr.Leave()
	tr.Mark(schema.Field("kind"))

	var got []string
	for _, p := range tr.Marks() {
		got = append(got, p.String())
	}
	want := []string{"kind", "spec[10].a", "spec[2].b"}
	if !slices.Equal(got, want) {
		t.Errorf("Marks = %q, want %q", got, want)
	}
}

func TestNilTrailDoesNothing(t *testing.T) {
	var tr *Trail
	tr.Enter(schema.Field("a"))
	tr.Mark(schema.Field("b"))
	tr.Leave()
}

// Marks must not share memory: appending to one must not change another, and
// what the walk does later must not change either.
func TestMarksOwnTheirMemory(t *testing.T) {
	var tr Trail
	tr.Enter(schema.Field("a"))
	tr.Mark(schema.Field("x"))
	tr.Mark(schema.Field("y"))
	tr.Leave()
	tr.Enter(schema.Field("b"))
	tr.Mark(schema.Field("z"))
	marks := tr.Marks()
	_ = append(marks[0], schema.Field("more"))
	for i, want := range []string{"a.x", "a.y", "b.z"} {
		if got := marks[i].String(); got != want {
			t.Errorf("mark %d = %q, want %q", i, got, want)
		}
	}
}

func TestDeepTrail(t *testing.T) {
	for _, depth := range []int{shallow - 1, shallow, shallow + 1, 10_000} {
		var tr Trail
		for range depth {
			tr.Enter(schema.Field("a"))
		}
		tr.Mark(schema.Field("b"))
		for range depth {
			tr.Leave()
		}
		tr.Enter(schema.Field("c"))
		tr.Mark(schema.Field("d"))

		marks := tr.Marks()
		want := []string{strings.Repeat("a.", depth) + "b", "c.d"}
		for i := range want {
			if got := marks[i].String(); got != want[i] {
				t.Errorf("depth %d: mark %d has %d bytes, want %d", depth, i, len(got), len(want[i]))
			}
		}
	}
}

// Sort must agree with the naive definition on paths made of few names, so
// that common prefixes and equal strings are frequent.
func TestSortAgainstStrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "a.b", "a[1]", "[1]", "", ".", "aa", "é"}
	step := func() schema.Step {
		switch rng.IntN(4) {
		case 0:
			return schema.Index(rng.IntN(12))
		case 1:
			return schema.Key(names[rng.IntN(len(names))])
		default:
			return schema.Field(names[rng.IntN(len(names))])
		}
	}
	for range 2_000 {
		paths := make([]schema.Path, rng.IntN(8))
		for i := range paths {
			for range 1 + rng.IntN(3) {
				paths[i] = append(paths[i], step())
			}
		}
		shuffled := slices.Clone(paths)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		Sort(paths)
		Sort(shuffled)
		for i := range paths {
			if i > 0 && paths[i-1].String() > paths[i].String() {
				t.Fatalf("%q comes before %q", paths[i-1].String(), paths[i].String())
			}
			if !slices.Equal(paths[i], shuffled[i]) {
				t.Fatalf("the order of %q and %q depends on the input order", paths[i], shuffled[i])
			}
		}
	}
}

func TestAppendPathSpellsAsString(t *testing.T) {
	for _, p := range []schema.Path{
		nil,
		{schema.Field("a")},
		{schema.Field("")},
		{schema.Key("a"), schema.Field("b")},
		{schema.Index(3), schema.Index(-1), schema.Key("x.y"), schema.Field("b")},
	} {
		if got := string(appendPath(nil, p)); got != p.String() {
			t.Errorf("appendPath = %q, want %q", got, p.String())
		}
	}
}

func TestWalkWithoutMarksAllocatesNothing(t *testing.T) {
	got := testing.AllocsPerRun(100, func() {
		var tr Trail
		for range shallow {
			tr.Enter(schema.Field("a"))
		}
		for range shallow {
			tr.Leave()
		}
		if tr.Marks() != nil {
			t.Error("marks out of nothing")
		}
	})
	if got != 0 {
		t.Errorf("a walk allocated %v times, want 0", got)
	}
}
