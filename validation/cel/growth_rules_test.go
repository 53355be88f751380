package cel

import (
	"context"
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestRuleGrowth: what an operation allocates grows at most a little faster than its
// input. Each row measures the bytes that are allocated for an input of a size,
// and for one of eight times the size.
func TestRuleGrowth(t *testing.T) {
	const size = 200
	for name, measure := range map[string]func(n int) uint64{
		"string in sums":        evaluated("(self.s + 'a' + self.b).size() > 0"),
		"string split":          evaluated("self.s.split('').size() > 0"),
		"string replaced":       evaluated("self.s.replace('a', 'bc').size() > 0"),
		"string formatted":      evaluated("'%s %s'.format([self.s, self.b]).size() > 0"),
		"list filtered":         evaluated("self.list.filter(x, x != 'a').size() >= 0"),
		"list mapped":           evaluated("self.list.map(x, x + 'a').size() >= 0"),
		"list joined":           evaluated("self.list.join(',').size() > 0"),
		"list added":            evaluated("(self.list + self.list).size() > 0"),
		"map in a loop":         evaluated("self.map.all(k, k != '')"),
		"map transformed":       evaluated("self.map.transformMap(k, v, v + 'a').size() > 0"),
		"failed rules":          failedValues,
		"rules":                 compiledRules(func(i int) string { return fmt.Sprintf("self.s != '%d'", i) }),
		"rules with errors":     compiledRules(func(i int) string { return fmt.Sprintf("self.none%d", i) }),
		"rules without syntax":  compiledRules(func(i int) string { return fmt.Sprintf("self.s == '%d' &&", i) }),
		"operators in a row":    compiledText(func(n int) string { return terms("self.s == 'a'", " || ", n) }),
		"sums in a row":         compiledText(func(n int) string { return terms("self.s", " + ", n/20) + " != ''" }),
		"elements of a literal": compiledText(func(n int) string { return "self.s in [" + terms("'a'", ", ", n) + "]" }),
		"macros in a row":       compiledText(func(n int) string { return chain("self.list", ".map(x, x)", n/20) + ".size() >= 0" }),
		"rows of brackets":      compiledText(func(n int) string { return terms("(((self.s == 'a')))", " || ", n/2) }),
		"rows of ternaries":     compiledText(func(n int) string { return terms("(self.s == 'a' ? true : false)", " || ", n/2) }),
		"rows of loops":         compiledText(func(n int) string { return terms("self.list.all(x, x != '')", " && ", n/2) }),
		"entries of a literal":  compiledText(func(n int) string { return "{" + terms("'a': 'b'", ", ", n) + "}.size() > 0" }),
		"brackets in brackets":  compiledText(func(n int) string { return strings.Repeat("(", n) + "true" + strings.Repeat(")", n) }),
		"loops in loops":        compiledText(func(n int) string { return strings.Repeat("self.list.all(x, ", n) + "true" + strings.Repeat(")", n) }),
		"copies of copies":      compiledText(func(n int) string { return chain("optional.of(1)", ".optMap(x, x)", n/10) + ".hasValue()" }),
		"maps of maps":          compiledText(func(n int) string { return chain("[self.s]", ".map(x, {x: x})", n/10) + ".size() > 0" }),
		"broken texts":          compiledText(func(n int) string { return strings.Repeat("1 2 ", n) }),
		"a long literal":        compiledText(func(n int) string { return "self.s != '" + strings.Repeat("a", n) + "'" }),
	} {
		t.Run(name, func(t *testing.T) {
			measure(size) // builds what all programs share
			small, large := leastOf(measure, size), leastOf(measure, 8*size)
			if large > 12*max(small, 4096) {
				t.Errorf("%d bytes for %d, %d for %d", small, size, large, 8*size)
			}
		})
	}
}

// leastOf returns the least of three measures of a size. The runtime allocates
// too, and a pool may have lost its memory.
func leastOf(measure func(n int) uint64, n int) uint64 {
	return min(measure(n), measure(n), measure(n))
}

// evaluated returns the measure of a rule on objects of a size.
func evaluated(rule string) func(n int) uint64 {
	return func(n int) uint64 {
		var t testing.T
		p, obj := hostilePrograms(&t, rule)["closures"], hostileObject(10*n)
		res, bytes := measured(func() Result { return p.Eval(context.Background(), obj) })
		if len(res.Errors) > 0 {
			panic(res.Errors[0])
		}
		return bytes
	}
}

// failedValues measures a run with n errors.
func failedValues(n int) uint64 {
	var t testing.T
	p, _ := Compile(nodeOf(&t, "{type: object, properties: {list: {type: array, items: {type: string, x-kubernetes-validations: [{rule: self == ''}]}}}}"))
	obj := hostileObject(10 * n)
	_, bytes := measured(func() Result { return p.Eval(context.Background(), obj) })
	return bytes
}

// compiledRules returns the measure of a schema with n rules.
func compiledRules(rule func(i int) string) func(n int) uint64 {
	return func(n int) uint64 {
		var t testing.T
		var rules apiextensionsv1.ValidationRules
		for i := range n / 4 {
			rules = append(rules, apiextensionsv1.ValidationRule{Rule: rule(i)})
		}
		node := nodeOf(&t, hostileSchema, rules...)
		_, bytes := measured(func() *Program { p, _ := Compile(node); return p })
		return bytes
	}
}

// compiledText returns the measure of a rule that grows.
func compiledText(text func(n int) string) func(n int) uint64 {
	return func(n int) uint64 {
		var t testing.T
		node := hostileNode(&t, text(n))
		_, bytes := measured(func() *Program { p, _ := Compile(node); return p })
		return bytes
	}
}
