package oracle_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// ruledParts returns small schemas of objects with rules: those of the table
// below and parts of the corpus.
func ruledParts(t *testing.T) []map[string]any {
	t.Helper()
	var parts []map[string]any
	for _, text := range ruleSeeds {
		parts = append(parts, decodeTree(t, text))
	}
	seen := map[string]bool{}
	for _, props := range ruledSchemas(t) {
		eachSchema(decodeTree(t, string(encode(t, props))), func(n map[string]any) {
			data := encode(t, n)
			if n["type"] == "object" && len(data) < 2500 && !seen[string(data)] && strings.Contains(string(data), `"x-kubernetes-validations"`) {
				seen[string(data)] = true
				parts = append(parts, n)
			}
		})
	}
	return parts
}

// ruleSeeds are schemas with rules that the corpus lacks.
var ruleSeeds = []string{
	`{"type":"object","properties":{"kind":{"type":"string"},"a":{"type":"string","maxLength":10,"x-kubernetes-validations":[{"rule":"self.size() > 1","messageExpression":"self + ' is short'"}]},
		"m":{"type":"object","additionalProperties":{"type":"object","properties":{"b":{"type":"string"}},"x-kubernetes-validations":[{"rule":"self.b != 'x'"}]}}},
		"x-kubernetes-validations":[{"rule":"self.m.all(k, self.m[k].b == self.a)","message":"odd","reason":"FieldValueInvalid","fieldPath":".m"}]}`,
	`{"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"v":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}}}},
		"s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]}},
		"o":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"x":{"type":"number","x-kubernetes-validations":[{"rule":"oldSelf.orValue(1.0) < self","optionalOldSelf":true}]}}}}}`,
	`{"type":"object","properties":{"d":{"type":"string","format":"duration"},"t":{"type":"string","format":"date-time"},"y":{"type":"string","format":"byte","maxLength":7},"e":{"type":"string","enum":["a","bcd"]},
		"p":{"x-kubernetes-int-or-string":true,"maxLength":9},"u":{"x-kubernetes-preserve-unknown-fields":true},"r":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-validations":[{"rule":"self.metadata.name == self.kind"}]}},
		"x-kubernetes-validations":[{"rule":"self.d > duration('1s') && self.t < timestamp('2020-01-01T00:00:00Z')"},{"rule":"self.y.size() < 3 && self.e.matches('^a+$') && string(self.p) != ''"},{"rule":"self.r.metadata.name.startsWith(self.metadata.name)"}]}`,
	`{"type":"object","required":["spec","metadata"],"properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":20}}},
		"spec":{"type":"array","maxItems":5,"items":{"type":"array","maxItems":7,"items":{"type":"object","additionalProperties":{"type":"string","maxLength":100},"maxProperties":4,"x-kubernetes-validations":[{"rule":"self.all(k, k.contains(self[k]))"}]}}}},
		"x-kubernetes-validations":[{"rule":"self.spec.all(a, a.all(b, b.all(k, b[k] == self.metadata.name)))"},{"rule":"self.metadata.generateName.split('-').map(x, x.replace('a', 'bb')).join(',') != ''"}]}`,
	`{"type":"object","properties":{"namespace":{"type":"string"},"a-b":{"type":"array","items":{"type":"integer"}},"1x":{"type":"string","x-kubernetes-validations":[{"rule":"self.url().getHost() == 'a'"}]},"q":{"type":"string","x-kubernetes-validations":[{"rule":"quantity(self).isGreaterThan(quantity('1'))"}]}},
		"x-kubernetes-validations":[{"rule":"self.namespace == self.__namespace__ && self.a__dash__b.sum() < 9 && self.a__dash__b.isSorted()"}]}`,
}

// A ruleMutator changes the rules of a schema and the bounds around them.
type ruleMutator struct {
	t    *testing.T
	rng  *rand.Rand
	root map[string]any
}

func (m *ruleMutator) mutant() map[string]any {
	if m.rng.IntN(2) == 0 {
		m.wrap()
	}
	for range 1 + m.rng.IntN(4) {
		m.mutate()
	}
	return m.root
}

// wrap puts the schema into a field, a list or a map of another.
func (m *ruleMutator) wrap() {
	inner := m.root
	switch m.rng.IntN(4) {
	case 0:
		inner = map[string]any{"type": "array", "items": inner}
	case 1:
		inner = map[string]any{"type": "object", "additionalProperties": inner}
	case 2:
		inner = map[string]any{"type": "array", "maxItems": 1 + m.rng.IntN(2000), "items": inner}
	}
	m.root = map[string]any{"type": "object", "properties": map[string]any{pick(m.rng, fieldNames): inner}}
}

var fieldNames = []string{"spec", "a-b", "namespace", "1st", "metadatas", "x__y", "a.b"}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

func (m *ruleMutator) mutate() {
	var all, ruled []map[string]any
	eachSchema(m.root, func(n map[string]any) {
		all = append(all, n)
		if n["x-kubernetes-validations"] != nil {
			ruled = append(ruled, n)
		}
	})
	if n := pick(m.rng, all); m.rng.IntN(3) == 0 {
		m.bound(n)
		return
	}
	if m.rng.IntN(6) == 0 || len(ruled) == 0 {
		n := pick(m.rng, all)
		rules, _ := n["x-kubernetes-validations"].([]any)
		n["x-kubernetes-validations"] = append(rules, map[string]any{"rule": pick(m.rng, ruleTexts)})
		return
	}
	rules := pick(m.rng, ruled)["x-kubernetes-validations"].([]any)
	if rule := pick(m.rng, rules).(map[string]any); rule != nil {
		m.rule(rule)
	}
}

// bound changes keywords that bound sizes, or types.
func (m *ruleMutator) bound(n map[string]any) {
	keyword := pick(m.rng, []string{"maxItems", "maxLength", "maxProperties", "format", "enum", "required", "x-kubernetes-map-type", "x-kubernetes-list-type", "default"})
	value := pick(m.rng, boundValues[keyword])
	if value == "" {
		delete(n, keyword)
		return
	}
	n[keyword] = decodeAny(m.t, value)
}

var boundValues = map[string][]string{
	"maxItems":               {"", "0", "1", "10", "1000", "-1", "100000000"},
	"maxLength":              {"", "0", "1", "63", "4096", "-5", "9000000000"},
	"maxProperties":          {"", "0", "2", "500", "-1"},
	"format":                 {"", `"byte"`, `"date"`, `"date-time"`, `"duration"`, `"datetime"`, `"ipv4"`},
	"enum":                   {"", `["a","bb"]`, `["ä"]`, `[1]`},
	"required":               {"", `["spec"]`, `["name","name"]`, `["kind","metadata"]`, `["a"]`},
	"x-kubernetes-map-type":  {"", `"atomic"`, `"granular"`},
	"x-kubernetes-list-type": {"", `"atomic"`},
	"default":                {""},
}

var word = regexp.MustCompile(`[A-Za-z_]+|\d+|'[^']*'|[<>=!&|]+`)

// rule changes one part of a rule.
func (m *ruleMutator) rule(r map[string]any) {
	switch m.rng.IntN(12) {
	case 0:
		r["messageExpression"] = pick(m.rng, messageTexts)
	case 1:
		r["optionalOldSelf"] = m.rng.IntN(2) == 0
	case 2:
		r["fieldPath"] = pick(m.rng, []string{".spec", ".a", "['a-b']", ".x.y", "", " ", ".l[0]", ".m.k", "a", ".m['b.c'].b"})
	case 3:
		r["message"] = pick(m.rng, []string{"", " ", "no", "a\nb", "a\n"})
	case 4:
		r["rule"] = pick(m.rng, ruleTexts)
	case 5:
		r["reason"] = pick(m.rng, []string{"FieldValueInvalid", "FieldValueRequired", "Odd", ""})
	default:
		text, _ := r["rule"].(string)
		locations := word.FindAllStringIndex(text, -1)
		if len(locations) == 0 {
			return
		}
		at := pick(m.rng, locations)
		r["rule"] = text[:at[0]] + pick(m.rng, ruleTokens) + text[at[1]:]
	}
}

var ruleTexts = []string{
	"true", "self == self", "self == oldSelf", "has(self.spec)", "self.all(x, x == x)", "self.size() > 0", "size(self) < 5", "1", " ", "self.map(x, x)",
	"self.exists_one(k, self[k] == '')", "oldSelf.hasValue() || true", "self.metadata.name != ''", "self.all(k, v, k != v)", "self.matches('[')", "'a'.find('[') == ''",
	"duration('x') > duration('1s')", "['a', 1].size() > 0", "self.includes(1)", "self.startsWith('a') && self.endsWith(self)", "[[1,2],[3]].flatten().sum() > 1",
	"self.split(',').all(x, ip(x).family() == 4)", "self\n== self", "sets.contains(self, self)", "self.filter(x, x.size() > 2).map(y, y + y).exists(z, z == z + z)",
	"self.all(a, self.all(b, self.all(c, a == b && b == c)))", "cel.bind(x, self, x == x)", "authorizer.path('/x').check('get').allowed()", "semver('1.2.3').major() == 1",
	"format.dns1123Label().validate(self).hasValue()", "optional.of(self).hasValue()", "self.?a.orValue('') == ''", "self[?0].hasValue()", "self + self == self", "self in [self]",
	"dyn(self).a.b.c == 1", "type(self) == string", "string(self).lowerAscii().upperAscii().trim().substring(1, 2) == 'a'", "oldSelf.a == self.a", "self.sort() == self",
	"self.transformList(i, v, i + 1).sum() > 3", "{'a': self}.all(k, k == 'a')", "url(self).getQuery().size() > 0", "isURL(self) && isIP(self) && isCIDR(self) && isQuantity(self)",
	"cidr('10.0.0.0/8').containsIP(self)", "self.indexOf('a') > self.lastIndexOf(self)", "self.replace(self, self) == self.join(',')",
}

var messageTexts = []string{"'x'", "self", "string(self.size())", "1", "self.nope", "''", " ", "'a' + self.a", "self.m.map(k, k).join(',')", "oldSelf", "'%s'.format([self])", "self.replace('a', self)"}

var ruleTokens = []string{"self", "oldSelf", "size", "all", "exists", "x", "'a'", "1", "1.5", "==", "<", "&&", "||", "!=", "matches", "map", "filter", "spec", "string", "int", "name", "+", "replace", "split", "includes", "true"}
