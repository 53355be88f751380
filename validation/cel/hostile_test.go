package cel

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
)

const hostileSchema = `
type: object
properties:
  s: {type: string}
  b: {type: string}
  list: {type: array, items: {type: string}}
  numbers: {type: array, items: {type: integer}}
  map: {type: object, additionalProperties: {type: string}}
`

// hostileNode returns the schema with a rule.
func hostileNode(t testing.TB, rules ...string) *schema.Node {
	t.Helper()
	var of apiextensionsv1.ValidationRules
	for _, rule := range rules {
		of = append(of, apiextensionsv1.ValidationRule{Rule: rule, Message: "false"})
	}
	return nodeOf(t, hostileSchema, of...)
}

// nodeOf returns a schema with rules.
func nodeOf(t testing.TB, text string, rules ...apiextensionsv1.ValidationRule) *schema.Node {
	t.Helper()
	var s apiextensionsv1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	s.XValidations = append(s.XValidations, rules...)
	n, errs := schema.Compile(&s)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

// hostilePrograms returns the programs of a rule: with closures and with cel-go.
func hostilePrograms(t testing.TB, rule string, more ...Option) map[string]*Program {
	t.Helper()
	n, programs := hostileNode(t, rule), make(map[string]*Program)
	for name, opts := range map[string][]Option{"closures": nil, "cel-go": {testopt.Reference{}}} {
		p, errs := Compile(n, append(opts, more...)...)
		if len(errs) > 0 {
			t.Fatalf("%.100s: %v", rule, errs.ToAggregate())
		}
		programs[name] = p
	}
	return programs
}

// hostileObject returns an object with strings of size bytes, and lists and maps of
// a tenth of it.
func hostileObject(size int) map[string]any {
	list, numbers, entries := []any{}, []any{}, make(map[string]any)
	for i := range size / 10 {
		name := fmt.Sprintf("%08d", i)
		list, numbers = append(list, name), append(numbers, int64(i))
		entries[name] = "x"
	}
	return map[string]any{"s": strings.Repeat("a", size), "b": strings.Repeat("a", size), "list": list, "numbers": numbers, "map": entries}
}

const (
	verdictTrue    = ""
	overCallText   = "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: false"
	overMemoryText = "'operation cancelled: memory limit exceeded': no further validation rules will be run due to call memory exceeds limit for rule: false"
)

// chain applies a macro many times, as in [self.s].map(x, x + x).map(x, x + x).
func chain(first, step string, times int) string { return first + strings.Repeat(step, times) }

// terms joins a term with itself.
func terms(term, operator string, times int) string {
	return strings.TrimSuffix(strings.Repeat(term+operator, times), operator)
}

// hostileRules have their results on an object of 20,000 bytes per string.
var hostileRules = []struct{ name, rule, want string }{
	{"double a string", chain("[self.s]", ".map(x, x + x)", 30) + "[0].size() > 0", overCallText},
	{"add a string often", terms("self.s", " + ", 150) + " != ''", overCallText},
	{"sums of sums", "(" + terms("("+terms("self.s", " + ", 12)+")", " + ", 40) + ").size() > 0", overCallText},
	{"double a list", chain("[self.list]", ".map(x, x + x)", 40) + "[0].size() > 0", overMemoryText},
	{"double a made list", chain("[self.list.map(x, x + 'a')]", ".map(x, x + x)", 40) + "[0].size() > 0", overMemoryText},
	{"lists of one list", chain("[['a']]", ".map(x, [x, x])", 40) + " == " + chain("[['a']]", ".map(x, [x, x])", 40), overMemoryText},
	{"find in lists of one list", chain("[['a']]", ".map(x, [x, x])", 40) + " in [" + chain("[['a']]", ".map(x, [x, x])", 40) + "]", overMemoryText},
	{"format lists of one list", "'%s'.format([" + chain("[['a']]", ".map(x, [x, x])", 40) + "]).size() > 0", overMemoryText},
	{"maximum of lists of one list", "dyn(" + chain("[['a']]", ".map(x, [x, x])", 40) + ").max() == []", overMemoryText},
	{"compare optionals of lists of one list", terms("optional.of("+chain("[['a']]", ".map(x, [x, x])", 40)+")", " == ", 2), overMemoryText},
	{"repeat a key of lists of one list", chain("[['a']]", ".map(x, [x, x])", 40) + ".all(k, [1, 2].transformMapEntry(i, v, {k: v}) == {})", "insert failed: key value of more than 1 MiB already exists evaluating rule: false"},
	{"an optional entry that is lists of one list", "'%s'.format([{?'a': dyn(" + chain("[['a']]", ".map(x, [x, x])", 40) + ")}]) == ''", "cannot initialize optional entry 'a' from non-optional value value of more than 1 MiB evaluating rule: false"},
	{"an optional element that is lists of one list", "'%s'.format([[?dyn(" + chain("[['a']]", ".map(x, [x, x])", 40) + ")]]) == ''", "cannot initialize optional list element from non-optional value value of more than 1 MiB evaluating rule: false"},
	{"join lists of one list", "[dyn('a'), dyn(" + chain("[['a']]", ".map(x, [x, x])", 40) + ")].map(x, x).join() == ''", "join: invalid input: value of more than 1 MiB evaluating rule: false"},
	{"replace nothing", "self.s.replace('', self.b).size() > 0", overMemoryText},
	{"replace with a limit", "self.s.replace('', self.b, 10000).size() > 0", overMemoryText},
	{"replace twice", "self.s.replace('a', self.b.replace('a', '0123456789')).size() > 0", overMemoryText},
	{"replace within the limit", "self.s.replace('a', 'bc').size() == 40000", verdictTrue},
	{"join with a long string", "self.list.join(self.b).size() > 0", outOfCalls(8_003_193)},
	{"join a made list", "self.list.map(x, x).join(self.b).size() > 0", outOfCalls(8_003_193)},
	{"format", "'" + strings.Repeat("%s", 4000) + "'.format([" + terms("self.b", ", ", 4000) + "]).size() > 0", overMemoryText},
	{"format with precision", "'" + strings.Repeat("%.999999f", 100) + "'.format([" + terms("1.0", ", ", 100) + "]).size() > 0", overMemoryText},
	{"range", "lists.range(1000000).size() > 0", overCallText},
	{"slow regular expressions", terms("self.b.matches('(a|b|ab)*c(d|e)*f')", " || ", 100) + " || true", overCallText},
	{"one search over the limit", "self.b.matches('" + strings.Repeat("(x+x+)+y", 300) + "') || true", overCallText},
	{"contains", "self.b.contains(self.s)", outOfCalls(4_000_000)},
	{"distinct", "self.list.distinct().size() > 0", outOfCalls(8_400_011)},
	{"sort", "self.list.sort().size() > 0", outOfCalls(8_400_011)},
	{"sort by", "self.list.sortBy(x, x).size() > 0", outOfCalls(8_400_011)},
	{"sets", "sets.equivalent(self.list, self.list)", outOfCalls(8_000_001)},
	{"copy a list in a loop", "self.numbers.all(x, (self.numbers + [x]).size() > 5)", overMemoryText},
	{"copy a string in a loop", "self.numbers.all(x, (self.s + 'a').size() > 5)", overCallText},
	{"entries of long strings", "self.map.transformMap(k, v, v + self.b).size() > 0", overCallText},
	{"nested loops", "self.numbers.all(x, self.numbers.all(y, x + y >= 0))", overCallText},
	{"a long list literal", "[" + terms("self.s", ", ", 3000) + "].size() == 3000", verdictTrue},
	{"split into letters", "self.s.split('').size() == 20000", verdictTrue},
	{"search", "self.s.indexOf('b' + self.b) == -1 && self.s.lastIndexOf(self.b + 'b') == -1", verdictTrue},
	{"letters in a loop", "self.numbers.all(x, self.b.charAt(5) == 'a')", verdictTrue},
}

// outOfCalls is the text of an evaluation that costs so much at the call that
// exceeds the limit.
func outOfCalls(cost uint64) string {
	if cost > DefaultBudget {
		return outOfBudget
	}
	return overCallText
}

// TestHostileRules: no rule takes more memory than the limits allow, and closures
// and cel-go give the same answer.
func TestHostileRules(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	obj := hostileObject(20_000)
	for _, tt := range hostileRules {
		t.Run(tt.name, func(t *testing.T) {
			for name, p := range hostilePrograms(t, tt.rule) {
				res, bytes := measured(func() Result { return p.Eval(context.Background(), obj) })
				if got := detailOf(res); got != tt.want {
					t.Errorf("%s: got %q, want %q", name, got, tt.want)
				}
				if bytes > 3*DefaultMemory {
					t.Errorf("%s: the evaluation allocates %d bytes", name, bytes)
				}
			}
		})
	}
}

// TestHostileBudget has evaluations over the limit of a call with each budget around
// it: which error they are depends on the cost at which cel-go stops.
func TestHostileBudget(t *testing.T) {
	const limit = 20_000
	obj := hostileObject(1000)
	for _, rule := range []string{
		"self.b.matches('(a|b)*c') || " + terms("self.b.matches('(a|b|ab)*c(d|e)*f')", " || ", 80),
		terms("self.s", " + ", 150) + " != ''",
		"self.numbers.all(x, self.numbers.all(y, x + y >= 0))",
		"lists.range(1000000).size() > 0",
	} {
		programs := hostilePrograms(t, rule, PerCallLimit(limit))
		for _, budget := range []uint64{1, limit - 1, limit, limit + 1, limit + 2, limit + 5, limit + 100, limit + 200, limit + 1000, limit + 5000, 1_000_010, 1_000_011, 1_000_012, math.MaxInt64} {
			fast, slow := programs["closures"].Eval(context.Background(), obj, Budget(budget)), programs["cel-go"].Eval(context.Background(), obj, Budget(budget))
			if detailOf(fast) != detailOf(slow) || fast.Cost != slow.Cost {
				t.Errorf("%.60s with a budget of %d: closures say %q for %d units, cel-go says %q for %d", rule, budget,
					detailOf(fast), fast.Cost, detailOf(slow), slow.Cost)
			}
		}
	}
}

// TestMemory: the option sets the limit in bytes.
func TestMemory(t *testing.T) {
	obj := hostileObject(1000)
	for name, p := range hostilePrograms(t, "(self.s + self.b).size() == 2000") {
		for bytes, want := range map[uint64]string{1999: overMemoryText, 2000: "", math.MaxUint64: ""} {
			if got := detailOf(p.Eval(context.Background(), obj, Memory(bytes))); got != want {
				t.Errorf("%s with %d bytes: got %q, want %q", name, bytes, got, want)
			}
		}
	}
}

// TestMemoryOfMessage: a messageExpression has the limits of a rule.
func TestMemoryOfMessage(t *testing.T) {
	n := nodeOf(t, hostileSchema, apiextensionsv1.ValidationRule{Rule: "false", MessageExpression: "self.s.replace('', self.b)"})
	for _, opts := range [][]Option{nil, {testopt.Reference{}}} {
		p, ruleErrs := Compile(n, opts...)
		if len(ruleErrs) > 0 {
			t.Fatal(ruleErrs.ToAggregate())
		}
		want := `no further validation rules will be run due to call memory exceeds limit for messageExpression: "self.s.replace('', self.b)"`
		if diff := cmp.Diff(want, detailOf(p.Eval(context.Background(), hostileObject(20_000)))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func detailOf(res Result) string {
	if len(res.Errors) == 0 {
		return ""
	}
	return res.Errors[0].Detail
}

// measured returns what f returns and the bytes that it allocates.
func measured[T any](f func() T) (result T, bytes uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result = f()
	runtime.ReadMemStats(&after)
	return result, after.TotalAlloc - before.TotalAlloc
}

// TestMapOrder: loops over maps visit keys in increasing order, whatever made them.
func TestMapOrder(t *testing.T) {
	obj := map[string]any{"map": map[string]any{"d": "4", "a": "1", "c": "3", "b": "2", "e": "5"}}
	for _, rule := range []string{
		"self.map.map(k, k) == ['a', 'b', 'c', 'd', 'e']",
		"self.map.map(k, k > 'b', k) == ['c', 'd', 'e']",
		"self.map.filter(k, k != 'a')[0] == 'b'",
		"self.map.transformList(k, v, k + v) == ['a1', 'b2', 'c3', 'd4', 'e5']",
		"self.map.transformList(k, v, v > '2', k)[0] == 'c'",
		"self.map.transformMap(k, v, v + v).map(k, k)[0] == 'a'",
		"self.map.transformMapEntry(k, v, {v: k}).transformList(k, v, k)[0] == '1'",
		"{'y': 1, 'x': 2, 'w': 3, 'z': 4}.map(k, k) == ['w', 'x', 'y', 'z']",
		"{4: 1, 2: 2, 3: 3, 1: 4}.map(k, k) == [1, 2, 3, 4]",
		"{true: 1, false: 2}.map(k, k) == [false, true]",
		"dyn(self.map).map(k, k)[4] == 'e'",
		"self.map.map(k, self.map.map(l, k + l)[0]) == ['aa', 'ba', 'ca', 'da', 'ea']",
		"self.map.exists(k, k == 'a' || [1][1] == 1)",
	} {
		for name, p := range hostilePrograms(t, rule) {
			first := p.Eval(context.Background(), obj)
			for range 20 {
				if res := p.Eval(context.Background(), obj); detailOf(res) != "" || res.Cost != first.Cost {
					t.Fatalf("%s of %s: got %q for %d units, want true for %d", rule, name, detailOf(res), res.Cost, first.Cost)
				}
			}
		}
	}
}
