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
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A scribe writes values as JSON in many different spellings, some of them
// invalid.
type scribe struct {
	rng *rand.Rand
	bytes.Buffer
	// On average, one in unusual values has an unusual spelling, and one in
	// wrong values is invalid. 0 means that no value is.
	unusual, wrong int
}

func (s *scribe) oneIn(n int) bool { return n > 0 && s.rng.IntN(n) == 0 }

func (s *scribe) space() {
	for s.oneIn(s.unusual) {
		s.WriteByte(" \n\t\r"[s.rng.IntN(4)])
	}
}

func (s *scribe) writeValue(v any) {
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
		if s.oneIn(s.unusual) {
			fmt.Fprintf(s, "%d.0", v)
			return
		}
		fmt.Fprint(s, v)
	default:
		s.Write(testkit.Encode(v))
	}
	s.space()
}

func (s *scribe) pick(texts ...string) { s.WriteString(texts[s.rng.IntN(len(texts))]) }

func (s *scribe) object(m map[string]any) {
	names := slices.Sorted(maps.Keys(m))
	if s.oneIn(s.unusual) {
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
		s.writeValue(m[name])
	}
	s.WriteByte('}')
}

func (s *scribe) list(list []any) {
	s.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			s.WriteByte(',')
		}
		s.writeValue(v)
	}
	if len(list) > 0 && s.oneIn(s.wrong) {
		s.WriteByte(',')
		s.writeValue(list[s.rng.IntN(len(list))])
	}
	s.WriteByte(']')
}

func (s *scribe) text(v string) {
	text, _ := json.Marshal(v)
	if s.oneIn(s.unusual) {
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

// scribbled returns JSON text for obj, or for an object like it, in a random
// spelling.
func scribbled(rng *rand.Rand, obj map[string]any) []byte {
	s := &scribe{rng: rng}
	switch rng.IntN(4) {
	case 1:
		s.unusual = 10
	case 2:
		s.wrong = 60
	case 3:
		s.unusual, s.wrong = 20, 300
	}
	if rng.IntN(3) == 0 {
		obj = testkit.Mutate(rng, obj)
	}
	s.writeValue(obj)
	raw := s.Bytes()
	if len(raw) > 0 && rng.IntN(40) == 0 {
		raw[rng.IntN(len(raw))] ^= byte(1 << rng.IntN(8))
	}
	return raw
}

type versionPair struct {
	fast, reference *crdkit.Version
	samples         []map[string]any
}

func versionPairs(t testing.TB, definitions []*testkit.Definition) []versionPair {
	t.Helper()
	var pairs []versionPair
	for _, d := range definitions {
		fast, err := crdkit.Compile(d.CRD)
		if err != nil {
			continue // Compile refuses the definition
		}
		reference, err := crdkit.Compile(d.CRD, crdkit.Reference())
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range fast.Versions() {
			p := versionPair{fast: v, reference: testkit.Must(reference.Version(v.Name()))}
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

// A verb is the JSON form of a request. fast tries the fast path only.
type verb struct {
	name string
	fast crdkit.OnFastPath
	do   func(v *crdkit.Version, raw, old []byte, opts ...crdkit.JSONOption) ([]byte, *crdkit.Result, error)
}

var creating = verb{
	"create",
	crdkit.CreateFast,
	func(v *crdkit.Version, raw, _ []byte, opts ...crdkit.JSONOption) ([]byte, *crdkit.Result, error) {
		return v.CreateJSON(context.Background(), raw, opts...)
	},
}

var updating = verb{
	"update",
	crdkit.UpdateFast,
	func(v *crdkit.Version, raw, old []byte, opts ...crdkit.JSONOption) ([]byte, *crdkit.Result, error) {
		return v.UpdateJSON(context.Background(), raw, old, opts...)
	},
}

var updatingStatus = verb{
	"status",
	crdkit.UpdateStatusFast,
	func(v *crdkit.Version, raw, old []byte, opts ...crdkit.JSONOption) ([]byte, *crdkit.Result, error) {
		return v.UpdateStatusJSON(context.Background(), raw, old, opts...)
	},
}

// forgetful makes a request on the fast path or, if that declines, in the pipeline. It then
// overwrites the input, as a caller may, to show that the result does not depend on it. It
// reports whether the fast path has handled the request.
func (do verb) forgetful(t testing.TB, v *crdkit.Version, raw, old []byte, opts ...crdkit.JSONOption) ([]byte, *crdkit.Result, bool) {
	t.Helper()
	in, oldIn := slices.Clone(raw), slices.Clone(old)
	out, res, handled := do.fast(v, in, oldIn, opts...)
	if !handled {
		var err error
		if out, res, err = do.do(v, in, oldIn, opts...); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(in, raw) || !bytes.Equal(oldIn, old) {
		t.Fatal("the input was changed")
	}
	for _, input := range [][]byte{in, oldIn} {
		for i := range input {
			input[i] = '#'
		}
	}
	return out, res, handled
}

// onBothPaths makes a request with the fast and the reference implementation
// and compares the results. It reports whether the fast path has handled the request.
func onBothPaths(t testing.TB, v versionPair, do verb, raw, old []byte, fields crdkit.FieldValidation) bool {
	t.Helper()
	fast, fastRes, handled := do.forgetful(t, v.fast, raw, old, fields)
	if handled && (!fastRes.Admitted() || fast == nil) {
		t.Errorf("%s %s: the fast path refuses\n%s", do.name, v.fast.GroupVersionKind(), raw)
	}
	var want []byte
	var wantRes *crdkit.Result
	var err error
	// A rule that iterates over a map does so in any order, so its cost differs
	// between runs.
	for range 50 {
		if want, wantRes, err = do.do(v.reference, raw, old, fields); err != nil {
			t.Fatalf("%s %s: %v\ninput %s\nold   %s", do.name, v.fast.GroupVersionKind(), err, raw, old)
		}
		if wantRes.Cost == fastRes.Cost && len(wantRes.Errors) == len(fastRes.Errors) {
			break
		}
	}
	if string(want) != string(fast) {
		t.Errorf("%s %s %s:\ninput   %s\nold     %s\nreference %s\nfast      %s", fields, do.name, v.fast.GroupVersionKind(), raw, old, want, fast)
	}
	if diff := cmp.Diff(render(wantRes), render(fastRes)); diff != "" {
		t.Errorf("%s %s %s:\n%s\nold %s\nresult (-reference +fast):\n%s", fields, do.name, v.fast.GroupVersionKind(), raw, old, diff)
	}
	if got, want := fmt.Sprint(fastRes.Err()), fmt.Sprint(wantRes.Err()); got != want {
		t.Errorf("Err = %s, want %s", got, want)
	}
	return handled
}

// canonical returns a JSON text in the form that the server writes.
func canonical(t testing.TB, text []byte) string {
	t.Helper()
	var v any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, &v); err != nil {
		t.Errorf("%s: %v", text, err)
		return ""
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// olds returns JSON text of a stored object that obj could replace, and the
// object. It reports whether there is one.
func (v versionPair) olds(t testing.TB, rng *rand.Rand, obj map[string]any) ([]byte, map[string]any, bool) {
	t.Helper()
	text, res, err := v.reference.CreateJSON(context.Background(), testkit.Encode(obj), crdkit.Ignore)
	if err != nil {
		t.Fatal(err)
	}
	if !res.Admitted() {
		return nil, nil, false
	}
	decoded, err := testkit.DecodeJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	stored := decoded.(map[string]any)
	metadata := stored["metadata"].(map[string]any)
	if rng.IntN(3) > 0 {
		metadata["uid"], metadata["resourceVersion"], metadata["creationTimestamp"] = "u-1", "17", "2026-01-02T03:04:05Z"
	}
	if rng.IntN(3) == 0 {
		entry, err := testkit.DecodeJSON([]byte(manager))
		if err != nil {
			t.Fatal(err)
		}
		metadata["managedFields"] = []any{entry}
	}
	if status, ok := obj["status"]; ok && rng.IntN(3) > 0 {
		stored["status"] = status
	}
	if rng.IntN(3) == 0 {
		s := &scribe{rng: rng, unusual: 12}
		s.writeValue(stored)
		return s.Bytes(), stored, true
	}
	return testkit.Encode(stored), stored, true
}

// TestBytes checks that requests with objects of all kinds in all spellings have the
// result of the reference implementation.
func TestBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testBytes(t, versionPairs(t, corpus.Definitions), 20)
}

func TestBytesCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; skipped with -short")
	}
	pairs := versionPairs(t, testkit.FindCorpus(t).Definitions)
	for i := range pairs { // few objects of each kind are enough, because there are many kinds
		pairs[i].samples = pairs[i].samples[:min(2, len(pairs[i].samples))]
	}
	testBytes(t, pairs, 1)
}

func testBytes(t *testing.T, pairs []versionPair, each int) {
	rng := rand.New(rand.NewPCG(1, uint64(each)))
	inputs, taken, asTheyAre, updates := 0, 0, 0, map[string]*[2]int{"update": {}, "status": {}}
	for _, v := range pairs {
		for _, obj := range v.samples {
			if onBothPaths(t, v, creating, testkit.Encode(obj), nil, crdkit.Warn) {
				asTheyAre++
			}
			for range each {
				inputs++
				if onBothPaths(t, v, creating, scribbled(rng, obj), nil, fieldValidations[rng.IntN(3)]) {
					taken++
				}
				replaces(t, v, rng, obj, updates)
				if t.Failed() {
					return
				}
			}
		}
	}
	t.Logf("%d inputs, %d on the fast path; %d samples as they are on the fast path", inputs, taken, asTheyAre)
	if taken < inputs/8 || asTheyAre == 0 {
		t.Errorf("the fast path hardly ever takes one: %d of %d", taken, inputs)
	}
	for name, n := range updates {
		t.Logf("%s: %d inputs, %d on the fast path", name, n[0], n[1])
		if n[1] < n[0]/8 || n[1] == 0 {
			t.Errorf("%s: the fast path hardly ever takes one: %d of %d", name, n[1], n[0])
		}
	}
}

// replaces updates an object with one like it on both paths.
func replaces(t *testing.T, v versionPair, rng *rand.Rand, obj map[string]any, count map[string]*[2]int) {
	old, stored, ok := v.olds(t, rng, obj)
	if !ok {
		return
	}
	raw := old
	switch rng.IntN(4) {
	case 0:
		raw = scribbled(rng, stored)
	case 1:
		raw = scribbled(rng, obj)
	case 2:
		raw = testkit.Encode(testkit.Mutate(rng, stored))
	}
	for _, do := range []verb{updating, updatingStatus} {
		if do.name == "status" && !v.fast.HasStatus() {
			continue
		}
		if do.name == "status" && rng.IntN(2) == 0 { // as most clients: nothing but the status differs
			next := testkit.Clone(stored)
			if next["status"] = obj["status"]; next["status"] == nil {
				delete(next, "status")
			}
			raw = testkit.Encode(next)
		}
		count[do.name][0]++
		if onBothPaths(t, v, do, raw, old, fieldValidations[rng.IntN(3)]) {
			count[do.name][1]++
		}
	}
}

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

// TestBodies checks that the fast and the reference implementation agree on
// request bodies that the server decodes in an unusual way or reports.
func TestBodies(t *testing.T) {
	p, _ := cronTabPair(t)
	const typ = `"apiVersion":"jobs.example.org/v1","kind":"CronTab",`
	const rest = `"metadata":{"name":"a","namespace":"default"},"spec":{"cronSpec":"* * * * *","image":1}}`
	for _, text := range []string{
		`{` + typ + rest,
		" \n{" + typ + rest + "\t\r\n",
		`{` + typ + rest + `x`,
		"\ufeff{" + typ + rest,
		`{` + typ + `"Kind":"CronTab",` + rest,
		`{` + typ + `"KIND":"Other",` + rest,
		`{` + typ + `"\u212aind":"Other",` + rest,
		"{" + typ + "\"\u212aind\":\"Other\"," + rest,
		`{` + typ + `"apiversion":5,` + rest,
		`{` + typ + `"APIVERSION":null,` + rest,
		`{` + typ + `"kind":"CronTab",` + rest,
		`{` + typ + `"kind":"Other",` + rest,
		`{` + typ + `"items":[],` + rest,
		`{` + typ + `"items":[{"kind":"CronTab"}],` + rest,
		`{"kind":"CronTab",` + rest,
		`{"apiVersion":"jobs.example.org/v1",` + rest,
		`{"apiVersion":"jobs.example.org/v1","kind":"",` + rest,
		`{"apiVersion":"jobs.example.org/v1","kind":null,` + rest,
		`{"apiVersion":"jobs.example.org/v1","kind":["CronTab"],` + rest,
		`{"apiVersion":"a/b/c","kind":"CronTab",` + rest,
		`{"apiVersion":"jobs.example.org/v0","kind":"CronTab",` + rest,
		`{"apiVersion":"jobs.example.org/v1\u0000","kind":"CronTab",` + rest,
		`{"apiVersion":"jobs.example.org\/v1","kind":"Cron\u0054ab",` + rest,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"image":1,"image":2}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"image":1,"im\u0061ge":2}}`,
		`{` + typ + `"metadata":{"name":"b"},"metadata":{"name":"a"},"spec":{"image":{"x":1,"x":2},"image":[{"y":1,"y":2},{"y":1,"y":2}]}}`,
		`{` + typ + `"metadata":{"name":"a","name":"b"},"spec":{"image":1},"spec":{"image":2},"sp\u0065c":{"replicas":3}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"":{"":1,"":2},"":{"":1,"":2}},"status":` + strings.Repeat(`{"a":`, 700) + `1` + strings.Repeat("}", 700) + `}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"image":"` + "\xff" + `"}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"image":"\ud800"}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"replicas":1.0,"image":1e400}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"replicas":18446744073709551615,"image":-0}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"replicas":01}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
		`{` + typ + `"metadata":"a","spec":null}`,
		`{` + typ + `"spec":{}}`,
		`[]`, `null`, `"a"`, `{}`, ``, `{`, `{"a"`, `kind: CronTab`,
	} {
		for _, fields := range []crdkit.FieldValidation{crdkit.Warn, crdkit.Ignore, crdkit.Strict} {
			onBothPaths(t, p, creating, []byte(text), nil, fields)
		}
	}
}
