package crdkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/crdtest"
)

// A scribe writes values as JSON in as many ways as there are, some of them
// wrong.
type scribe struct {
	rng *rand.Rand
	bytes.Buffer
	// One in so many places is spelled in an unusual way, or wrong.
	odd, wrong int
}

func (s *scribe) oneIn(n int) bool { return n > 0 && s.rng.IntN(n) == 0 }

func (s *scribe) space() {
	for s.oneIn(s.odd) {
		s.WriteByte(" \n\t\r"[s.rng.IntN(4)])
	}
}

func (s *scribe) value(v any) {
	s.space()
	if s.oneIn(s.wrong) {
		s.pick("null", "0", "-0", "1.0", "-0.0", "1e3", "1E400", "18446744073709551615", "9223372036854775807",
			"2.50", "01", "true", `"a"`, `"<&>"`, `"\ud800"`, "\"\xff\"", `{}`, `[]`, `[null]`, `{"a":1,"a":2}`, `{"b":{"c":[{}]}}`, "", `"a`)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		s.object(v)
	case []any:
		s.list(v)
	case string:
		s.text(v)
	case int64:
		if s.oneIn(s.odd) {
			fmt.Fprintf(s, "%d.0", v)
			return
		}
		fmt.Fprint(s, v)
	default:
		s.Write(crdtest.Encode(v))
	}
	s.space()
}

func (s *scribe) pick(texts ...string) { s.WriteString(texts[s.rng.IntN(len(texts))]) }

func (s *scribe) object(m map[string]any) {
	names := slices.Sorted(maps.Keys(m))
	if s.oneIn(s.odd) {
		s.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	if len(names) > 0 && s.oneIn(s.wrong) {
		names = append(names, names[s.rng.IntN(len(names))])
	}
	s.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			s.WriteByte(',')
		}
		if s.oneIn(s.wrong) {
			s.pick(`"unknown":{"x":[1]},`, `"unknown":1,`, `"<a>":"b",`, `"u":null,`, `"":{},`, `"Kind":"x",`, `"metadata":{},`, ",")
		}
		s.space()
		s.text(name)
		s.space()
		s.WriteByte(':')
		s.value(m[name])
	}
	s.WriteByte('}')
}

func (s *scribe) list(list []any) {
	s.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			s.WriteByte(',')
		}
		s.value(v)
	}
	if len(list) > 0 && s.oneIn(s.wrong) {
		s.WriteByte(',')
		s.value(list[s.rng.IntN(len(list))])
	}
	s.WriteByte(']')
}

func (s *scribe) text(v string) {
	text, _ := json.Marshal(v)
	if s.oneIn(s.odd) {
		var b strings.Builder
		for _, r := range v {
			if r < 0x10000 && s.oneIn(3) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				quoted, _ := json.Marshal(string(r))
				b.Write(quoted[1 : len(quoted)-1])
			}
		}
		s.WriteString(`"` + b.String() + `"`)
		return
	}
	s.Write(text)
}

// scribbled returns obj, or an object like it, as some text.
func scribbled(rng *rand.Rand, obj map[string]any) []byte {
	s := &scribe{rng: rng}
	switch rng.IntN(4) {
	case 1:
		s.odd = 10
	case 2:
		s.wrong = 60
	case 3:
		s.odd, s.wrong = 20, 300
	}
	if rng.IntN(3) == 0 {
		obj = crdtest.Mutate(rng, obj)
	}
	s.value(obj)
	raw := s.Bytes()
	if len(raw) > 0 && rng.IntN(40) == 0 {
		raw[rng.IntN(len(raw))] ^= byte(1 << rng.IntN(8))
	}
	return raw
}

type versionPair struct {
	fast, plain *crdkit.Version
	samples     []map[string]any
}

func versionPairs(t testing.TB, definitions []*crdtest.Definition) []versionPair {
	t.Helper()
	var pairs []versionPair
	for _, d := range definitions {
		fast, err := crdkit.Compile(d.CRD)
		if err != nil {
			continue // nothing to serve
		}
		plain, err := crdkit.Compile(d.CRD, crdkit.PlainOnly())
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range fast.Versions() {
			p := versionPair{fast: v, plain: plain.Version(v.Name())}
			for _, s := range d.Samples {
				if s.Version() == v.Name() {
					p.samples = append(p.samples, s.Object)
				}
			}
			if len(p.samples) > 0 {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

var fieldValidations = []crdkit.FieldValidation{crdkit.Warn, crdkit.Ignore, crdkit.Strict}

// bothWays creates an object with and without shortcuts and compares what came
// of it. It reports whether the quick way was taken.
func bothWays(t testing.TB, v versionPair, raw []byte, fields crdkit.FieldValidation) bool {
	t.Helper()
	ctx := context.Background()
	before := string(raw)
	quick, quickRes, taken, err := v.fast.CreateBytes(ctx, raw, fields)
	if err != nil {
		t.Fatal(err)
	}
	if string(raw) != before {
		t.Fatal("the input was changed")
	}
	if !taken {
		return false
	}
	var want []byte
	var wantRes *crdkit.Result
	// A rule that looks through a map may do so in any order, so that its cost
	// differs from one time to the next.
	for range 50 {
		if want, wantRes, err = v.plain.CreateJSON(ctx, raw, fields); err != nil {
			t.Fatal(err)
		}
		if wantRes.Cost == quickRes.Cost && len(wantRes.Errors) == len(quickRes.Errors) {
			break
		}
	}
	if string(want) != string(quick) {
		t.Errorf("%s %s:\ninput   %s\nplain   %s\nquick   %s", fields, v.fast.GroupVersionKind(), raw, want, quick)
	}
	if diff := cmp.Diff(render(wantRes), render(quickRes)); diff != "" {
		t.Errorf("%s %s:\n%s\nresult (-plain +quick):\n%s", fields, v.fast.GroupVersionKind(), raw, diff)
	}
	if got, want := fmt.Sprint(quickRes.Err()), fmt.Sprint(wantRes.Err()); got != want {
		t.Errorf("Err = %s, want %s", got, want)
	}
	return true
}

// Objects of all kinds, written in all ways, come out of the quick way as they
// come out of the plain way, or are not taken.
func TestBytes(t *testing.T) {
	corpus, err := crdtest.LoadTestdata("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testBytes(t, versionPairs(t, corpus.Definitions), 60)
}

func TestBytesCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; skipped with -short")
	}
	each := 4
	testBytes(t, versionPairs(t, crdtest.FindCorpus(t).Definitions), each)
}

func testBytes(t *testing.T, pairs []versionPair, each int) {
	rng := rand.New(rand.NewPCG(1, uint64(each)))
	inputs, taken, ordinary := 0, 0, 0
	for _, v := range pairs {
		for _, obj := range v.samples {
			if bothWays(t, v, crdtest.Encode(obj), crdkit.Warn) {
				ordinary++
			}
			for range each {
				inputs++
				if bothWays(t, v, scribbled(rng, obj), fieldValidations[rng.IntN(3)]) {
					taken++
				}
				if t.Failed() {
					return
				}
			}
		}
	}
	t.Logf("%d inputs, %d by the quick way; %d samples as they are by the quick way", inputs, taken, ordinary)
	if taken < inputs/8 || ordinary == 0 {
		t.Errorf("the quick way is hardly ever taken: %d of %d", taken, inputs)
	}
}
