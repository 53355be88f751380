package generate

import (
	"math"
	"regexp"
	"strings"
	"unicode/utf8"
)

var sampleStrings = []string{
	"demo", "x", "", "true", "1", "10s", "a b", "über", "日本", "https://example.com/a?b=c", "10.0.0.1", "UPPER", "a/b", "line\nbreak", "<&>\u2028",
}

func (r *run) word() string { return sampleStrings[r.rng.IntN(len(sampleStrings))] }

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

func (r *run) text(s *constraints) any {
	low, high := lengths(s)
	if s.Pattern != "" {
		return r.matching(s.Pattern, low, high)
	}
	if known := formats[s.Format]; len(known) > 0 {
		return known[r.rng.IntN(len(known))]
	}
	if r.edge && s.MaxLength != nil && high <= 2000 && !r.oneIn(3) {
		return strings.Repeat("é", high)
	}
	if r.edge && s.MinLength != nil {
		return strings.Repeat("m", low)
	}
	return resizeText(r.word(), low, high)
}

func lengths(s *constraints) (int, int) {
	low, high := 0, 1<<20
	if s.MinLength != nil {
		low = int(max(0, min(*s.MinLength, 4096)))
	}
	if s.MaxLength != nil {
		high = int(max(0, min(*s.MaxLength, 1<<20)))
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
func (r *run) matching(pattern string, low, high int) string {
	for _, word := range r.shuffled([]string{"demo", "1", "10s", "100m", "a.b", "/x", "https://example.com"}) {
		if r.oneIn(4) && len(word) >= low && len(word) <= high && matches(pattern, word) {
			return word
		}
	}
	candidate := ""
	for range 8 {
		candidate = patternText(r.rng, pattern, low, high, r.edge)
		if n := utf8.RuneCountInString(candidate); n >= low && n <= high && matches(pattern, candidate) {
			return candidate
		}
	}
	return candidate
}

func matches(pattern, text string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(text)
}

func (r *run) integer(s *constraints) any {
	low, high := r.span(s, -1000, 1000)
	low, high = math.Ceil(low), math.Floor(high)
	v := r.between(s, low, high)
	if s.MultipleOf != nil && *s.MultipleOf >= 1 {
		step := math.Floor(*s.MultipleOf)
		v = math.Ceil(low/step) * step
	}
	if v >= math.MaxInt64 || v < math.MinInt64 {
		return v
	}
	if r.oneIn(30) {
		return math.Trunc(v)
	}
	return int64(v)
}

func (r *run) number(s *constraints) any {
	low, high := r.span(s, -1000, 1000)
	v := r.between(s, low, high)
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		v = math.Ceil(low / *s.MultipleOf) * *s.MultipleOf
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 && r.oneIn(2) {
		return int64(v)
	}
	return v
}

// span returns the range of a number, narrowed at exclusive bounds.
func (r *run) span(s *constraints, low, high float64) (float64, float64) {
	if s.Minimum != nil {
		low = *s.Minimum
		if s.ExclusiveMinimum {
			low++
		}
		high = max(high, low+10)
	}
	if s.Maximum != nil {
		high = *s.Maximum
		if s.ExclusiveMaximum {
			high--
		}
		if s.Minimum == nil {
			low = min(low, high-10)
		}
	}
	return low, max(low, high)
}

func (r *run) between(s *constraints, low, high float64) float64 {
	if r.edge && (s.Minimum != nil || s.Maximum != nil) {
		if s.Maximum == nil || s.Minimum != nil && r.oneIn(2) {
			return low
		}
		return high
	}
	if s.Type == "number" {
		return low + (high-low)*float64(r.rng.IntN(9))/8
	}
	return math.Min(high, low+math.Floor((high-low+1)*r.rng.Float64()))
}
