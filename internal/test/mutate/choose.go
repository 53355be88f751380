package main

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
)

// choose picks n mutants by chance and numbers them in the order of their
// packages and sources. Each package gets at least least of them if it has so
// many; the rest goes to the packages by the number of their possible mutants.
// Within a package each kind has the same chance, as otherwise most mutants
// would be of one or two kinds.
func choose(possible [][]*mutant, n, least int, seed uint64) []*mutant {
	random := rand.New(rand.NewPCG(seed, 0))
	var total int
	for _, p := range possible {
		total += len(p)
	}
	var chosen []*mutant
	spare := max(0, n-least*len(possible))
	owed := 0.5 // carries the fraction of a mutant from package to package
	for _, p := range possible {
		owed += float64(spare) * float64(len(p)) / float64(total)
		share := int(owed)
		owed -= float64(share)
		chosen = append(chosen, chooseFrom(random, p, min(least+share, n-len(chosen)))...)
	}
	for i, m := range chosen {
		m.id = i + 1
	}
	return chosen
}

func chooseFrom(random *rand.Rand, possible []*mutant, n int) []*mutant {
	byKind := make(map[string][]*mutant)
	for _, m := range possible {
		byKind[m.kind] = append(byKind[m.kind], m)
	}
	var chosen []*mutant
	for len(chosen) < n && len(byKind) > 0 {
		kinds := slices.Sorted(maps.Keys(byKind))
		kind := kinds[random.IntN(len(kinds))]
		i := random.IntN(len(byKind[kind]))
		chosen = append(chosen, byKind[kind][i])
		byKind[kind] = slices.Delete(byKind[kind], i, i+1)
		if len(byKind[kind]) == 0 {
			delete(byKind, kind)
		}
	}
	slices.SortFunc(chosen, func(a, b *mutant) int {
		return cmp.Or(cmp.Compare(a.file.path, b.file.path), a.start-b.start, b.end-a.end, cmp.Compare(a.after, b.after))
	})
	return chosen
}
