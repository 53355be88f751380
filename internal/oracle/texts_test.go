package oracle

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
)

// textCount is small by default. 100 makes over 100,000 texts of the corpus:
//
//	go test -C internal/oracle -run TestTexts -texts 100 -timeout 60m
var textCount = flag.Int("texts", 3, "objects of each version that TestTexts spells out, each for every request")

// TestTexts compares requests on bytes with upstream: damaged objects and all spellings.
func TestTexts(t *testing.T) {
	list, full := definitions(t)
	n := *textCount
	if testing.Short() {
		n = 1
		list = sampleOf(list, 40)
	}
	tally := newTally(Differences)
	var count atomic.Int64
	onAll(list, func(d *testkit.Definition) { count.Add(int64(spellDefinition(t, tally, d, n))) })
	if text := tally.Unknown(); text != "" {
		t.Errorf("differences that are not in the list:\n%s", text)
	}
	if full && count.Load() < int64(300*n) && !testing.Short() {
		t.Errorf("only %d texts", count.Load())
	}
	fmt.Printf("texts: %d definitions, %d texts\n", len(list), count.Load())
}

func spellDefinition(t *testing.T, tally *Tally, d *testkit.Definition, n int) int {
	up, err := upstream.Compile(d.CRD)
	if err != nil {
		t.Error(d.Path, err)
		return 0
	}
	def, err := crdkit.Compile(up.CRD)
	if err != nil {
		t.Error(d.Path, err)
		return 0
	}
	count := 0
	for i, v := range up.Versions {
		declared := &d.CRD.Spec.Versions[i]
		target := generate.Target{Group: up.CRD.Spec.Group, Version: v.Name, Kind: up.CRD.Spec.Names.Kind, Namespaced: def.Namespaced()}
		if declared.Schema != nil {
			target.Schema = declared.Schema.OpenAPIV3Schema
		}
		var samples []map[string]any
		for _, s := range d.Samples {
			if s.Version() == v.Name {
				samples = append(samples, s.Object)
			}
		}
		g := generate.New(target, samples...)
		s := &speller{check: &check{tally: tally, def: d, up: v}, version: testkit.Must(def.Version(v.Name))}
		for i := range n {
			s.name = fmt.Sprintf("text %d", i)
			s.rng = source(up.CRD.Name, v.Name, s.name)
			obj := g.Object(s.rng, generate.Class(i%4))
			if len(samples) > 0 && i%2 == 0 {
				obj = testkit.Clone(samples[s.rng.IntN(len(samples))])
			}
			count += s.requests(obj)
		}
	}
	return count
}

// A speller spells the objects of one version.
type speller struct {
	*check
	version *crdkit.Version
	rng     *rand.Rand
}

// requests makes every request with obj, and returns their number.
func (s *speller) requests(obj map[string]any) int {
	fields := []string{"Strict", "Warn", "Ignore"}[s.rng.IntN(3)]
	stored := s.up.Create(upstream.Body{Data: testkit.Encode(obj), Fields: "Ignore"})
	sent := obj
	if s.rng.IntN(2) == 0 {
		sent = testkit.Mutate(s.rng, obj)
	}
	body := upstream.Body{Data: s.spell(sent), Fields: fields}
	s.request("create", body, nil, func() upstream.Outcome { return s.up.Create(body) })
	if stored.Refusal != "" || len(stored.Errors) > 0 || stored.Panic != "" {
		return 1
	}
	old := stored.Object
	keep(old)
	changed := testkit.Clone(old)
	if s.rng.IntN(3) > 0 {
		changed = testkit.Mutate(s.rng, changed)
	}
	if status, ok := obj["status"]; ok && s.rng.IntN(2) == 0 {
		changed["status"] = status
	}
	body.Data = s.spell(changed)
	s.request("update", body, old, func() upstream.Outcome { return s.up.Update(body, old) })
	if !s.up.HasStatus {
		return 2
	}
	s.request("status", body, old, func() upstream.Outcome { return s.up.UpdateStatus(body, old) })
	return 3
}

// request compares one request. Upstream runs again only if there is a difference.
func (s *speller) request(op string, body upstream.Body, old map[string]any, up func() upstream.Outcome) {
	first := upstream.Catch(up)
	var was []byte
	if old != nil {
		was = s.spell(old)
	}
	asked := false
	s.guard(op+" text", string(body.Data), func() {
		s.bytes(op+" text", string(body.Data), func() upstream.Outcome {
			if asked {
				return up()
			}
			asked = true
			return first
		}, func() (upstream.Outcome, []byte) { return s.ours(op, body, was) })
	})
	if valid := s.version.ValidJSON(body.Data); op == "create" && first.Panic == "" && body.Fields != "Strict" &&
		valid != (first.Refusal == "" && len(first.Errors) == 0) {
		s.differ("valid text", "verdict", fmt.Sprintf("  +ours %t\n", valid), string(body.Data))
	}
}

func (s *speller) ours(op string, body upstream.Body, old []byte) (upstream.Outcome, []byte) {
	opts := options(body)
	ctx := context.Background()
	var (
		out []byte
		res *crdkit.Result
		err error
	)
	switch op {
	case "create":
		out, res, err = s.version.CreateJSON(ctx, body.Data, opts...)
	case "update":
		out, res, err = s.version.UpdateJSON(ctx, body.Data, old, opts...)
	default:
		out, res, err = s.version.UpdateStatusJSON(ctx, body.Data, old, opts...)
	}
	return outcome(nil)(res, err), out
}

// spell writes v as JSON with its members in random order, with white space, and
// sometimes with an escape.
func (s *speller) spell(v any) []byte {
	var b bytes.Buffer
	if s.rng.IntN(3) == 0 {
		return testkit.Encode(v)
	}
	s.write(&b, v, s.rng.IntN(2) == 0)
	return b.Bytes()
}

func (s *speller) write(b *bytes.Buffer, v any, shuffle bool) {
	space := func() {
		if s.rng.IntN(8) == 0 {
			b.WriteString(" \n"[s.rng.IntN(2):])
		}
	}
	space()
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if shuffle {
			s.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		}
		b.WriteByte('{')
		for i, name := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			b.Write(testkit.Encode(name))
			space()
			b.WriteByte(':')
			s.write(b, v[name], shuffle)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			s.write(b, e, shuffle)
		}
		b.WriteByte(']')
	case string:
		text := testkit.Encode(v)
		if len(v) > 0 && 'a' <= v[0] && v[0] <= 'z' && s.rng.IntN(30) == 0 {
			text = fmt.Appendf(nil, `"\u%04x%s`, v[0], text[2:])
		}
		b.Write(text)
	default:
		b.Write(testkit.Encode(v))
	}
	space()
}
