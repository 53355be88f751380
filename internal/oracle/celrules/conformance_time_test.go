package celrules

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A timedCase is how long a case takes on both sides.
type timedCase struct {
	of           *conformanceCase
	failing      bool // a rule ends in an error
	fast, server time.Duration
}

// timed measures a case. Both sides evaluate the compiled rules of the case on the
// same object, with costs and with the texts of errors.
func timed(s *subject, k *conformanceCase) timedCase {
	ctx, out := context.Background(), timedCase{of: k}
	for _, e := range ours(s.fast, &input{obj: k.obj, budget: budget}).errors {
		if strings.Contains(e, "evaluating rule") || strings.Contains(e, "no such overload") {
			out.failing = true
		}
	}
	out.fast = least(func() { s.fast.Eval(ctx, k.obj) })
	out.server = least(func() { s.validator.Validate(ctx, nil, s.structural, k.obj, nil, budget) })
	return out
}

// reportTimes prints how long the evaluations take, without an error and with one,
// and the cases that take us longest.
func reportTimes(name string, subjects []*subject, cases []*conformanceCase) {
	var list []timedCase
	for i, s := range subjects {
		if s != nil {
			list = append(list, timed(s, cases[i]))
		}
	}
	reportTotal(name+": ", "without an error", list, func(c timedCase) bool { return !c.failing })
	reportTotal(name+": ", "with an error", list, func(c timedCase) bool { return c.failing })
	reportTotal(name+": ", "that read the object", list, func(c timedCase) bool { return len(c.of.obj) > 0 })
	slices.SortFunc(list, func(a, b timedCase) int { return cmp.Compare(b.fast, a.fast) })
	for _, c := range list[:10] {
		fmt.Printf("%s: slowest: crdkit %v, upstream %v, %.1fx: %s\n", name, c.fast, c.server, ratio(c.server, c.fast), c.of.name)
	}
}

func reportTotal(of, name string, list []timedCase, in func(timedCase) bool) {
	var n int
	var fast, server time.Duration
	for _, c := range list {
		if in(c) {
			n, fast, server = n+1, fast+c.fast, server+c.server
		}
	}
	fmt.Printf("%s%d cases %s: crdkit %v, upstream %v, %.1fx\n", of, n, name, fast.Round(time.Microsecond), server.Round(time.Microsecond), ratio(server, fast))
}

func ratio(server, fast time.Duration) float64 { return float64(server) / float64(max(fast, 1)) }

// batch is the number of calls between two looks at the clock.
const batch = 8

// least returns the least time of a call in several batches.
func least(call func()) time.Duration {
	best := time.Hour
	for range 5 {
		begin := time.Now()
		for range batch {
			call()
		}
		best = min(best, time.Since(begin)/batch)
	}
	return best
}

// BenchmarkConformance measures our evaluation of the cases, and of those with fields
// instead of literals. Its profile shows where the time of rules goes that few
// definitions have.
func BenchmarkConformance(b *testing.B) {
	literals, _ := conformanceCases(b)
	var fields []*conformanceCase
	for _, k := range literals {
		fields = append(fields, withFields(b, k))
	}
	literals, _ = conformanceCases(b) // withFields changed the schemas
	b.Run("literals", func(b *testing.B) { benchmarkCases(b, literals) })
	b.Run("fields", func(b *testing.B) { benchmarkCases(b, fields) })
}

func benchmarkCases(b *testing.B, cases []*conformanceCase) {
	subjects := conformanceSubjects(b, cases)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		for i, s := range subjects {
			if s != nil {
				s.fast.Eval(ctx, cases[i].obj)
			}
		}
	}
}
