package search

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/internal/value/format"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/internal/value/pattern"
)

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
	return undecided("no number with the wanted factors was found")
}

// divides reports whether conditions demand a multiple of x and forbid multiples of a divisor of x.
// No number satisfies them.
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

// candidates returns numbers in r, numbers near 0 first. They are multiples of step unless step is
// 0. factors says that a condition is about multiples; excluded is how many numbers enums exclude.
// If complete is true and no candidate satisfies the conditions, no number does.
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
	// Without factors, only excluded numbers fail. out has more than these, or all in r.
	// With factors, any number may fail, so out must have all in r.
	return out, !factors || high-low < float64(want)
}

// between returns a number with a fraction in r. Each n gives a different number.
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

// samples has strings of each format by its normalized name. After them come strings that almost
// have the format.
var samples = map[string][]string{
	"byte":         {"YQ==", "YWFhYWFhYWE=", "+/8="},
	"cidr":         {"10.0.0.0/8", "fd00::/64", "010.0.0.0/8"},
	"date":         {"2024-01-01", "2023-12-31", "0001-01-01"},
	"datetime":     {"2024-01-01T00:00:00Z", "2023-12-31T23:59:59Z", "2024-01-01t00:00:00z", "2024-01-01T00:00:00.123456+02:00"},
	"duration":     {"1s", "0s", "1h", "100h", "3 days", "-5ms"},
	"email":        {"a@example.com", "b@example.com"},
	"hostname":     {"a", "example.com"},
	"ipv4":         {"10.0.0.1", "10.0.0.2", "010.1.1.1"},
	"ipv6":         {"::1", "fd00::1"},
	"mac":          {"00:00:5e:00:53:01"},
	"uri":          {"/a", "https://example.com", "urn:a:b"},
	"uuid":         {"5f7a6b1c-0000-4000-8000-000000000001", "5f7a6b1c-0000-1000-8000-000000000001"},
	"uuid3":        {"5f7a6b1c-0000-3000-8000-000000000001"},
	"uuid4":        {"5f7a6b1c-0000-4000-8000-000000000001"},
	"uuid5":        {"5f7a6b1c-0000-5000-8000-000000000001"},
	"hexcolor":     {"#fff", "00ff00"},
	"rgbcolor":     {"rgb(1,2,3)"},
	"creditcard":   {"4111111111111111", "4111 1111 1111 1111"},
	"ssn":          {"111-11-1111"},
	"isbn":         {"0321751043"},
	"isbn10":       {"0321751043"},
	"isbn13":       {"9780321751041"},
	"bsonobjectid": {"5f7a6b1c0000400080000000"},
	"k8sshortname": {"a", "a-b"},
	"k8slongname":  {"a.b", "a"},
}

// others are strings to try after the samples. They have few or no formats.
var others = []any{"", "a", "!", " ", "x y", "aaaaaaaa", "-", "0", "é"}

func hasFormatNamed(name, v string) bool {
	check, ok := format.Lookup(name, format.DefaultMinor)
	return !ok || check(v)
}

// If a text must avoid more than fewExcluded patterns, [Solver.counted] is tried before automata.
// The time of automata grows with the number of patterns.
const fewExcluded = 12

// counted returns the first text of a, 0, b, 1, ... that satisfies the conditions.
func (s *Solver) counted(own []*Cond) (string, bool) {
	for i := range maxElements {
		for _, text := range [2]string{lettered(i), strconv.Itoa(i)} {
			if s.evalAnd(own, text) == yes {
				return text, true
			}
		}
		if s.spend(len(own)) != "" {
			break
		}
	}
	return "", false
}

// lettered writes a number in letters: a, b, ..., z, aa, ab.
func lettered(i int) string {
	text := string(rune('a' + i%26))
	if i < 26 {
		return text
	}
	return lettered(i/26-1) + text
}

const maxExcluded = 64

func (s *Solver) solveString(own []*Cond) Result {
	l := pattern.Language{MaxRunes: -1}
	formats := map[string]bool{}
	for _, c := range own {
		switch c.kind {
		case minRunes:
			boundRunes(&l, c)
		case matches:
			s.addPattern(&l, c.text, c.neg)
		case enum:
			for _, v := range c.values[:min(len(c.values), maxExcluded)] {
				if text, ok := v.(string); ok {
					s.addPattern(&l, `^`+regexp.QuoteMeta(text)+`$`, true)
				}
			}
		case hasFormat:
			name := format.Normalize(c.text)
			if before, ok := formats[name]; ok && before != c.neg {
				return Result{}
			}
			formats[name] = c.neg
			if !c.neg && !hasFormatNamed(name, "") {
				l.MinRunes = max(l.MinRunes, 1)
			}
		}
	}
	if len(l.Exclude) > fewExcluded {
		if v, ok := s.counted(own); ok {
			return found(v)
		}
	}
	if len(formats) > 0 {
		return s.formatted(l, formats, own)
	}
	return s.shortest(l, own)
}

func boundRunes(l *pattern.Language, c *Cond) {
	n := int(max(0, min(c.n, math.MaxInt32)))
	switch {
	case !c.neg:
		l.MinRunes = max(l.MinRunes, n)
	case c.n <= 0:
		l.MinRunes, l.MaxRunes = 1, 0
	case l.MaxRunes < 0 || n-1 < l.MaxRunes:
		l.MaxRunes = n - 1
	}
}

// addPattern adds a pattern to a language. As on the server, an invalid pattern matches nothing.
func (s *Solver) addPattern(l *pattern.Language, expr string, neg bool) {
	p := s.pattern(expr)
	switch {
	case p == nil && !neg:
		l.MinRunes, l.MaxRunes = 1, 0
	case p == nil:
	case neg:
		l.Exclude = append(l.Exclude, p)
	default:
		l.Match = append(l.Match, p)
	}
}

func (s *Solver) shortest(l pattern.Language, own []*Cond) Result {
	if len(l.Match) == 0 && len(l.Exclude) == 0 && l.MinRunes > maxRunes {
		return undecided("the string is too long")
	}
	budget := min(s.work, maxTransitions)
	text, ok, decided := l.Shortest(budget)
	if !decided && budget < maxTransitions {
		s.memory.limited++
	}
	if reason := s.spend(8 + l.MinRunes/16); reason != "" {
		return undecided(reason)
	}
	switch {
	case !decided:
		return undecided("a pattern is too large")
	case !ok:
		return Result{}
	case s.evalAnd(own, text) == no: // more values are excluded than became patterns
		return undecided(noText)
	}
	return found(text)
}

const (
	maxRunes       = 1 << 16
	maxTransitions = 1 << 19
)

func (s *Solver) formatted(l pattern.Language, formats map[string]bool, own []*Cond) Result {
	var candidates []any
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		for _, text := range samples[name] {
			candidates = append(candidates, text)
		}
	}
	r := s.shortest(l, own)
	if r.Status != Undecided {
		return r
	}
	if r = s.choose(String, append(candidates, others...), own); r.Status == Found {
		return r
	}
	return undecided(noText)
}
