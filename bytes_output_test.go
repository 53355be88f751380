package crdkit_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/testkit"
)

func cronTabPair(t testing.TB) (versionPair, map[string]any) {
	t.Helper()
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range versionPairs(t, corpus.Definitions) {
		if p.fast.GroupVersionKind().Kind == "CronTab" {
			for _, obj := range p.samples {
				if _, _, handled := crdkit.CreateFast(p.fast, testkit.Encode(obj), nil); handled {
					return p, obj
				}
			}
		}
	}
	t.Fatal("no CronTab")
	return versionPair{}, nil
}

// TestAppendTo checks that CreateJSON appends to a buffer the same bytes that it returns without a buffer.
func TestAppendTo(t *testing.T) {
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, p := range versionPairs(t, corpus.Definitions) {
		for _, v := range []*crdkit.Version{p.fast, p.reference} {
			raw := testkit.Encode(p.samples[0])
			want, res, err := v.CreateJSON(ctx, raw)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := v.CreateJSON(ctx, raw, crdkit.AppendTo([]byte("buf:")))
			if err != nil {
				t.Fatal(err)
			}
			if !res.Admitted() {
				if got != nil {
					t.Errorf("%s: output of an object that is refused: %s", v.GroupVersionKind(), got)
				}
				continue
			}
			if string(got) != "buf:"+string(want) {
				t.Errorf("%s:\ngot  %s\nwant buf:%s", v.GroupVersionKind(), got, want)
			}
		}
	}
}

// TestValidJSON checks that ValidJSON and CreateJSON agree.
func TestValidJSON(t *testing.T) {
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 3))
	valid, n := 0, 0
	for _, p := range versionPairs(t, corpus.Definitions) {
		for _, obj := range p.samples {
			for range 20 {
				raw := scribbled(rng, obj)
				_, res, err := p.reference.CreateJSON(context.Background(), raw)
				if err != nil {
					t.Fatal(err)
				}
				n++
				if res.Admitted() {
					valid++
				}
				if got := p.fast.ValidJSON(raw); got != res.Admitted() {
					t.Errorf("%s: ValidJSON = %t, but %v\n%s", p.fast.GroupVersionKind(), got, res.Err(), raw)
				}
				if got := p.reference.ValidJSON(raw); got != res.Admitted() {
					t.Errorf("%s: ValidJSON = %t with the reference, but %v\n%s", p.fast.GroupVersionKind(), got, res.Err(), raw)
				}
			}
		}
	}
	if valid < n/8 || valid > 7*n/8 {
		t.Errorf("%d of %d are valid", valid, n)
	}
}
