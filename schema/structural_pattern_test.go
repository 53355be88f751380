package schema

import (
	"regexp/syntax"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testkit/fuzz"
)

type patternTest struct {
	pattern string
	simple  bool
}

var patternTests = []patternTest{
	{"", true},
	{`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, true},
	{`^(?:\d{1,3}\.){3}\d{1,3}$`, false}, // a count of a group with a count
	{`^\d{1,3}(\.\d)+?$`, true},
	{`^(a|b|)$`, true},
	{`[a-]`, true},
	{`[-a]`, true},
	{`[^\]\s-]{2,}`, true},
	{`a{0,1000}`, true},
	{`a{3,}`, true},
	{`a{1001}`, false},
	{`a{0,1001}`, false},
	{`a{0,10000}`, false},
	{`a{0,01}`, false},
	{`a{2,1}`, false},
	{`a{02}`, false},
	{`a{,2}`, false},
	{`a**`, false},
	{`*a`, false},
	{`(`, false},
	{`)`, false},
	{`(?i)a`, false},
	{`(?=a)`, false},
	{`[`, false},
	{`[]`, false},
	{`[z-a]`, false},
	{`[a-\d]`, false},
	{`[[:alpha:]]`, true},
	{`[^a[:punct:]\s[:word:]-z]+`, true}, // a class is no start of a range
	{`[[:alnum:][:ascii:][:blank:][:cntrl:][:digit:][:graph:][:lower:][:print:][:space:][:upper:][:xdigit:]]`, true},
	{`[[:alphas:]]`, false},
	{`[[:^alpha:]]`, false},
	{`[[:alpha]]`, false},
	{`[[:alpha:]`, false},
	{`[[alpha:]]`, false},
	{`[:alpha:]`, true},
	{`\a\f\n\r\t\v\x41\x7f\x7F*`, true},
	{`[\a\f\n\r\t\v\x41-\x5a]`, true},
	{`[\n-\t]`, false},
	{`[\x5a-\x41]`, false},
	{`\x`, false},
	{`\x4`, false},
	{`\x4g`, false},
	{`\x+4`, false},
	{`\x80`, false},
	{`\x{41}`, false},
	{`[\x4`, false},
	{`[\y]`, false},
	{`\p{L}`, false},
	{`\`, false},
	{`\1`, false},
	{"\x00", false},
	{`ä`, false},
	{` a~!`, true},
	{"\x1f", false},
	{"\x7f", false},
	{`a}`, false},
	{`a]`, false},
	{`a{9}b{10}c{90,99}`, true},
	{`a{0}`, true},
	{`a{1/}`, false},
	{`a{1:}`, false},
	{`a{1`, false},
	{`a{1,`, false},
	{`\ \/\:\@\[\` + "`" + `\{\~`, true},
	{`\0`, false},
	{`\9`, false},
	{`\y`, false},
	{`\z`, false},
	{`\A`, false},
	{`\Z`, false},
	{`\d\D\s\S\w\W\b\B`, true},
	{`\b*`, false},
	{`[\d\D\s\S\w\W]`, true},
	{`[\d]`, true},
	{`[\ \/\:\@\[\` + "`" + `\{\~]`, true},
	{`[\0]`, false},
	{`[a-a ~]`, true},
	{`[b-a]`, false},
	{`[[]`, false},
	{"[\x1f]", false},
	{`[a\`, false},
	{`[a-`, false},
	{`[a`, false},
	{`(a{2}){2}`, false},
	{`(a{2}b)`, true},
	{`(a)(b){2}`, true},
	{`a)(b`, false},
	{`(a|*)`, false},
	{`^*`, false},
	{`$+`, false},
	{`a??`, true},
	{`a???`, false},
}

func TestSimplePattern(t *testing.T) {
	for _, test := range patternTests {
		if got := isSimplePattern(test.pattern); got != test.simple {
			t.Errorf("isSimplePattern(%q) = %v, want %v", test.pattern, got, test.simple)
		}
		checkSimplePattern(t, test.pattern)
	}
}

// The parser must accept every simple pattern.
func checkSimplePattern(t *testing.T, pattern string) {
	t.Helper()
	if _, err := syntax.Parse(pattern, syntax.Perl); isSimplePattern(pattern) && err != nil {
		t.Errorf("isSimplePattern(%q), but %v", pattern, err)
	}
}

// The limits of the parser, see maxUncounted.
const (
	mostInstructions, instructionsOfByte = 3_355_443, 2
	mostRunes, runesOfByte               = 33_554_432, 5
)

// TestLongPattern: the longest simple patterns do not exceed the limits of the parser on
// instructions, runes and depth.
func TestLongPattern(t *testing.T) {
	if maxUncounted*instructionsOfByte > mostInstructions || maxUncounted*runesOfByte > mostRunes {
		t.Error("maxUncounted is too large")
	}
	const length = maxUncounted / 16 // longer ones take seconds
	for name, pattern := range map[string]string{
		"instructions": strings.Repeat("()", length/2),
		"runes":        strings.Repeat(`\W`, length/2),
		"depth":        strings.Repeat("(|a", maxGroups) + strings.Repeat(")*", maxGroups) + strings.Repeat("a", maxSimplePattern),
	} {
		if !isSimplePattern(pattern) {
			t.Errorf("%s: %.20s is not simple", name, pattern)
		}
		checkSimplePattern(t, pattern)
	}
	for name, pattern := range map[string]string{
		"length": strings.Repeat("a", maxUncounted+1),
		"groups": strings.Repeat("(", maxGroups+1) + strings.Repeat("a", maxSimplePattern) + strings.Repeat(")", maxGroups+1),
		"counts": strings.Repeat("a", maxSimplePattern) + "{2}",
	} {
		if isSimplePattern(pattern) {
			t.Errorf("%s: %.20s is simple", name, pattern)
		}
	}
}

// TestSizeOfSimplePattern: a byte of a pattern without counts makes no more instructions and
// runes than maxUncounted allows for.
func TestSizeOfSimplePattern(t *testing.T) {
	const repeated = 50
	for _, test := range append(patternTests, patternTest{"()", true}, patternTest{`\W`, true}, patternTest{`[^a\W]`, true}, patternTest{"a|", true}, patternTest{"(a*)*", true}) {
		if !test.simple || strings.Contains(test.pattern, "{") || len(test.pattern) > maxSimplePattern {
			continue
		}
		pattern := strings.Repeat(test.pattern, repeated)
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(parsed)
		if err != nil {
			t.Fatal(err)
		}
		runes := 0
		for _, inst := range program.Inst {
			runes += len(inst.Rune)
		}
		if got, most := len(program.Inst), 3+instructionsOfByte*len(pattern); got > most {
			t.Errorf("%.20s: %d instructions, want at most %d", test.pattern, got, most)
		}
		if most := runesOfByte * len(pattern); runes > most {
			t.Errorf("%.20s: %d runes, want at most %d", test.pattern, runes, most)
		}
	}
}

func FuzzSimplePattern(f *testing.F) {
	for _, test := range patternTests {
		f.Add(test.pattern)
	}
	fuzz.Run(f, checkSimplePattern)
}

func TestSimplePatternCorpus(t *testing.T) {
	all, simple := map[string]bool{}, 0
	var visit func(s *apiextensionsv1.JSONSchemaProps)
	visit = func(s *apiextensionsv1.JSONSchemaProps) {
		if s == nil {
			return
		}
		all[s.Pattern] = true
		for _, p := range s.Properties {
			visit(&p)
		}
		if s.Items != nil {
			visit(s.Items.Schema)
		}
		if s.AdditionalProperties != nil {
			visit(s.AdditionalProperties.Schema)
		}
	}
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema != nil {
				visit(v.Schema.OpenAPIV3Schema)
			}
		}
	}
	for pattern := range all {
		checkSimplePattern(t, pattern)
		if isSimplePattern(pattern) {
			simple++
		}
	}
	t.Logf("%d of %d patterns are simple", simple, len(all))
	if 4*simple < 3*len(all) {
		t.Errorf("%d of %d patterns are simple, want three of four", simple, len(all))
	}
}
