package schema

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// SortPaths must sort by String and must not depend on the input order. The paths
// have few names, so that common prefixes and equal strings are frequent.
func TestSortPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "a.b", "a[1]", "[1]", "", ".", "aa", "é"}
	step := func() Step {
		switch rng.IntN(4) {
		case 0:
			return Index(rng.IntN(12))
		case 1:
			return Key(names[rng.IntN(len(names))])
		default:
			return Field(names[rng.IntN(len(names))])
		}
	}
	for range 2_000 {
		paths := make([]Path, rng.IntN(8))
		for i := range paths {
			for range 1 + rng.IntN(3) {
				paths[i] = append(paths[i], step())
			}
		}
		shuffled := slices.Clone(paths)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		SortPaths(paths)
		SortPaths(shuffled)
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

func TestPathString(t *testing.T) {
	for want, p := range map[string]Path{
		"":             nil,
		"a":            {Field("a")},
		".":            {Field(""), Field("")},
		"[a].b":        {Key("a"), Field("b")},
		"[3][-1][x.y]": {Index(3), Index(-1), Key("x.y")},
	} {
		if got := p.String(); got != want {
			t.Errorf("String = %q, want %q", got, want)
		}
	}
}
