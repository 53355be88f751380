package cel

import (
	"strings"
	"testing"
)

const (
	copiesText   = "() would copy an expression that is too large"
	inferredText = "lists, maps and loops, and at most 1000 may have types that cel-go infers"
	mapTypesText = "the type of a map in it is made of more than 100 types"
	depthText    = "expression recursion limit exceeded: 250"
	nestingText  = "max recursion depth exceeded"
	lengthText   = "expression code point size exceeds limit"
)

// hostileTexts are rules that are hard to compile. want is a part of the error, ""
// for rules that compile.
var hostileTexts = []struct{ name, rule, want string }{
	{"4 copies of copies", chain("optional.of(1)", ".optMap(x, x)", 4) + ".hasValue()", ""},
	{"8 copies of copies", chain("optional.of(1)", ".optMap(x, x)", 8) + ".hasValue()", "optMap" + copiesText},
	{"100 copies of copies", chain("optional.of(1)", ".optMap(x, x)", 100) + ".hasValue()", "optMap" + copiesText},
	{"100 flat copies of copies", chain("optional.of(1)", ".optFlatMap(x, optional.of(x))", 100) + ".hasValue()", "optFlatMap" + copiesText},
	{"a copy after many nodes", terms("true", " && ", 3000) + " && optional.of(1).optMap(x, x).hasValue()", "optMap" + copiesText},
	{"many copies", terms(chain("optional.of(1)", ".optMap(x, x)", 4)+".hasValue()", "&&", 1000), "optMap" + copiesText},
	{"40 optionals in optionals", strings.Repeat("optional.of(1).optMap(x, ", 40) + "x" + strings.Repeat(")", 40) + ".hasValue()", ""},
	{"6 maps of maps", chain("[self.s]", ".map(x, {x: x})", 6) + ".size() > 0", ""},
	{"40 maps of maps", chain("[self.s]", ".map(x, {x: x})", 40) + ".size() > 0", mapTypesText},
	{"maps of maps of dyn", chain("[dyn(self.s)]", ".map(x, {x: x})", 40) + ".size() > 0", mapTypesText},
	{"maps of maps by optMap", chain("optional.of(self.s)", ".optMap(x, {{x: x}: {x: x}})", 4) + ".hasValue()", mapTypesText},
	{"maps of maps by entries", chain("{'a': 1}", ".transformMapEntry(k, v, {{k: v}: {k: v}})", 40) + ".size() > 0", mapTypesText},
	{"80 nested map literals", strings.Repeat("{1: ", 80) + "1" + strings.Repeat("}", 80) + ".size() > 0", ""},
	{"3,000 inferred calls", terms("[1] + [] == [1]", " && ", 3000), inferredText},
	{"2,000 loops and an error", terms("self.list.map(x, x).size() > 0", " && ", 2000) + " && self.none", inferredText},
	{"2,000 loops", terms("self.list.map(x, x).size() > 0", " && ", 2000), ""},
	{"10,000 brackets", strings.Repeat("(", 10_000) + "true" + strings.Repeat(")", 10_000), depthText},
	{"90,000 open brackets", strings.Repeat("(", 90_000), depthText},
	{"10,000 ternaries", strings.Repeat("true ? true : ", 5000) + "true", depthText},
	{"5,000 nested loops", strings.Repeat("self.list.all(x, ", 5000) + "true" + strings.Repeat(")", 5000), depthText},
	{"5,000 loops in a row", chain("self.list", ".map(x, x)", 5000) + ".size() > 0", nestingText},
	{"10,000 operators", terms("true", " && ", 10_000), ""},
	{"80,000 negations", strings.Repeat("!", 80_000) + "true", ""},
	{"80,000 signs", strings.Repeat("-", 80_000) + "1 == 1", ""},
	{"20,000 elements", "self.s in [" + terms("'a'", ",", 20_000) + "]", ""},
	{"100,000 elements", "self.s in [" + terms("'a'", ",", 100_000) + "]", lengthText},
	{"5,000 entries", "{" + terms("1: 1", ",", 5000) + "}.size() > 0", ""},
	{"1 MB", "self.s == '" + strings.Repeat("a", 1_000_000) + "'", lengthText},
	{"90 KB", "self.s == '" + strings.Repeat("a", 90_000) + "'", ""},
	{"100 errors", terms("none", " + ", 100), "undeclared reference to 'none'"},
	{"100 errors at the end of a line", strings.Repeat(" ", 15_000) + terms("none", " && ", 200), "100 more errors were truncated"},
	{"25,000 bad tokens", strings.Repeat("# ", 25_000), "token recognition error"},
	{"25,000 missing operators", strings.Repeat("1 2 ", 25_000), "error recovery token lookahead limit exceeded: 256"},
}

// TestHostileTexts: no text takes long or much memory to compile and to check.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	const most = 128 << 20
	for _, tt := range hostileTexts {
		t.Run(tt.name, func(t *testing.T) {
			n := hostileNode(t, tt.rule)
			var got string
			_, bytes := measured(func() *Program {
				p, errs := Compile(n)
				if len(errs) > 0 {
					got = errs[0].Detail
				}
				return p
			})
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got %.300q, want %q", got, tt.want)
			}
			if bytes > most {
				t.Errorf("Compile allocates %d bytes", bytes)
			}
			if _, bytes := measured(func() int { return len(Check(n)) }); bytes > most {
				t.Errorf("Check allocates %d bytes", bytes)
			}
		})
	}
}
