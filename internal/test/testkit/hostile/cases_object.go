package hostile

import (
	"fmt"
	"strings"
)

// A shape is a spec that grows, and the schema that judges it.
type shape struct {
	name  string
	n     int
	want  Verdict
	spec  string // the schema
	value func(n int) string
	ops   []requests
}

// requests selects operations for a shape.
type requests int

const (
	creates requests = iota // from a map and from text
	stricts                 // the same with strict field validation
	updates                 // of the same object, from maps and from text
	reads                   // read and store
	verdict                 // ValidJSON
)

var (
	everything = []requests{creates, updates, reads, verdict}
	refusals   = []requests{creates, updates, verdict}
)

// Objects returns the cases whose input is an object.
func Objects() []Case {
	var list []Case
	for _, s := range append(values(), errorShapes()...) {
		for _, r := range s.ops {
			list = append(list, s.cases(r)...)
		}
	}
	return append(list, metadata()...)
}

func (s shape) cases(r requests) []Case {
	created := func(n int) Input { return Input{Definition: widget(s.spec), Object: object(s.value(n))} }
	kept := func(n int) Input { return Input{Definition: widget(s.spec), Object: stored("", s.value(n))} }
	updated := func(n int) Input {
		return Input{Definition: widget(s.spec), Object: stored("", s.value(n)), Old: stored("", s.value(n))}
	}
	one := func(name string, op Op, input func(n int) Input, want Verdict) Case {
		return Case{Name: name + "/" + s.name, Op: op, N: s.n, Input: input, Want: want}
	}
	switch r {
	case creates:
		return []Case{one("create", Create, created, s.want), one("create json", CreateJSON, created, s.want)}
	case stricts:
		return []Case{one("create strict", CreateStrict, created, Refused), one("create json strict", CreateJSONStrict, created, Refused)}
	case updates: // every error of an unchanged value is forgiven
		return []Case{one("update", Update, updated, Accepted), one("update json", UpdateJSON, updated, Accepted)}
	case reads:
		return []Case{one("read", Read, kept, Accepted), one("store", Store, kept, Accepted)}
	default:
		return []Case{one("valid json", ValidJSON, created, s.want)}
	}
}

// values returns shapes that are admitted.
func values() []shape {
	anyFields := list(preserved, "")
	return []shape{
		{"unknown fields", 400, Accepted, `{"type":"object"}`, members(`"u%d":1`), []requests{creates, stricts, reads}},
		{"unknown fields of elements", 200, Accepted, list(`{"type":"object"}`, ""), elements(`{"u%d":1}`), []requests{creates, stricts}},
		{"known fields", 400, Accepted, properties(3200, constant(`{"type":"string"}`)), members(`"p%d":"x"`), everything},
		{"keys of a map", 400, Accepted, `{"type":"object","additionalProperties":{"type":"integer"}}`, members(`"k%d":1`), everything},
		{"elements", 400, Accepted, list(`{"type":"integer"}`, ""), elements(`%d`), everything},
		{"elements of a set", 200, Accepted, set, elements(`"e%d"`), everything},
		{"keys of a list map", 200, Accepted, listMap(""), elements(`{"k":"e%d"}`), everything},
		{"length of a string", 20_000, Accepted, one(`{"type":"string","maxLength":1000000}`), text, everything},
		{"string against a pattern", 2_000, Accepted, one(`{"type":"string","pattern":"^(a|aa)*b?$"}`), text, []requests{creates, verdict}},
		{"base64", 2_000, Accepted, one(`{"type":"string","format":"byte"}`), text, []requests{creates, verdict}},
		{"depth of preserved fields", 900, Accepted, preserved,
			func(n int) string { return `{"a":` + nested(n, `{"a":`, `1`, `}`) + `}` }, everything},
		{"depth of preserved lists", 900, Accepted, preserved,
			func(n int) string { return `{"a":` + nested(n, `[`, `1`, `]`) + `}` }, everything},
		{"preserved elements", 400, Accepted, anyFields, elements(`{"a":{"b":%d}}`), everything},
		{"defaults to set", 400, Accepted, list(`{"type":"object","properties":{"a":{"type":"string","default":"x"},`+
			`"b":{"type":"object","default":{},"properties":{"c":{"type":"integer","default":1}}}}}`, ""),
			elementsAlways(`{}`), []requests{creates, reads}},
		{"nulls to drop", 400, Accepted, list(`{"type":"object","properties":{"a":{"type":"string","default":"x"}}}`, ""),
			elementsAlways(`{"a":null}`), []requests{creates, reads}},
		{"embedded resources", 50, Accepted, list(embedded, ""),
			elements(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d"}}`), everything},
		{"rules of elements", 100, Accepted, bounded(`{"type":"string","maxLength":10,` + rule(`self != 'a'`) + `}`),
			elements(`"x%d"`), []requests{creates, updates}},
		{"transition rules", 100, Accepted, list(`{"type":"object","required":["k"],"properties":{"k":`+
			`{"type":"string","maxLength":10}},`+rule(`self.k == oldSelf.k`)+`}`,
			`,"maxItems":1000,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]`),
			elements(`{"k":"x%d"}`), []requests{updates}},
		{"elements that a rule reads", 100, Accepted, `{"type":"object","properties":{"l":{"type":"array","maxItems":1000,` +
			`"items":{"type":"integer"}}},` + rule(`self.l.all(x, x >= 0)`) + `}`, elements(`%d`), []requests{creates, updates}},
		{"keys of a map that a rule reads", 100, Accepted, `{"type":"object","maxProperties":1000,"additionalProperties":` +
			`{"type":"integer"},` + rule(`self.all(k, self[k] == 1)`) + `}`, members(`"k%d":1`), []requests{creates, updates}},
	}
}

// errorShapes returns shapes that are refused.
func errorShapes() []shape {
	return []shape{
		{"equal elements of a set", 200, Refused, set, elementsAlways(`"same"`), refusals},
		{"equal keys of a list map", 200, Refused, listMap(""), elementsAlways(`{"k":"same"}`), refusals},
		{"string against a slow pattern", 2_000, Refused, one(`{"type":"string","pattern":"(a+a+)+y{20}"}`), text, []requests{creates, verdict}},
		{"string of a format", 2_000, Refused, one(`{"type":"string","format":"date-time"}`), text, []requests{creates, verdict}},
		{"wrong types", 200, Refused, list(`{"type":"integer"}`, ""), elements(`"x%d"`), refusals},
		{"enum errors", 200, Refused, list(`{"type":"string","enum":["a","b","c","d"]}`, ""), elements(`"x%d"`), refusals},
		{"pattern errors", 200, Refused, list(`{"type":"string","pattern":"^a$"}`, ""), elements(`"x%d"`), refusals},
		{"missing fields", 200, Refused, list(`{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, ""),
			elementsAlways(`{}`), refusals},
		{"branches that fail", 100, Refused, list(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},`+
			`"oneOf":[{"required":["a"]},{"required":["b"]}]}`, ""), elementsAlways(`{}`), refusals},
		{"wrong embedded resources", 50, Refused, list(embedded, ""),
			elements(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"P%d","labels":{"a":"-"}}}`), []requests{creates, verdict}},
		{"rules of elements that fail", 100, Refused, bounded(`{"type":"string","maxLength":10,` + rule(`self == 'a'`) + `}`),
			elements(`"x%d"`), []requests{creates, updates}},
		{"rules of an atomic list that fail", 100, Refused, list(`{"type":"object","properties":{"a":{"type":"string",`+
			`"maxLength":10}},`+rule(`self.a == 'a'`)+`}`, `,"maxItems":1000,"x-kubernetes-list-type":"atomic"`),
			elements(`{"a":"x%d"}`), []requests{creates, updates}},
		{"errors of keys of a map", 200, Refused, `{"type":"object","additionalProperties":{"type":"integer"}}`, members(`"k%d":"x"`), refusals},
	}
}

// metadata returns cases in which metadata grows.
func metadata() []Case {
	var list []Case
	for _, m := range []struct {
		name string
		n    int
		want Verdict
		text func(n int) string
	}{
		{"labels", 200, Accepted, func(n int) string { return `,"labels":{` + each(n, format(`"k%d":"v"`)) + `}` }},
		{"annotations", 200, Accepted, func(n int) string { return `,"annotations":{` + each(n, format(`"k%d":"v"`)) + `}` }},
		{"finalizers", 200, Accepted, func(n int) string { return `,"finalizers":[` + each(n, format(`"example.com/f%d"`)) + `]` }},
		{"owner references", 200, Accepted, owners},
		{"managed fields", 100, Accepted, managers},
		{"wrong labels", 200, Refused, func(n int) string { return `,"labels":{` + each(n, format(`"-%d":"-"`)) + `}` }},
		{"wrong annotations", 200, Refused, func(n int) string { return `,"annotations":{` + each(n, format(`"-%d":"-"`)) + `}` }},
		{"wrong finalizers", 200, Refused, func(n int) string { return `,"finalizers":[` + each(n, format(`"-%d"`)) + `]` }},
		{"equal owner references", 200, Refused, func(n int) string {
			return `,"ownerReferences":[` + each(n, constant(`{"apiVersion":"v1","kind":"Pod","name":"","uid":""}`)) + `]`
		}},
	} {
		created := func(n int) Input { return Input{Definition: widget(preserved), Object: objectWith(m.text(n), `{}`)} }
		updated := func(n int) Input {
			return Input{Definition: widget(preserved), Object: stored(m.text(n), `{}`), Old: stored("", `{}`)}
		}
		list = append(list,
			Case{"create/" + m.name, Create, m.n, created, m.want, 0},
			Case{"create json/" + m.name, CreateJSON, m.n, created, m.want, 0},
			Case{"update/" + m.name, Update, m.n, updated, m.want, 0},
			Case{"update json/" + m.name, UpdateJSON, m.n, updated, m.want, 0},
			Case{"update status/" + m.name, UpdateStatus, m.n, updated, Accepted, 0})
	}
	return list
}

const (
	set      = `{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}}`
	embedded = `{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}`
)

// one returns a schema of an object with one field a.
func one(field string) string { return `{"type":"object","properties":{"a":` + field + `}}` }

// bounded returns a schema of an object with a list of at most 1,000 items.
func bounded(items string) string { return list(items, `,"maxItems":1000`) }

// rule returns the member of a schema with one rule.
func rule(expression string) string {
	return `"x-kubernetes-validations":[{"rule":"` + expression + `"}]`
}

// listMap returns a schema of an object with a list of objects that k identifies.
func listMap(more string) string {
	return list(`{"type":"object","required":["k"],"properties":{"k":{"type":"string"`+more+`}}}`,
		`,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]`)
}

// members returns an object with n members.
func members(layout string) func(n int) string {
	return func(n int) string { return `{` + each(n, format(layout)) + `}` }
}

// elements returns an object with a list l of n elements.
func elements(layout string) func(n int) string {
	return func(n int) string { return `{"l":[` + each(n, format(layout)) + `]}` }
}

// elementsAlways returns an object with a list l of n equal elements.
func elementsAlways(element string) func(n int) string {
	return func(n int) string { return `{"l":[` + each(n, constant(element)) + `]}` }
}

// text returns an object with a string a of n bytes.
func text(n int) string { return `{"a":"` + strings.Repeat("a", n) + `"}` }

func owners(n int) string {
	return `,"ownerReferences":[` + each(n, func(i int) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","name":"p%d","uid":"u%d"}`, i, i)
	}) + `]`
}

func managers(n int) string {
	return `,"managedFields":[` + each(n, func(i int) string {
		return fmt.Sprintf(`{"manager":"m%d","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1",`+
			`"fieldsV1":{"f:spec":{"f:a%d":{}}}}`, i, i)
	}) + `]`
}
