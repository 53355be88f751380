package celsyntax

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/debug"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/schema"
)

// parsable are texts that the parser accepts or nearly accepts.
var parsable = []string{
	"922337in b in c", "1u in a", "1.5in b", "0x1fin c", "1e3in d", "1.in a",
	"", " ", "self", "self.a", "self . a", "self.\ta\n.b", "self.?a.?b", "self.? a", "self[0]", "self[?0]", "self [ ? 0 ]", "self[?'a'].b", "a.b(c)", "a.b(c, d).e[f]", "f()", "f(a,)", ".a", ".f(x)", "a.?b(c)",
	"1", "-1", "- 1", "--1", "- -1", "-a", "- a.b", "--a", "---a", "!a", "!!a", "! ! !a", "!-1", "!-a", "-!a", "-1.a", "-(1)", "-1u", "1-1", "1 - 1", "1 -1", "1--1", "a-1", "-1-1", "a - -1", "-a[0]",
	"0x1F", "-0x1f", "0x", "0X1", "0x1u", "1u", "1U", "1uu", "1.5", "1.", "1.a", "1.5.a", ".5", "a.5", "1.e5", "1e5", "1e", "1e+5", "1e-", "1e-5", "1.5E-3", "1E5u", "1.5e5", "1.2.3", "12a", "00", "007", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615u", "18446744073709551616u", "1e999", "-1e999", "0.1e-400",
	"''", `""`, "'a'", `"a"`, "'a\"b'", `'a\'b'`, `'\\'`, `'\'`, `'\`, `'a\`, "'''a'''", `"""a"""`, "''''", "'' ''", "'a''b'", "'a\nb'", "'a\\\nb'", `r'\'`, `R"\d"`, `r'''a'''`, `r''`, `r ''`, `b'a'`, `br'a'`, `rb'a'`, `a'b'`, `'\a\b\f\n\r\t\v\"\?\` + "`'", `'\x41'`, `'\u00e9'`, `'\101'`, `'\q'`, `'\x4@'`, `'\x4G'`, `'\x4/'`, `'\x4:'`, `'\x4g'`, "'é'", "'\xff'", "'\x00'", "'\u2028'",
	`""""""`, `"""a"b"" c"""`, "'''a\n'b'\n'''", `"""a\"""b"""`, `"""a\"""`, `"""a\\"""`, `r"""a\"""`, `r"""\d"+\."""`, "R'''a\nb\\'''", `"""a""""`, `""""a"""`, `"""a`, `"""a""`, "'''a\rb'''", "'''a\r\nb'''", "'''a\\\nb'''", "'a\rb'", `"""\x41"""`, `b"""a"""`, `"""a""" + '''b'''`, `"" ""`, `"""" "`,
	"true", "false", "null", "a.true", "a.in", "true.a", "in", "a in b", "a in b in c", "a inb", "as", "a.as", "for(x)", "a.for(x)", "namespace", "package.a", "_", "_a1", "__a__", "é", "a.é",
	"a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "a = b", "a & b", "a | b", "a == b == c", "a < b == c < d", "a + b * c - d / e % f", "(a + b) * c", "a ? b : c", "a ? b : c ? d : e", "a ? b ? c : d : e", "a ? (b ? c : d) : e", "a ?.5:b", "a ? .5 : b", "a ? b", "a : b",
	"a || b", "a || b || c", "a || b || c || d || e", "a && b && c && d && e && f && g", "a || b && c || d && e", "(a || b) && c", "a ||", "|| a", "a &&& b",
	"[]", "[1]", "[1,]", "[,]", "[1,,]", "[1, 2, 'c']", "[?a]", "[[1], []]", "{}", "{'a': 1}", "A{}", "a.B{c: 1}", "a{", "{'a': 1}.a", "(a)", "((a))", "()", "(a", "a)", "[a", "a]", "a[", "a[]", "a.", "a..b", "a b", "a, b", "`a`", "a.`b`", "a.`b-c`.d",
	"has(a)", "has(a.b)", "has(a.?b)", "has(a[0])", "has(a.b, c)", "a.has(b)", "has(a.b.c) && has(d.e)", "has(has(a.b).c)", "!has(a.b)", "has(a.b) == has(a.c)",
	"a.all(x, x)", "a.all(x, y, x)", "a.all(1, x)", "a.all(x.y, x)", "a.all(__result__, true)", "a.all(@result, true)", "a.exists(x, x > 1)", "a.exists_one(x, x)", "a.existsOne(x, x)", "a.map(x, x + 1)", "a.map(x, x > 1, x + 1)", "a.filter(x, x.all(y, y))", "a.all(k, v, v == k)", "a.exists(i, v, i < v)", "a.existsOne(i, v, i < v)", "a.transformList(i, v, v)", "a.transformList(i, v, v > 1, v)", "a.transformMap(k, v, v)", "a.transformMap(k, v, v > 1, v)", "a.transformMapEntry(k, v, {v: k})", "a.filter(x, has(x.y)).map(x, x.y).all(x, x)", "all(x, x)", "a.all()", "a.all(x)",
	"a.?b.optMap(x, x + 1)", "a.?b.optFlatMap(x, x.?c)", "a.?b.orValue(1)", "a.optMap(x, x.all(y, has(y.z) ? y.z : [y][0]))", "a.optMap(x.y, x)", "optional.of(1)", "cel.bind(x, 1, x)", "sets.contains([1], [2])", "a.sortBy(x, x.y)", "a.f(x).sortBy(x, [x])", "a.b.sortBy(x, has(x.a) ? -x.b : !x.c ? 1 : x.all(y, y) ? x[0] : x.?d)", "lists.range(3)",
	"Z", "aZb", "az", "A9", "z[Z]", "[" + strings.Repeat("a.b.c[0].d, ", 80) + "a]",
	"a // comment", "a // comment\n == b", "// comment\na", "a /* b */", "a / / b", "a\f==\rb", "a\v", "a\u00a0", "a;", "a#", "a$b", "a@b", "\ufeffa",
}

// declined are texts of the tests that cel-go parses and the parser declines.
var declined = []string{"'\xff'"}

// The minor versions of Kubernetes whose languages are parsed.
const oldest, newest = 28, 37

// A language holds both parsers of a version.
type language struct {
	env    *cel.Env
	parser Parser
}

func languageOf(t testing.TB, minor int) *language {
	t.Helper()
	env, err := cel.NewEnv(cel.Lib(cellib.Language(minor)))
	if err != nil {
		t.Fatal(err)
	}
	return &language{env: env, parser: New(env.Macros())}
}

// checkParse compares the parser with the parser of cel-go. It reports whether the parser accepts
// the text.
func checkParse(t *testing.T, l *language, text string) bool {
	t.Helper()
	tree := l.parser.Parse(text)
	if tree == nil {
		return false
	}
	want, issues := l.env.Parse(text)
	if issues.Err() != nil {
		t.Errorf("%q is accepted, but %v", text, issues.Err())
		return true
	}
	if got, want := printed(tree.Expr()), printed(want.NativeRep().Expr()); got != want {
		t.Errorf("%q is parsed as\n%s\nwant\n%s", text, got, want)
	}
	if n := len(want.NativeRep().SourceInfo().MacroCalls()); n > 0 {
		t.Errorf("%q: cel-go remembers %d macros", text, n)
	}
	return true
}

// printed returns a tree as text, with the types of literals.
func printed(e ast.Expr) string {
	var b strings.Builder
	b.WriteString(debug.ToDebugString(e))
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.LiteralKind {
			b.WriteString("\n" + e.AsLiteral().Type().TypeName())
		}
	}))
	return b.String()
}

func TestParse(t *testing.T) {
	var texts []string
	for _, file := range []string{"doubtful", "forms"} {
		data, err := os.ReadFile("testdata/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Split(strings.TrimSpace(string(data)), "\n")...)
	}
	for minor := oldest; minor <= newest; minor++ {
		l := languageOf(t, minor)
		for _, text := range parsable {
			checkChoice(t, l, text)
		}
		for _, text := range texts {
			checkChoice(t, l, text)
		}
	}
}

// rare matches texts that may have a construct which the parser leaves to cel-go.
var rare = regexp.MustCompile("[{`]|[bB][rR]?['\"]|\\[\\s*[?,]|,\\s*\\?|(^|[\\s(\\[!,&|?:=+*/%<>-])\\.\\s*[A-Za-z_]")

// checkChoice calls checkParse. It checks that the parser accepts all texts that cel-go parses,
// except declined and rare ones.
func checkChoice(t *testing.T, l *language, text string) {
	t.Helper()
	read := checkParse(t, l, text)
	_, issues := l.env.Parse(text)
	if issues.Err() == nil && !read && !slices.Contains(declined, text) && !rare.MatchString(text) {
		t.Errorf("%q is not accepted", text)
	}
}

// TestParseDeep checks how deep each kind of expression may be before the
// parser declines it. The parser never accepts what is too deep for cel-go.
func TestParseDeep(t *testing.T) {
	const unlimited = 300
	l := languageOf(t, newest)
	for _, tt := range []struct {
		name, left, right string
		most              int // the largest depth that the parser accepts; unlimited is the largest depth tried
	}{
		{"brackets", "(", ")", 65}, {"lists", "[", "]", 65}, {"calls", "f(", ")", 65}, {"indices", "a[", "]", 49}, {"loops", "a.all(x, ", ")", 49},
		{"fields", "", ".b", 197}, {"members", "", ".f()", 197}, {"elements", "", "[0]", 194}, {"sums", "", " + 1", 197}, {"products", "", " * 1", 197},
		{"relations", "", " == 1", 197}, {"conditions", "b ? c : ", "", 65}, {"inner conditions", "(b ? ", " : c)", 64}, {"not", "!", "", unlimited}, {"signs", "-", "", unlimited},
		{"not deep", "!(", ")", 65}, {"signs deep", "-(", ")", 65}, {"or", "", " || b", unlimited}, {"and deep", "(b && ", ")", 65}, {"mixed", "f(a.b + [", "][0].c) * 2", 28},
	} {
		for _, n := range []int{1, 10, 30, 60, 100, 160, 200, 240, 249, 250, 251, 260, unlimited, tt.most, min(tt.most+1, unlimited)} {
			text := strings.Repeat(tt.left, n) + "a" + strings.Repeat(tt.right, n)
			for _, text := range []string{text, text + " "} {
				if got, want := checkParse(t, l, text), n <= tt.most; got != want {
					t.Errorf("%s: depth %d is accepted %v, want %v", tt.name, n, got, want)
				}
			}
		}
	}
}

// TestLongTexts pins the length of the longest text that the parser reads.
func TestLongTexts(t *testing.T) {
	l := languageOf(t, newest)
	for _, tt := range []struct {
		length int
		read   bool
	}{{maxParsed - 1, true}, {maxParsed, true}, {maxParsed + 1, false}} {
		text := "a" + strings.Repeat(" ", tt.length-1)
		if got := checkParse(t, l, text); got != tt.read {
			t.Errorf("a text of %d bytes is read: %v, want %v", tt.length, got, tt.read)
		}
	}
}

// TestCorpus checks the share of the expressions of the corpus that the parser
// accepts, and compares each with the parser of cel-go.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("parses all rules of the corpus; skipped with -short")
	}
	l, read, all := languageOf(t, newest), 0, make(map[string]bool)
	var visit func(n *schema.Node)
	visit = func(n *schema.Node) {
		if n == nil || !n.Facts().Has(schema.HasRules) {
			return
		}
		for _, r := range n.Rules() {
			for _, text := range []string{r.Rule, r.MessageExpression} {
				if text != "" && !all[text] {
					all[text] = true
					if checkParse(t, l, text) {
						read++
					}
				}
			}
		}
		visit(n.Items())
		values, _ := n.AdditionalProperties()
		visit(values)
		for _, child := range n.Properties() {
			visit(child)
		}
	}
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema == nil {
				continue
			}
			if n, errs := schema.Compile(v.Schema.OpenAPIV3Schema); len(errs) == 0 {
				visit(n)
			}
		}
	}
	t.Logf("%d of %d texts are accepted", read, len(all))
	if share := 100 * float64(read) / float64(len(all)); testkit.DefaultCorpus() && share < 97 {
		t.Errorf("%.1f%% of the texts are accepted, want 97%%", share)
	}
}

// FuzzParse compares the parser with the parser of cel-go.
func FuzzParse(f *testing.F) {
	l := languageOf(f, newest)
	for _, text := range parsable {
		f.Add(text)
	}
	fuzz.Run(f, func(t *testing.T, text string) {
		if len(text) <= 1000 {
			checkParse(t, l, text)
		}
	})
}
