package celrules

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// scraps are texts that mutate inserts into a rule.
var scraps = []string{
	"self", "oldSelf", "size", " == ", " != ", " && ", " || ", " < ", " > ", " + ", " - ", " * ", " / ", " % ", "1", "0", "-1", "1u", "'a'", "''", "b'a'", "1.5", "true", "null", "[", "]", "(", ")", ".", "?", ":", "!", "-", " in ",
	"has", "has(self)", "duration('1h')", "duration('x')", "timestamp('z')", "'['", ".matches('[')", ".matches('a+')", ".find('[')", "[1,'a']", "[1, 2]", "{'a':1,'b':'c'}", "{}", "[]", "{1: 2}", "optional.of(self)", "optional.none()", "quantity('1')",
	"ip('x')", "ip('::1')", "cidr('10.0.0.0/8')", "type", "type(self)", "string", "int", "uint", "double", "bytes", "list", "map", "duration", "timestamp", "authorizer", "format.dns1123Label()", "semver('1.0.0')", "url('x')", "dyn(self)", "dyn(1)",
	"self.metadata", "self.metadata.name", "self.kind", ".all(x, x", ".all(x, true)", ".exists(x, x == 1)", ".map(x, x", ".map(x, x)", ".filter(x, true)", ".orValue(", ".?a", "[?0]", ".hasValue()", ".value()", "'%s'.format([1,'a'])", "'%s'.format([self])",
	"namespace", "in", "x", "y", ".size()", ".sum()", ".max()", ".isSorted()", ".join()", ".split('a')", ".contains('a')", ".startsWith(", "sets.contains(self, self)", ".sort()", ".flatten()", ".transformList(i, v, v)", ".exists(i, v, true)",
	"// comment\n", "\n", "é", "\x00", "\"", "'", "`a-b`", "9223372036854775808", "0x1F", "1e400", "\\", "@", "$", "__a__",
}

// mutate returns a changed rule, which may not compile.
func mutate(rng *rand.Rand, rule string) string {
	if rule == "" {
		return scraps[rng.IntN(len(scraps))]
	}
	tokens := strings.FieldsFunc(rule, func(c rune) bool { return strings.ContainsRune(" ().,&|!=<>[]", c) })
	i := rng.IntN(len(rule))
	switch scrap := scraps[rng.IntN(len(scraps))]; {
	case rng.IntN(4) == 0:
		return rule[:i] + rule[min(len(rule), i+1+rng.IntN(6)):]
	case rng.IntN(3) == 0:
		return rule[:i] + scrap + rule[i:]
	case len(tokens) == 0:
		return rule + scrap
	case rng.IntN(2) == 0:
		return strings.Replace(rule, tokens[rng.IntN(len(tokens))], scrap, 1)
	default:
		return strings.Replace(rule, tokens[rng.IntN(len(tokens))], tokens[rng.IntN(len(tokens))], 1)
	}
}

// TestMutants breaks the rules of all tables and of the corpus at random. All sides must
// have the same compile errors, and the same results for the rules that compile.
func TestMutants(t *testing.T) {
	// The server compiles only rules that it can run when it validates objects.
	// So it reports no error of this rule, unlike its check of definitions and
	// crdkit.
	list := slices.DeleteFunc(synthetics(t), func(s *synthetic) bool { return s.slow || s.name == "unreached_quirk.txtar" })
	for _, v := range corpusVersions(t) {
		list = append(list, v.mutable()...)
	}
	rounds, nth := 1, 3
	if testing.Short() {
		nth = 30
	}
	if *full {
		rounds, nth = 8, 1
	}
	c := newTally(t, "mutants", "three sides")
	var tried atomic.Int64
	parallel(len(list), func(i int) {
		s := list[i]
		rng := source("mutants", s.name)
		for round := range rounds {
			if (i+round)%nth != 0 {
				continue
			}
			props := s.props.DeepCopy()
			mutateAll(rng, props)
			tried.Add(int64(len(ruleLocations(props, nil))))
			n, in := bothSchemas(t, s.name, props)
			compareCompiling(t, s.name+" mutated", props, n, in)
			sub := subjectOf(t, s.name+" mutated", n, in, fuzzPerCall)
			if sub == nil {
				continue
			}
			for _, in := range s.inputs {
				c.rules.Add(1)
				c.three(sub, &input{obj: in.obj, old: in.old, budget: fuzzBudget}, "of a mutant", evaluations(sub.node, in.obj, oldOf(in)))
			}
		}
	})
	c.rules.Store(tried.Load())
	c.report()
}

// mutable returns the schema and samples of a version for TestMutants.
func (v *version) mutable() []*synthetic {
	s := &synthetic{name: v.name(), props: v.props}
	for _, o := range v.samples[:min(2, len(v.samples))] {
		s.inputs = append(s.inputs, &input{obj: o}, &input{obj: o, old: harm(source(v.name(), "old"), o)})
	}
	return []*synthetic{s}
}

// mutateAll changes most of the rules of a schema and of the schemas below it.
func mutateAll(rng *rand.Rand, props *apiextensionsv1.JSONSchemaProps) {
	for i := range props.XValidations {
		r := &props.XValidations[i]
		for range rng.IntN(3) {
			r.Rule = mutate(rng, r.Rule)
		}
		if rng.IntN(4) == 0 {
			r.MessageExpression = mutate(rng, "'x' + string(self)")
		}
		if rng.IntN(8) == 0 {
			optional := rng.IntN(2) == 0
			r.OptionalOldSelf = &optional
		}
	}
	if props.Items != nil && props.Items.Schema != nil {
		mutateAll(rng, props.Items.Schema)
	}
	for _, name := range slices.Sorted(maps.Keys(props.Properties)) {
		p := props.Properties[name]
		mutateAll(rng, &p)
		props.Properties[name] = p
	}
	if a := props.AdditionalProperties; a != nil && a.Schema != nil {
		mutateAll(rng, a.Schema)
	}
}
