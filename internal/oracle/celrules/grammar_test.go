package celrules

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

var grammarRules = flag.Int64("rules", 200_000, "that TestGrammar makes with -full")

// shareGrammarRules is the number of rules that TestGrammar makes otherwise.
const shareGrammarRules = 300

// grammarSchema declares the fields that generated rules read.
const grammarSchema = `{type: object, properties: {
  b: {type: boolean}, i: {type: integer}, j: {type: integer}, n: {type: number}, s: {type: string}, u: {type: string},
  l: {type: array, items: {type: string}}, k: {type: array, items: {type: integer}}, set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
  m: {type: object, additionalProperties: {type: integer}}, t: {type: object, additionalProperties: {type: string}},
  o: {type: object, properties: {v: {type: integer}, w: {type: string}}},
  q: {type: array, items: {type: object, properties: {v: {type: integer}, w: {type: string}}}},
  x: {x-kubernetes-int-or-string: true}, d: {type: string, format: duration}, at: {type: string, format: date-time}}}`

// grammarObjects are the objects that generated rules run on.
var grammarObjects = []string{
	`{}`,
	`{"b":true,"i":1,"j":0,"n":1.5,"s":"abc","u":"a","l":["a","b","abc"],"k":[1,2,0],"set":["a","b"],"m":{"a":1,"b":2},"t":{"a":"x"},"o":{"v":1,"w":"a"},"q":[{"v":1,"w":"a"},{"v":2}],"x":1,"d":"1h","at":"2024-02-03T04:05:06Z"}`,
	`{"b":false,"i":9223372036854775807,"j":-1,"n":-0.5,"s":"","l":[],"k":[],"m":{},"o":{},"q":[{}],"x":"a"}`,
	`{"i":2,"j":5,"s":"1","u":"b","k":[9223372036854775807,1],"m":{"a":0},"t":{"b":"y","a":"1"},"q":[{"w":"b"},{"v":0,"w":"a"}],"x":"5%","d":"-1s","at":"0001-01-01T00:00:00Z"}`,
}

// A grammar generates expressions of CEL. $T stands for an expression of type T, and
// each use of @ for the name of a variable that no other loop has.
type grammar struct {
	rng  *rand.Rand
	vars []grammarVariable
	made int
}

type grammarVariable struct{ name, typ string }

// productions are the forms of expressions by type; the first ones, up to the empty
// text, have no operands.
var productions = map[string][]string{
	"bool": {"true", "self.b", "has(self.s)", "",
		"$bool && $bool", "$bool || $bool", "!$bool", "$bool ? $bool : $bool", "$int == $int", "$int < $int", "$double >= $double", "$string == $string", "$string < $string",
		"$dyn == $dyn", "$dyn != $dyn", "dyn($bool)", "dyn($dyn) || $bool", "$bool && dyn($dyn)", "$dyn < $dyn", "$ints == $ints", "$map == $map", "$string.startsWith($string)", "$string.contains($string)",
		"$string.matches('^[a-c]+$')", "$string.matches($string)", "dyn($dyn).matches('a')", "$int in $ints", "$string in $strings", "$string in $map", "$dyn in [1, 2.0, 'a']", "$double in [1.0, 2.5]", "$dyn in $list", "$uint in [1u, 2u]", "$int in {1: 'a', 2: 'b'}",
		"$ints.all(@, $bool)", "$ints.exists(@, $bool)", "$strings.exists_one(@, $bool)", "$map.all(@, $bool)", "$ints.all(@, @2, $bool)", "$map.exists(@, @2, $bool)", "$strings.existsOne(@, @2, $bool)", "dyn($dyn).all(@, $bool)",
		"$opt.hasValue()", "has({'a': $int}.a)", "has($object.v)", "has(dyn($dyn).a)", "has({'a': $map}.a.b)", "$ints.isSorted()", "isQuantity($string)", "$duration < $duration", "$time > $time", "type($dyn) == $type", "$uint == $uint", "$bytes == $bytes", "sets.contains($ints, $ints)", "isIP($string)", "cidr($string).containsIP($string)", "cidr('10.0.0.0/8').containsIP(ip($string))",
		"optional.of($dyn) == $opt", "$wrapper == $dyn", "bool($string)", "$opt.optMap(@, $bool).orValue($bool)", "quantity($string).isGreaterThan(quantity($string))"},
	"int": {"1", "0", "-1", "self.i", "self.j", "9223372036854775807", "",
		"$int + $int", "$int - $int", "$int * $int", "$int / $int", "$int % $int", "-$int", "size($string)", "$ints.size()", "$map.size()", "$list.size()", "int($string)", "int($double)", "int($uint)", "int($time)", "$bool ? $int : $int", "$ints[$int]", "$map[$string]", "$map.a", "{'a': $int}.a", "{'a': $int}[$string]", "{$int: $int}[$int]", "[$int, $int][$int]", "[[$int], $ints][$int][$int]",
		"$object.v", "$objects[$int].v", "($bool ? $object : $object).v", "($bool ? $map : {'b': $int}).b", "($bool ? {'a': {'b': $int}} : {'a': $map}).a.b", "$opt.orValue($int)", "$opt.value()", "$ints.sum()", "$ints.max()", "$ints.map(@, $int).sum()", "$string.indexOf($string)", "$duration.getMinutes()", "$time.getFullYear()", "$ints.filter(@, $bool).size()", "[1, 2, 3].map(@, $bool, $int)[0]", "{'a': 1, 'b': 2}.transformMap(@, @2, $int)[$string]", "[1, 2].transformList(@, @2, $int)[$int]", "quantity($string).asInteger()", "$bytes.size()"},
	"uint":     {"1u", "0u", "", "uint($int)", "$uint + $uint", "$uint - $uint", "[$uint][$int]", "{'a': $uint}[$string]", "$bool ? $uint : $uint", "uint($string)"},
	"double":   {"1.5", "0.0", "self.n", "", "$double + $double", "$double / $double", "double($string)", "double($int)", "-$double", "$bool ? $double : $double", "[$double][$int]"},
	"string":   {"'a'", "'abc'", "''", "self.s", "self.u", "'1'", "", "$string + $string", "string($int)", "string($double)", "$bool ? $string : $string", "$strings[$int]", "$text[$string]", "$text.a", "$object.w", "$strings.join($string)", "$strings.join()", "$string.substring($int)", "$string.substring($int, $int)", "$string.charAt($int)", "$string.replace($string, $string)", "$string.lowerAscii()", "$string.trim()", "$string.find('[ab]+')", "string($bytes)", "string($duration)", "'%s-%d'.format([$string, $int])", "$opts.orValue($string)", "string($dyn)", "$string.upperAscii()"},
	"bytes":    {"b'a'", "", "bytes($string)", "$bytes + $bytes", "$bool ? $bytes : $bytes"},
	"duration": {"duration('1m')", "self.d", "", "duration($string)", "$duration + $duration", "$time - $time", "$bool ? $duration : $duration"},
	"time":     {"timestamp('2024-01-01T00:00:00Z')", "self.at", "", "timestamp($string)", "$time + $duration", "$bool ? $time : $time"},
	"ints":     {"[1, 2]", "[]", "self.k", "", "[$int, $int]", "$ints + $ints", "$ints.map(@, $int)", "$ints.filter(@, $bool)", "$map.map(@, $int)", "$strings.map(@, size(@))", "$bool ? $ints : $ints", "[?$opt, $int]", "lists.range($int % 3)", "$ints.slice($int, $int)", "$ints.sort()", "$ints.reverse()", "$objects.map(@, @.v)", "[$ints, $ints][$int]", "[1, 2].transformList(@, @2, $int)", "$map.transformList(@, @2, $int)", "$ints.sortBy(@, $int)", "$ints.distinct()"},
	"strings":  {"['a', 'b']", "self.l", "self.set", "", "[$string]", "$strings + $strings", "$string.split(',')", "$string.split($string)", "$map.map(@, @)", "$strings.filter(@, $bool)", "$strings.map(@, $string)", "$bool ? $strings : $strings"},
	"map":      {"{'a': 1}", "self.m", "", "{'a': $int, 'b': $int}", "{$string: $int}", "{?'a': $opt, 'c': $int}", "$bool ? $map : $map", "$map.transformMap(@, @2, $int)", "$map.transformMap(@, @2, $bool, $int)", "$ints.transformMapEntry(@, @2, {string(@): $int})", "[$map][$int]"},
	"text":     {"{'a': 'b'}", "self.t", "", "{'a': $string}", "$bool ? $text : $text"},
	"object":   {"self.o", "", "$objects[$int]", "$bool ? $object : $object", "[$object][$int]"},
	"objects":  {"self.q", "", "$objects + $objects", "$objects.filter(@, $bool)", "$objects.filter(@, @.v > $int)"},
	"list":     {"[1, 'a']", "[dyn(1)]", "", "[$dyn, $dyn]", "dyn($dyn)", "[$opt]", "[dyn($dyn)].map(@, [@, $dyn])", "[$list, $list]"},
	"opt":      {"optional.none()", "optional.of(1)", "", "optional.of($int)", "{'a': $int}[?$string]", "{'a': $int}.?a", "$ints[?$int]", "$map[?$string]", "$map.?a", "$opt.or($opt)", "$bool ? $opt : $opt", "$object.?v", "$objects[?$int].?v", "optional.of($object).?v", "{'a': $map}.?a.b", "optional.of($map).a", "optional.of($map)[$string]", "$opt.optMap(@, $int)", "$opt.optFlatMap(@, $opt)", "optional.ofNonZeroValue($int)", "$ints.first()"},
	"opts":     {"optional.of('a')", "", "optional.of($string)", "$text.?a", "$text[?$string]", "$strings[?$int]", "$object.?w", "$strings.last()"},
	"dyn":      {"self.x", "dyn(1)", "null", "dyn('a')", "", "dyn($int)", "dyn($string)", "dyn($ints)", "dyn($map)", "dyn($object)", "dyn($double)", "dyn($bytes)", "dyn($dyn).a", "dyn($dyn)[$int]", "dyn($dyn)[$string]", "dyn($dyn)[dyn($dyn)]", "[1, 'a'][$int]", "{'a': 1, 'b': 'x'}[$string]", "{true: $dyn}[$bool]", "dyn($dyn) + dyn($dyn)", "dyn($opt)", "$bool ? dyn($dyn) : dyn($dyn)", "dyn($dyn).?a", "dyn($dyn).map(@, @)", "$list[$int]", "dyn($type)", "$wrapper", "dyn($uint)", "dyn($duration)", "-dyn($dyn)", "size(dyn($dyn))", "dyn($dyn)[?$string].orValue(dyn($dyn))"},
	"type":     {"int", "string", "null_type", "", "type($dyn)", "type($ints)"},
	"wrapper":  {"google.protobuf.Int64Value{value: 1}", "google.protobuf.StringValue{}", "", "google.protobuf.Int64Value{value: $int}", "google.protobuf.StringValue{value: $string}", "google.protobuf.BoolValue{value: $bool}", "google.protobuf.DoubleValue{value: $double}"},
}

// expr returns an expression of a type whose depth is at most depth.
func (g *grammar) expr(typ string, depth int) string {
	if typ == "dyn" && len(g.vars) > 0 && g.rng.IntN(4) == 0 || typ == "int" && g.rng.IntN(5) == 0 {
		for _, v := range g.vars {
			if v.typ == typ {
				return v.name
			}
		}
	}
	forms := productions[typ]
	leaves := 0
	for forms[leaves] != "" {
		leaves++
	}
	form := forms[g.rng.IntN(leaves)]
	if depth > 0 && g.rng.IntN(6) > 0 {
		form = forms[leaves+1+g.rng.IntN(len(forms)-leaves-1)]
	}
	return g.fill(form, depth-1)
}

// fill replaces the operands of a form. The variables of a loop are known after the
// loop names them.
func (g *grammar) fill(form string, depth int) string {
	outer := len(g.vars)
	defer func() { g.vars = g.vars[:outer] }()
	g.made++
	name := fmt.Sprintf("v%d", g.made)
	var out strings.Builder
	for len(form) > 0 {
		switch form[0] {
		case '$':
			n := 1
			for n < len(form) && form[n] >= 'a' && form[n] <= 'z' {
				n++
			}
			if n == 1 {
				out.WriteByte('$')
				form = form[1:]
				continue
			}
			operand := g.expr(form[1:n], depth)
			if strings.ContainsAny(operand, " ") || strings.HasPrefix(operand, "-") || strings.HasPrefix(operand, "!") {
				operand = "(" + operand + ")"
			}
			out.WriteString(operand)
			form = form[n:]
		case '@':
			out.WriteString(name)
			if form = form[1:]; strings.HasPrefix(form, ",") {
				g.vars = append(g.vars, grammarVariable{name, "dyn"}, grammarVariable{name, "int"})
			}
		default:
			out.WriteByte(form[0])
			form = form[1:]
		}
	}
	return out.String()
}

// grammarInputs returns the objects that generated rules run on.
func grammarInputs(t testing.TB) []*input {
	t.Helper()
	var inputs []*input
	for _, text := range grammarObjects {
		v, err := testkit.DecodeJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, &input{obj: v.(map[string]any), budget: budget})
	}
	return inputs
}

// grammarSubject returns a schema with a generated rule that compiles, or nil if it finds
// none.
func grammarSubject(t testing.TB, g *grammar) *subject {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(grammarSchema), &props); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		rule := g.expr("bool", 2+g.rng.IntN(3))
		props.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
		n, errs := schema.Compile(&props)
		if _, ruleErrs := cel.Compile(n); len(errs) == 0 && len(ruleErrs) == 0 {
			n, in := bothSchemas(t, rule, &props)
			return subjectOf(t, rule, n, in, celconfig.PerCallLimit)
		}
	}
	return nil
}

// TestGrammar compares the sides on generated rules that compile.
func TestGrammar(t *testing.T) {
	want := int64(shareGrammarRules)
	if testing.Short() {
		want /= 10
	}
	if *full {
		want = *grammarRules
	}
	inputs := grammarInputs(t)
	c := newTally(t, "grammar", "three sides")
	var all, fast atomic.Int64
	parallel(int(want), func(i int) {
		g := &grammar{rng: rand.New(rand.NewPCG(uint64(i), *seed))}
		sub := grammarSubject(t, g)
		if sub == nil {
			return
		}
		c.rules.Add(1)
		for _, in := range inputs {
			ours(sub.fast, in)
		}
		all.Add(sub.count.All.Load())
		fast.Add(sub.count.Fast.Load())
		if *showSlow && sub.count.Fast.Load() < sub.count.All.Load() {
			fmt.Println("cel-go evaluates", sub.name)
		}
		for _, in := range inputs {
			c.three(sub, in, "generated", 1)
			if g.rng.IntN(16) == 0 {
				sub.bounds(c, g.rng, in, 1)
			}
		}
	})
	fmt.Printf("cel grammar: %.1f%% of the evaluations on the executor\n", 100*float64(fast.Load())/float64(max(all.Load(), 1)))
	c.report()
}
