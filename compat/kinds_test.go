package compat_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// A changeKind is a change of one schema. apply changes it, and reports whether the
// change applies.
type changeKind struct {
	name  string
	apply func(rng *rand.Rand, s map[string]any) bool
}

// set returns a kind that sets a keyword of schemas of a type that lack it.
func set(typ, keyword string, v any) changeKind {
	return changeKind{"set " + keyword + " of " + typ, func(_ *rand.Rand, s map[string]any) bool {
		if s["type"] != typ || s[keyword] != nil {
			return false
		}
		s[keyword] = v
		return true
	}}
}

// drop returns a kind that removes a keyword.
func drop(keyword string) changeKind {
	return changeKind{"remove " + keyword, func(_ *rand.Rand, s map[string]any) bool {
		_, ok := s[keyword]
		delete(s, keyword)
		return ok
	}}
}

// add returns a kind that adds to a number.
func add(keyword string, n int64) changeKind {
	return changeKind{fmt.Sprintf("add %d to %s", n, keyword), func(_ *rand.Rand, s map[string]any) bool {
		v, ok := s[keyword].(int64)
		s[keyword] = v + n
		if !ok {
			delete(s, keyword)
		}
		return ok && v+n >= 0
	}}
}

// retype returns a kind that changes a type.
func retype(from, to string) changeKind {
	return changeKind{from + " becomes " + to, func(_ *rand.Rand, s map[string]any) bool {
		if s["type"] != from || s["default"] != nil || s["enum"] != nil || s["x-kubernetes-validations"] != nil || s["format"] != nil {
			return false
		}
		s["type"] = to
		return true
	}}
}

// rule returns a kind that adds a rule to schemas of a type.
func rule(typ, text string) changeKind {
	return changeKind{"rule " + text, func(_ *rand.Rand, s map[string]any) bool {
		if s["type"] != typ || s["format"] != nil {
			return false
		}
		rules, _ := s["x-kubernetes-validations"].([]any)
		s["x-kubernetes-validations"] = append(rules, map[string]any{"rule": text})
		return true
	}}
}

// property returns a kind that changes the properties of an object by the name of
// one of them.
func property(name string, f func(s, properties map[string]any, name string) bool) changeKind {
	return changeKind{name, func(rng *rand.Rand, s map[string]any) bool {
		properties, _ := s["properties"].(map[string]any)
		if len(properties) == 0 || s["x-kubernetes-validations"] != nil {
			return false
		}
		list := slices.Sorted(maps.Keys(properties))
		return f(s, properties, list[rng.IntN(len(list))])
	}}
}

var changeKinds = slices.Concat(typeKinds, boundKinds, objectKinds, ruleKinds)

var typeKinds = []changeKind{
	retype("string", "integer"), retype("integer", "string"), retype("integer", "number"), retype("boolean", "string"),
	set("string", "nullable", true), set("object", "nullable", true), drop("nullable"),
	set("string", "format", "ipv4"), set("string", "format", "date-time"), drop("format"),
	set("string", "enum", []any{"a", "b"}), drop("enum"),
	{"narrow enum", func(_ *rand.Rand, s map[string]any) bool {
		list, _ := s["enum"].([]any)
		if len(list) < 2 || s["default"] != nil {
			return false
		}
		s["enum"] = list[1:]
		return true
	}},
	{"widen enum", func(_ *rand.Rand, s map[string]any) bool {
		list, _ := s["enum"].([]any)
		if len(list) == 0 || s["type"] != "string" {
			return false
		}
		s["enum"] = append(list, "anotherValue")
		return true
	}},
	set("string", "default", "a"), set("integer", "default", int64(1)), set("boolean", "default", true), drop("default"),
}

var boundKinds = []changeKind{
	set("integer", "minimum", int64(1)), set("integer", "maximum", int64(1000)), set("integer", "multipleOf", int64(2)),
	add("minimum", 1), add("minimum", -1), add("maximum", 1), add("maximum", -1), drop("minimum"), drop("maximum"),
	set("string", "minLength", int64(1)), set("string", "maxLength", int64(10)), add("minLength", 1), add("maxLength", -1), add("maxLength", 10), drop("maxLength"), drop("minLength"),
	set("string", "pattern", "^[a-z]*$"), drop("pattern"),
	{"loosen pattern", func(_ *rand.Rand, s map[string]any) bool {
		p, ok := s["pattern"].(string)
		s["pattern"] = "(" + p + ")|^anything$"
		if !ok {
			delete(s, "pattern")
		}
		return ok
	}},
	set("array", "minItems", int64(1)), set("array", "maxItems", int64(2)), add("maxItems", -1), add("maxItems", 5), drop("maxItems"),
	set("object", "minProperties", int64(1)), set("object", "maxProperties", int64(3)),
}

var objectKinds = []changeKind{
	property("remove property", func(s, properties map[string]any, name string) bool {
		delete(properties, name)
		list, _ := s["required"].([]any)
		s["required"] = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v == name })
		return true
	}),
	property("rename property", func(s, properties map[string]any, name string) bool {
		if list, _ := s["required"].([]any); slices.Contains(list, any(name)) {
			return false
		}
		properties[name+"Renamed"] = properties[name]
		delete(properties, name)
		return true
	}),
	property("add property", func(_, properties map[string]any, _ string) bool {
		properties["added"] = map[string]any{"type": "string", "maxLength": int64(5)}
		return true
	}),
	property("add property with default", func(_, properties map[string]any, _ string) bool {
		properties["added"] = map[string]any{"type": "string", "default": "x"}
		return true
	}),
	property("require property", func(s, properties map[string]any, name string) bool {
		list, _ := s["required"].([]any)
		if child, ok := properties[name].(map[string]any); !ok || slices.Contains(list, any(name)) || child["default"] != nil {
			return false
		}
		s["required"] = append(list, name)
		return true
	}),
	property("require no property", func(s, _ map[string]any, _ string) bool {
		list, _ := s["required"].([]any)
		delete(s, "required")
		return len(list) > 0 && s["x-kubernetes-list-map-keys"] == nil
	}),
	set("array", "x-kubernetes-list-type", "set"), drop("x-kubernetes-list-type"),
	set("object", "x-kubernetes-preserve-unknown-fields", true), drop("x-kubernetes-preserve-unknown-fields"),
	set("integer", "allOf", []any{map[string]any{"maximum": int64(50)}}),
	set("string", "anyOf", []any{map[string]any{"maxLength": int64(3)}, map[string]any{"pattern": "^x"}}),
	set("string", "not", map[string]any{"enum": []any{"forbidden"}}),
	property("at most one property", func(s, properties map[string]any, name string) bool {
		list := slices.Sorted(maps.Keys(properties))
		if s["oneOf"] != nil || s["type"] != "object" || list[0] == name {
			return false
		}
		s["oneOf"] = []any{map[string]any{"required": []any{name}}, map[string]any{"required": []any{list[0]}}}
		return true
	}),
	{"embedded resource", func(_ *rand.Rand, s map[string]any) bool {
		if s["x-kubernetes-preserve-unknown-fields"] != true || s["type"] != "object" {
			return false
		}
		s["x-kubernetes-embedded-resource"] = true
		return true
	}},
}

var ruleKinds = []changeKind{
	rule("integer", "self < 100"), rule("string", "self.startsWith('a') || self.size() < 20"), rule("array", "self.size() < 3"),
	rule("string", "self != oldSelf || self == 'a'"), rule("string", "self == oldSelf"), rule("integer", "self >= oldSelf"),
	rule("string", "self.lowerAscii() == self"), rule("integer", "self * self < 1000"), rule("string", "true || self == ''"),
	drop("x-kubernetes-validations"),
	{"tighten rule", func(_ *rand.Rand, s map[string]any) bool {
		rules, _ := s["x-kubernetes-validations"].([]any)
		if len(rules) == 0 {
			return false
		}
		first, _ := rules[0].(map[string]any)
		first["rule"] = fmt.Sprintf("(%s) && has(self.%s)", first["rule"], "tightened")
		properties, ok := s["properties"].(map[string]any)
		if ok {
			properties["tightened"] = map[string]any{"type": "string"}
		}
		return ok
	}},
	{"loosen rule", func(_ *rand.Rand, s map[string]any) bool {
		rules, _ := s["x-kubernetes-validations"].([]any)
		if len(rules) == 0 {
			return false
		}
		first, _ := rules[0].(map[string]any)
		first["rule"] = fmt.Sprintf("(%s) || has(self.loosened)", first["rule"])
		properties, ok := s["properties"].(map[string]any)
		if ok {
			properties["loosened"] = map[string]any{"type": "string"}
		}
		return ok
	}},
	{"same rule in other words", func(_ *rand.Rand, s map[string]any) bool {
		rules, _ := s["x-kubernetes-validations"].([]any)
		if len(rules) == 0 {
			return false
		}
		first, _ := rules[0].(map[string]any)
		first["rule"] = fmt.Sprintf("!(!(%s))", first["rule"])
		return true
	}},
}
