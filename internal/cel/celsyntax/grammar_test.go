package celsyntax

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// inserted are words that break rules, as authors do.
var inserted = []string{
	"=", "&", "|", "==", "&&", "||", "!", "-", "+", "*", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", "?", ".", ";", "'", "\"", "`", "#", "$", "\\", "é", "\n", "\t",
	" and ", " or ", " not ", " is ", " in ", "in", "true", "null", "1", "1.5", "0x", "'a'", "'a", "\"\"\"", "b'", "r'", "a.", "a.b", "f(", "has(", "has(a", "x.all(y, ", "[a", "{a: ", "for", "=>", "->", "a ? b", "'\\d'", "// c",
}

// ruleTexts are rules of the kind that definitions have.
var ruleTexts = []string{
	"self.minReplicas <= self.maxReplicas", "!has(self.a) || self.a in ['x', 'y', 'z']", "self.ports.all(p, p.number > 0 && p.number < 65536 || has(p.name))",
	"has(self.a) && self.a.size() > 3 ? self.b.matches('^[a-z]+$') : !has(self.c)", "self.x == oldSelf.x && (self.y - 1) * 2 >= -5", "self.m.exists(k, self.m[k] == {'a': 1}[k])",
	"(self.a.b.c == 'd' ? 1 : 0) + (has(self.e) ? 1 : 0) == 1", "self.?a.orValue('') != ''", "self.l[0].name.startsWith(\"a\") && !(self.l[?1].hasValue())", "[1, 2u, 3.5, null].map(x, x)",
	"self.filter(a, a.b).size() == self.map(a, a.c, a.d + 1).size()\n  && true // text\n", "A{b: 1}.b == .c.d", "-self.a > - 1 && !!self.b", "self.`a-b`.c[self.d] != b'x'",
}

// TestBrokenRules breaks rules at random. The parser accepts those that cel-go accepts.
// CRDKIT_BROKEN sets the number of rules.
func TestBrokenRules(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv("CRDKIT_BROKEN"))
	if err != nil {
		count = 2000
	}
	l := languageOf(t, newest)
	rng := rand.New(rand.NewPCG(3, 4))
	wrong := 0
	for i := range count {
		text := ruleTexts[rng.IntN(len(ruleTexts))]
		for range 1 + i%3 {
			text = broken(rng, text)
		}
		if checkChoice(t, l, text); l.parser.Parse(text) == nil {
			wrong++
		}
	}
	if wrong < count/2 {
		t.Errorf("%d of %d texts are wrong, want half of them", wrong, count)
	}
}

// broken changes a text at random.
func broken(rng *rand.Rand, text string) string {
	lex, starts := lexer{text: text}, []int(nil)
	for tok := lex.next(); tok.kind != tokenEnd && tok.kind != tokenUnknown; tok = lex.next() {
		starts = append(starts, tok.at)
	}
	if len(starts) == 0 {
		return text + inserted[rng.IntN(len(inserted))]
	}
	at := rng.IntN(len(starts))
	start, end := starts[at], len(text)
	if at+1 < len(starts) {
		end = starts[at+1]
	}
	word := inserted[rng.IntN(len(inserted))]
	switch rng.IntN(6) {
	case 0:
		return text[:start]
	case 1:
		return text[:start] + text[end:]
	case 2:
		return text[:end] + text[start:]
	case 3:
		return text[:start] + word + text[end:]
	case 4:
		return strings.TrimSuffix(text[:end], " ") + word + text[end:]
	}
	return text[:start] + word + " " + text[start:]
}
