package pattern

import (
	"regexp/syntax"
	"strings"
)

// patternTests serves the tests, the fuzz targets and the benchmarks. The tests
// match each pattern with its own inputs, with inputs grown from its syntax tree
// and with commonInputs. Package regexp gives the expected verdicts.
var patternTests = []struct {
	name    string
	pattern string
	fast    bool
	inputs  []string
}{
	{"empty", ``, true, nil},
	{"literal, unanchored", `abc`, true, []string{"abc", "xabcx", "ab", "ababc"}},
	{"overlapping restarts", `aabaaab`, true, []string{"aabaaabaaab", "aaabaaab", "aabaabaaab", "aabaaa"}},
	{"anchored at both ends", `^abc$`, true, []string{"abc", "abc\n", "\nabc", "xabc", "abcx"}},
	{"only the head", `^abc`, true, []string{"abcx", "xabc"}},
	{"only the tail", `abc$`, true, []string{"xabc", "abcx", "abcabc"}},
	{"text anchors", `\Aab\z`, true, []string{"ab", "ab\n", "\nab"}},
	{"anchors in the middle", `a^b|c$d|ef`, true, []string{"ab", "cd", "ef", "a\nb", "c\nd"}},
	{"line anchors", `(?m)^ab$`, false, []string{"ab", "x\nab", "ab\nx", "x\nab\nx", "xab", "abx", "a\nb"}},
	{"line head only", `(?m)^a`, false, []string{"a", "\na", "xa", "x\na"}},
	{"line tail only", `(?m)a$`, false, []string{"a", "a\n", "ax", "ax\na"}},
	{"line and text anchors", `(?m)\Aab$|^cd\z`, false, []string{"ab\n", "x\ncd", "x\nab\n", "cd\nx"}},
	{"empty line", `(?m)^$`, false, []string{"", "a", "a\n", "a\n\nb", "\n"}},
	{"word boundary", `\bfoo\b`, false, []string{"foo", "a foo b", "afoo", "foob", "foo_", "foo-", "é foo é", "éfooé"}},
	{"no word boundary", `\Bfoo\B`, false, []string{"foo", "afoob", "afoo", "foob", "éfooé"}},
	{"boundary alone", `\b`, false, []string{"", " ", "a", "é", "  a"}},
	{"no boundary alone", `\B`, false, []string{"", " ", "a", "ab", "é"}},
	{"boundary at the ends", `^\b.*\b$`, false, []string{"", "a", " a", "a ", "a b"}},
	{"contradiction", `\b\B`, false, []string{"", "a"}},
	{"never matches", `[^\x00-\x{10FFFF}]`, true, []string{"", "a"}},
	{"head after text", `a\Ab`, true, []string{"ab"}},
	{"folded", `(?i)^straße-k$`, true, []string{"STRASSE-K", "straße-k", "STRAẞE-K", "straße-\u212a"}},
	{"folded s", `(?i)^s+$`, true, []string{"sS", "ſ", "sſS", "t"}},
	{"folded class", `(?i)^[a-k]+$`, true, []string{"\u212a", "AbK", "l"}},
	{"dot without newline", `^a.*z$`, true, []string{"az", "a\nz", "a\xffz", "aéz", "a\u2028z"}},
	{"dot with newline", `(?s)^a.*z$`, true, []string{"az", "a\nz", "a\xff\xfez"}},
	{"dot to the end", `(?s)^a.*$`, true, []string{"a", "a\n\xff", "b"}},
	{"counted runes", `^.{2,3}$`, true, []string{"é", "éé", "ééé", "éééé", "\xe9\xe9", "\xf0\x9f\x98", "😀😀"}},
	{"replacement character", `^\x{FFFD}$`, true, []string{"\ufffd", "\xff", "\xff\xff", "\xed\xa0\x80"}},
	{"letters of all scripts", `^[\p{L}\p{N}]+$`, true, []string{"Größe", "数1", "a b", "٣", "\xff"}},
	{"not a letter", `\PL`, true, []string{"é", "é1", "\xff"}},
	{"non-ASCII literal", `é|日本`, true, []string{"e", "é", "日", "日本", "x日本x"}},
	{"last rune", `^[\x{10FFFF}]$`, true, []string{"\U0010ffff", "\U0010fffe"}},
	{"alternation", `^(foo|foobar|baz)$`, true, []string{"foo", "foobar", "foob", "baz"}},
	{"empty alternative", `^(a|)b?$`, true, []string{"", "a", "b", "ab", "ba"}},
	{"empty star", `^(a*)*$`, true, []string{"", "aaa", "ab"}},
	{"lazy", `^a+?b*?$`, true, []string{"aab", "b"}},
	{"quantity", `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`, true,
		[]string{"100Mi", "1.5", ".5Gi", "1e3", "1e+.5", "Mi", "+-1", "1KiB"}},
	{"duration", `^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$`, true,
		[]string{"0", "", "30s", "1h30m", "5m5h", "100ms", "1y2w3d4h5m6s7ms", "1x"}},
	{"subdomain", `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, true,
		[]string{"example.com", "a-b.c-d.example", "-a", "a-", "a..b", "a.-b", "A", strings.Repeat("a", 300)}},
	{"label of bounded length", `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`, true,
		[]string{strings.Repeat("a", 63), strings.Repeat("a", 64), "a-b", "a-"}},
	{"header name", "^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$", true, []string{"X-Forwarded-For", "a b", ""}},
	{"url", `^https?://[^\s/$.?#][^\s]*$`, true, []string{"https://example.com/a?b#c", "http://", "ftp://x", "https://a b"}},
	{"condition type", `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`, true,
		[]string{"Ready", "example.com/Ready", "/Ready", "a/b/c", "Ready_"}},

	{"states double with each step", `(a|b)*a(a|b){20}`, false, []string{strings.Repeat("ab", 20), strings.Repeat("b", 40)}},
	{"counted suffix of anything", `a.{30}$`, false, []string{"a" + strings.Repeat("b", 30), strings.Repeat("a", 40)}},
	{"counts further than the bound", `^a{1000}$`, false, []string{strings.Repeat("a", 1000), strings.Repeat("a", 999)}},
	{"nested counts", `^((a{1,10}){1,10}){1,10}$`, false, []string{strings.Repeat("a", 999), "", "b"}},
	{"nested counts of classes", `(([a-z]{0,5}){0,5}){5}\d{0,50}x$`, true, []string{"abc1x", strings.Repeat("a1", 99)}},
	{"many alternatives, counted", `((a|ab|abc|b|bc|c){1,30}x){1,30}`, false, []string{strings.Repeat("abcx", 40), "abc"}},
	{"thousand groups", strings.Repeat("(", 990) + "a" + strings.Repeat(")", 990), true, []string{"a", "b"}},
	{"nested optional groups", strings.Repeat("(a", 300) + strings.Repeat(")?", 300), true, []string{strings.Repeat("a", 310), "b"}},
	{"anchored optional groups", "^" + strings.Repeat("(a", 300) + strings.Repeat(")?", 300) + "$", true, []string{strings.Repeat("a", 301), strings.Repeat("a", 300)}},
	{"many classes", manyClasses(300), false, []string{"a", "Ā", "ab"}},
	{"long literal", strings.Repeat("ab", 600), false, []string{strings.Repeat("ab", 600), strings.Repeat("ab", 599)}},
	{"huge program", strings.Repeat(`(x{100}|y{99})`, 60), false, []string{strings.Repeat("x", 6000)}},
}

// manyClasses returns an expression that distinguishes n runes.
func manyClasses(n rune) string {
	var b strings.Builder
	for r := rune(0); r < n; r++ {
		if r > 0 {
			b.WriteByte('|')
		}
		b.WriteString(string(rune(0x100 + 2*r)))
		b.WriteString(string(rune('a' + r%26)))
	}
	return b.String()
}

var commonInputs = []string{
	"", " ", "\n", "\r\n", "a", "A", "0", "-", ".", "_", "/", ":", "é", "ß", "K", "\u212a", "ſ", "日本語", "😀",
	"\x00", "\x7f", "\x80", "\xff", "\xc3", "\xe2\x84", "\ufffd", "a\xff", "\xffa",
	"foo", "foo bar", "Foo-Bar", "foo.bar", "foo\nbar", "\nfoo\n", "a b c", "10.0.0.0/8", "2020-01-01T00:00:00Z",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "abababababababababababababababab", "example.com/Name", "100Mi", "1h30m",
}

// A grower makes strings that are likely to match an expression or to miss it
// narrowly. The seed determines the strings.
type grower struct {
	seed uint64
	out  []byte
}

func (g *grower) below(n int) int {
	g.seed = g.seed*6364136223846793005 + 1442695040888963407
	return int(g.seed>>33) % n
}

// grow returns a string grown from the tree. It damages about two of three strings.
func (g *grower) grow(tree *syntax.Regexp) string {
	g.out = g.out[:0]
	g.visit(tree)
	if len(g.out) > 0 {
		at := g.below(len(g.out))
		junk := commonInputs[g.below(len(commonInputs))]
		switch g.below(6) {
		case 0:
			g.out = append(g.out[:at], g.out[at+1:]...)
		case 1:
			g.out[at] = byte(g.below(256))
		case 2:
			g.out = append(g.out, junk...)
		case 3:
			g.out = append([]byte(junk), g.out...)
		}
	}
	return string(g.out)
}

func (g *grower) visit(re *syntax.Regexp) {
	if len(g.out) > 2048 {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		g.out = append(g.out, string(re.Rune)...)
	case syntax.OpCharClass:
		if n := len(re.Rune) / 2; n > 0 {
			i := 2 * g.below(n)
			r := re.Rune[i] + rune(g.below(min(int(re.Rune[i+1]-re.Rune[i])+1, 64)))
			g.out = append(g.out, string(r)...)
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		g.out = append(g.out, commonInputs[g.below(len(commonInputs))]...)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		for range g.times(re) {
			g.visit(re.Sub[0])
		}
	case syntax.OpAlternate:
		g.visit(re.Sub[g.below(len(re.Sub))])
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			g.visit(sub)
		}
	}
}

// times returns how often to repeat the operand of re. The count is mostly one
// that the operator allows.
func (g *grower) times(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpPlus:
		return 1 + g.below(4)
	case syntax.OpQuest:
		return g.below(2)
	case syntax.OpRepeat:
		hi := re.Max
		if hi < 0 {
			hi = re.Min + 3
		}
		if g.below(3) == 0 {
			return hi + g.below(2)
		}
		return re.Min + g.below(hi-re.Min+1)
	}
	return g.below(5)
}
