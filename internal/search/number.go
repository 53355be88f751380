package search

import (
	"math"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// maxCandidates is how many numbers are tried.
const maxCandidates = 4096

// A span is the range of numbers that the bounds of a conjunction allow.
type span struct {
	low, high             float64
	strictLow, strictHigh bool
}

func (r *span) empty() bool {
	return r.low > r.high || r.low == r.high && (r.strictLow || r.strictHigh)
}

func spanOf(own []*Cond) span {
	r := span{low: math.Inf(-1), high: math.Inf(1)}
	for _, c := range own {
		switch {
		case c.kind != atMost:
		case c.neg:
			if c.x > r.low || c.x == r.low && !c.strict {
				r.low, r.strictLow = c.x, !c.strict
			}
		case c.x < r.high || c.x == r.high && c.strict:
			r.high, r.strictHigh = c.x, c.strict
		}
	}
	return r
}

// integers returns the range of the integers in r, with inclusive bounds.
func (r *span) integers() span {
	out := span{low: math.Ceil(r.low), high: math.Floor(r.high)}
	if r.strictLow && out.low == r.low {
		out.low = max(out.low+1, math.Nextafter(out.low, math.Inf(1)))
	}
	if r.strictHigh && out.high == r.high {
		out.high = min(out.high-1, math.Nextafter(out.high, math.Inf(-1)))
	}
	return out
}

// solveNumber returns an integer or a number with a fraction.
func (s *Solver) solveNumber(t Mask, own []*Cond) Result {
	r := spanOf(own)
	if t == Integer {
		r = r.integers()
	}
	if r.empty() {
		return Result{}
	}
	step, factors, excluded := 0.0, false, 0
	for _, c := range own {
		switch {
		case c.kind == multipleOf:
			factors = true
			if !c.neg && c.x > step && (c.x >= 1 || t == Fraction) {
				step = c.x
			}
		case c.kind == enum:
			excluded += len(c.values)
		}
	}
	if divides(own) {
		return Result{}
	}
	if reason := s.spend(16); reason != "" {
		return undecided(reason)
	}
	candidates, complete := r.candidates(t, step, factors, excluded)
	for _, x := range candidates {
		v := jsonval.Wire(x)
		if TypeOf(v)&t != 0 && s.evalAnd(own, v) != no {
			return found(v)
		}
	}
	if complete {
		return Result{}
	}
	return undecided(noNumber)
}

// divides reports whether a number must be a multiple of x and not of y, a multiple of x.
func divides(own []*Cond) bool {
	for _, c := range own {
		for _, d := range own {
			if c.kind == multipleOf && d.kind == multipleOf && !c.neg && d.neg && isMultiple(c.x, d.x) {
				return true
			}
		}
	}
	return false
}

// candidates returns numbers in r, those near 0 first, multiples of step unless it is 0.
// complete means that no other number can satisfy the conditions.
func (r *span) candidates(t Mask, step float64, factors bool, excluded int) (out []float64, complete bool) {
	if t == Fraction && step == 0 {
		for i := range excluded + 40 {
			out = append(out, r.between(i+1))
		}
		return out, r.low == r.high
	}
	if step == 0 {
		step = 1
	}
	want := excluded + 2
	if factors {
		want = maxCandidates
	}
	low, high := math.Ceil(r.low/step), math.Floor(r.high/step)
	from := math.Max(low, math.Min(high, 0))
	for i := range want {
		if x := from + float64(i); x <= high {
			out = append(out, x*step)
		}
		if x := from - float64(i); i > 0 && x >= low {
			out = append(out, x*step)
		}
	}
	// Within bounds every integer is a candidate. Else there are more than excluded ones.
	return out, !factors || high-low < float64(want)
}

// between returns a number with a fraction in r, another one for each n.
func (r *span) between(n int) float64 {
	switch part := 1 / float64(n+1); {
	case math.IsInf(r.low, -1) && math.IsInf(r.high, 1):
		return float64(n-1) + 0.5
	case math.IsInf(r.low, -1):
		return math.Floor(r.high) - float64(n) + 0.5
	case math.IsInf(r.high, 1):
		return math.Ceil(r.low) + float64(n) - 0.5
	case n%2 == 0 && math.Trunc(r.low) != r.low && !r.strictLow:
		return r.low
	default:
		return r.low + (r.high-r.low)*part
	}
}
