package compat_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestMerge records which findings of a change are one, with what they have in Also below
// them. Their order before they are merged does not matter.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for _, c := range changes(t, "testdata/merged.yaml") {
		r, err := compat.Compare(context.Background(), definitionOf(c.Old, false), definitionOf(c.New, false))
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		fmt.Fprintln(&b, c.Name)
		for _, f := range r.Findings {
			fmt.Fprintln(&b, "  "+line(f))
			for _, also := range f.Also {
				fmt.Fprintln(&b, "    "+line(also))
			}
		}
		split := compat.Split(r.Findings)
		rng.Shuffle(len(split), func(i, j int) { split[i], split[j] = split[j], split[i] })
		if diff := cmp.Diff(r.Findings, compat.Merge(split)); diff != "" {
			t.Errorf("%s (-merged +shuffled and merged):\n%s", c.Name, diff)
		}
	}
	testkit.Recorded(t, "testdata/merged.txt", b.String())
}
