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
				if p.fast.ValidJSON(testkit.Encode(obj)) {
					return p, obj
				}
			}
		}
	}
	t.Fatal("no CronTab")
	return versionPair{}, nil
}

// stored returns the output of CreateJSON for an object, as a client would send
// it back.
func stored(t testing.TB, v *crdkit.Version, obj map[string]any) []byte {
	t.Helper()
	out, res, err := v.CreateJSON(context.Background(), testkit.Encode(obj))
	if err != nil || !res.Admitted() {
		t.Fatal(err, res.Err())
	}
	return out
}

func TestSpliceReturnsTheInput(t *testing.T) {
	p, obj := cronTabPair(t)
	ctx := context.Background()
	raw := append([]byte(" \n"), stored(t, p.fast, obj)...)
	raw = append(raw, '\n')
	out, res, err := p.fast.UpdateJSON(ctx, raw, raw, crdkit.Splice())
	if err != nil || !res.Admitted() {
		t.Fatal(err, res.Err())
	}
	if &out[0] != &raw[0] || len(out) != len(raw) {
		t.Errorf("not the input: %s", out)
	}
	buf := append(make([]byte, 0, 4096), "buf:"...)
	out, _, err = p.fast.UpdateJSON(ctx, raw, raw, crdkit.Splice(), crdkit.AppendTo(buf))
	if err != nil || string(out) != "buf:"+string(raw) || &out[0] != &buf[0] {
		t.Errorf("AppendTo: %q, %v", out, err)
	}
}

// TestAppendTo checks that CreateJSON, in each output format, appends to a
// buffer the same bytes that it returns without a buffer.
func TestAppendTo(t *testing.T) {
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, p := range versionPairs(t, corpus.Definitions) {
		for _, v := range []*crdkit.Version{p.fast, p.reference} {
			for _, how := range []crdkit.JSONOption{crdkit.Canonical(), crdkit.Splice()} {
				raw := testkit.Encode(p.samples[0])
				want, res, err := v.CreateJSON(ctx, raw, how)
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := v.CreateJSON(ctx, raw, how, crdkit.AppendTo([]byte("buf:")))
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
