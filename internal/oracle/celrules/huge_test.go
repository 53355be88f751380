package celrules

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// hugeRules are rules for the schema of huge. Several of them exceed the cost
// limit of a call, and all of them together exceed that of an object.
var hugeRules = []string{
	"self.ints.all(x, x >= 0)",
	"self.ints.all(x, self.ints.all(y, x + y >= 0))",
	"self.ints.exists(x, self.ints.exists(y, x == -y - 1))",
	"self.ints.map(x, x * 2).filter(x, x > 5).size() > 0",
	"self.ints.exists_one(x, x == 499)",
	"self.ints.sum() > 0 && self.ints.max() == 499 && self.ints.isSorted()",
	"self.ints == self.ints && self.ints + self.ints != self.ints",
	"499 in self.ints && !(2000 in self.ints)",
	"self.strings.all(s, s.startsWith('entry'))",
	"self.strings.all(s, self.strings.exists(t, s == t))",
	"self.strings.exists(s, s.matches('^entry-1[0-9]+$'))",
	"self.strings.join(',').size() > 1000",
	"self.set == self.set && self.set + self.set == self.set",
	"'entry-499' in self.set",
	"self.m.all(k, self.m[k] >= 0)",
	"self.m.all(k, v, v >= 0)",
	"self.m == self.m",
	"self.objects.all(o, self.objects.exists_one(p, o.name == p.name))",
	"self.objects == self.objects",
	"self.objects == oldSelf.objects",
	"self.objects.all(o, oldSelf.objects.exists(p, o == p))",
	"self.text.contains('needle') || self.text.matches('(ab)+c') || self.text.size() > 5",
	"self.text == self.text && self.text + self.text != self.text",
	"self.text.split('b').size() > 1000",
	"self.text.replace('a', 'xyz').size() > 1000",
	"self.ints.sort() == self.ints && self.ints.distinct() == self.ints",
	"self.ints.all(x, [1, 2, 3].exists(y, y == x || x > 3))",
	"lists.range(1000).all(x, lists.range(1000).all(y, x < 500))",
	"self.ints.map(x, self.ints).size() == 500",
	"self == oldSelf",
}

// huge returns rules for large objects, so that rules reach the cost limit of a
// call, and several rules together reach that of an object.
func huge() []*synthetic {
	text, integer := apiextensionsv1.JSONSchemaProps{Type: "string"}, apiextensionsv1.JSONSchemaProps{Type: "integer"}
	object := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": text, "v": integer}}
	set, listMap := "set", "map"
	props := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"ints":    {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &integer}},
		"strings": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &text}},
		"set":     {Type: "array", XListType: &set, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &text}},
		"m":       {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &integer}},
		"objects": {Type: "array", XListType: &listMap, XListMapKeys: []string{"name"}, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &object}},
		"text":    text,
	}}
	whole, part := hugeObject(500), hugeObject(40)
	inputs := []*input{{obj: whole, old: part}, {obj: part, old: part}}
	var list []*synthetic
	add := func(name string, limit uint64, rules ...string) *synthetic {
		p := props.DeepCopy()
		for _, r := range rules {
			p.XValidations = append(p.XValidations, apiextensionsv1.ValidationRule{Rule: r})
		}
		s := &synthetic{name: name, props: p, inputs: inputs, limit: limit, stop: 100_000, slow: true}
		list = append(list, s)
		return s
	}
	for _, r := range hugeRules {
		add("huge, at most 100000: "+r, 100_000, r)
		add("huge, at most 2000: "+r, 2000, r)
	}
	once := []*input{{obj: part}}
	add("huge, more than a call may cost", celconfig.PerCallLimit, "true", "lists.range(500).all(x, lists.range(500).all(y, x + y < 1000))", "true").inputs = once
	var many []string
	for i := range 14 {
		many = append(many, fmt.Sprintf("lists.range(390).all(x, lists.range(390).all(y, x + y < 1000 + %d))", i))
	}
	add("huge, more than an object may cost", celconfig.PerCallLimit, many...).inputs = once
	messages := add("huge, messageExpression", celconfig.PerCallLimit)
	for i := range 4 {
		messages.props.XValidations = append(messages.props.XValidations, apiextensionsv1.ValidationRule{
			Rule: "false", Message: fmt.Sprint(i), MessageExpression: "string(lists.range(900).map(x, lists.range(100)).size())",
		})
	}
	messages.stop = 150_000
	return list
}

func hugeObject(n int) map[string]any {
	var ints, strs, set, objects []any
	m := map[string]any{}
	for i := range n {
		ints = append(ints, int64(i))
		strs = append(strs, fmt.Sprintf("entry-%d", i))
		m[fmt.Sprintf("key%d", i)] = int64(i)
		if i < 500 {
			set = append(set, strs[i])
			objects = append(objects, map[string]any{"name": strs[i], "v": ints[i]})
		}
	}
	return map[string]any{"ints": ints, "strings": strs, "set": set, "m": m, "objects": objects, "text": strings.Repeat("ab", 30*n) + "c"}
}
