package search

import (
	"math"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

var someTexts = []string{
	"demo", "x", "", "true", "1", "10s", "a b", "über", "日本", "https://example.com/a?b=c", "10.0.0.1", "UPPER", "a/b", "line\nbreak", "<&>\u2028",
}

func (g *generator) word() string { return pick(g.rng, someTexts) }

// formats has values of each format, and values that almost have the format.
var formats = map[string][]string{
	"byte":         {"aGVsbG8=", "AA=="},
	"cidr":         {"10.0.0.0/8", "fd00::/64", "010.0.0.0/8"},
	"date":         {"2024-02-29", "0001-01-01"},
	"date-time":    {"2024-02-29T12:30:45Z", "2024-01-01T00:00:00.123456+02:00", "2024-01-01t00:00:00z"},
	"datetime":     {"2024-02-29T12:30:45Z"},
	"duration":     {"10s", "1h30m", "3 days", "-5ms"},
	"email":        {"someone@example.com"},
	"hostname":     {"example.com", "a"},
	"ipv4":         {"10.0.0.1", "010.1.1.1"},
	"ipv6":         {"::1", "fd00::1"},
	"mac":          {"00:00:5e:00:53:01"},
	"uri":          {"https://example.com/x", "/path", "urn:a:b"},
	"uuid":         {"5f7a6b1c-0000-4000-8000-000000000001"},
	"uuid4":        {"5f7a6b1c-0000-4000-8000-000000000001"},
	"hexcolor":     {"#fff", "00ff00"},
	"rgbcolor":     {"rgb(1,2,3)"},
	"creditcard":   {"4111 1111 1111 1111"},
	"ssn":          {"111-11-1111"},
	"isbn":         {"0321751043"},
	"bsonobjectid": {"5f7a6b1c0000400080000000"},

	"k8s-short-name": {"a", "a-b0"},
	"k8s-long-name":  {"a.b-c", "a"},
}

func (g *generator) text(c *constraints) string {
	low, high := lengths(c)
	if c.Pattern != "" {
		return g.matching(c.Pattern, low, high)
	}
	if known := formats[c.Format]; len(known) > 0 {
		return pick(g.rng, known)
	}
	if g.edge && c.MaxLength.Set && high <= 2000 && !g.oneIn(3) {
		return strings.Repeat("é", high)
	}
	if g.edge && c.MinLength.Set {
		return strings.Repeat("m", low)
	}
	return resizeText(g.word(), low, high)
}

func (g *generator) intOrString(c *constraints) any {
	if c.Pattern != "" && g.oneIn(2) {
		return g.text(c)
	}
	if g.oneIn(3) {
		return pick(g.rng, []string{"50%", "100m", "1Gi", "http", "0"})
	}
	return g.integer(c)
}

func lengths(c *constraints) (int, int) {
	low, high := 0, 1<<20
	if c.MinLength.Set {
		low = int(max(0, min(c.MinLength.N, 4096)))
	}
	if c.MaxLength.Set {
		high = int(max(0, min(c.MaxLength.N, 1<<20)))
	}
	return low, high
}

// resizeText repeats or cuts a text until it has low to high runes.
func resizeText(text string, low, high int) string {
	if n := utf8.RuneCountInString(text); n < low {
		text += strings.Repeat("p", low-n)
	}
	if utf8.RuneCountInString(text) > high {
		text = string([]rune(text)[:high])
	}
	return text
}

// matching returns a string that matches a pattern. It mostly has low to high
// runes.
func (g *generator) matching(pattern string, low, high int) string {
	for _, word := range g.shuffled([]string{"demo", "1", "10s", "100m", "a.b", "/x", "https://example.com"}) {
		if g.oneIn(4) && len(word) >= low && len(word) <= high && matchesPattern(pattern, word) {
			return word
		}
	}
	candidate := ""
	for range 8 {
		candidate = g.patternText(pattern, low, high)
		if n := utf8.RuneCountInString(candidate); n >= low && n <= high && matchesPattern(pattern, candidate) {
			return candidate
		}
	}
	return candidate
}

func matchesPattern(pattern, text string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(text)
}

func (g *generator) integer(c *constraints) any {
	low, high := g.span(c, -1000, 1000)
	low, high = math.Ceil(low), math.Floor(high)
	v := g.between(c, low, high)
	if c.MultipleOf.Set && c.MultipleOf.Value >= 1 {
		step := math.Floor(c.MultipleOf.Value)
		v = math.Ceil(low/step) * step
	}
	if v >= math.MaxInt64 || v < math.MinInt64 {
		return v
	}
	if g.oneIn(30) {
		return math.Trunc(v)
	}
	return int64(v)
}

func (g *generator) number(c *constraints) any {
	low, high := g.span(c, -1000, 1000)
	v := g.between(c, low, high)
	if c.MultipleOf.Set && c.MultipleOf.Value > 0 {
		v = math.Ceil(low/c.MultipleOf.Value) * c.MultipleOf.Value
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 && g.oneIn(2) {
		return int64(v)
	}
	return v
}

// span returns the range of a number, narrowed at exclusive bounds.
func (g *generator) span(c *constraints, low, high float64) (float64, float64) {
	if c.Minimum.Set {
		low = c.Minimum.Value
		if c.Minimum.Exclusive {
			low++
		}
		high = max(high, low+10)
	}
	if c.Maximum.Set {
		high = c.Maximum.Value
		if c.Maximum.Exclusive {
			high--
		}
		if !c.Minimum.Set {
			low = min(low, high-10)
		}
	}
	return low, max(low, high)
}

func (g *generator) between(c *constraints, low, high float64) float64 {
	if g.edge && (c.Minimum.Set || c.Maximum.Set) {
		if !c.Maximum.Set || c.Minimum.Set && g.oneIn(2) {
			return low
		}
		return high
	}
	if c.typ == "number" {
		return low + (high-low)*float64(g.rng.IntN(9))/8
	}
	return math.Min(high, low+math.Floor((high-low+1)*g.rng.Float64()))
}

const maxRounds = 300

// patternText returns a text of low to high runes that may match the pattern. It walks the
// syntax tree of the pattern: it writes one branch of an alternation and one rune of a
// class, and repeats a repetition until the text has about the wanted length. Anchors and
// boundaries write nothing, so the text may not match a pattern that has them. The caller
// checks that.
func (g *generator) patternText(pattern string, low, high int) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	want := low
	switch {
	case g.edge && high <= maxRounds && g.rng.IntN(2) == 0:
		want = high
	case !g.edge:
		want = low + g.rng.IntN(min(8, max(1, high-low+1)))
	}
	w := &patternWriter{rng: g.rng, want: want, limit: min(high, want+40)}
	w.write(tree)
	return w.text.String()
}

type patternWriter struct {
	rng   *rand.Rand
	text  strings.Builder
	want  int // the wanted length
	limit int // the length after which repetitions stop
	runes int
}

func (w *patternWriter) rune(c rune) {
	w.text.WriteRune(c)
	w.runes++
}

func (w *patternWriter) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		w.text.WriteString(string(re.Rune))
		w.runes += utf8.RuneCountInString(string(re.Rune))
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.rune([]rune("aZ09-._/ é")[w.rng.IntN(10)])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(re.Sub[w.rng.IntN(len(re.Sub))])
	case syntax.OpStar:
		w.repeat(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		w.repeat(re.Sub[0], 1, -1)
	case syntax.OpQuest:
		w.repeat(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		w.repeat(re.Sub[0], re.Min, re.Max)
	}
}

func (w *patternWriter) repeat(sub *syntax.Regexp, low, high int) {
	if high < 0 {
		high = max(low+2, min(maxRounds, w.want))
	}
	for i := range high {
		optional := i >= low
		if optional && w.runes >= w.want && (w.runes >= w.limit || w.rng.IntN(3) > 0) {
			return
		}
		w.write(sub)
	}
}

// class writes one rune of a class, mostly a printable ASCII rune.
func (w *patternWriter) class(ranges []rune) {
	var printable []rune
	for i := 0; i < len(ranges); i += 2 {
		for c := max(ranges[i], ' '); c <= min(ranges[i+1], '~'); c++ {
			printable = append(printable, c)
		}
	}
	if len(printable) > 0 && w.rng.IntN(20) > 0 {
		w.rune(printable[w.rng.IntN(len(printable))])
		return
	}
	if len(ranges) > 0 {
		w.rune(ranges[2*w.rng.IntN(len(ranges)/2)])
	}
}
