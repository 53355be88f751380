package hostile

import (
	"fmt"
	"strings"
)

// Definitions returns the cases whose input is a definition.
func Definitions() []Case {
	same := func(name string, n int, want Verdict, text func(n int) string, ops ...named) []Case {
		var list []Case
		for _, op := range ops {
			list = append(list, Case{
				Name: op.name + "/" + name, Op: op.op, N: n, Want: want,
				Input: func(n int) Input { return Input{Definition: text(n)} },
			})
		}
		return list
	}
	parse, check, notes := named{"parse", Parse}, named{"check", Check}, named{"notes", CheckWithNotes}
	compile, stored := named{"compile", Compile}, named{"stored", Stored}
	api, export := named{"openapi", OpenAPI}, named{"jsonschema", JSONSchema}

	var list []Case
	list = append(list, same("width", 400, Accepted, wide, parse, check, notes, compile, stored, api, export)...)
	list = append(list, same("depth", 40, Accepted, deep, parse, check, notes, compile, stored, api, export)...)
	list = append(list, same("versions", 40, Accepted, manyVersions, parse, check, notes, compile, stored, api)...)
	list = append(list, same("length of a description", 20_000, Accepted, longDescription, parse, check, stored, api, export)...)
	list = append(list, same("enum values", 400, Accepted, enum, parse, check, compile, export)...)
	list = append(list, same("length of a pattern", 100, Accepted, longPattern, check, compile)...)
	list = append(list, same("required names", 400, Accepted, required, check, compile)...)
	list = append(list, same("elements of a default", 400, Accepted, largeDefault, check, compile, stored)...)
	list = append(list, same("branches of anyOf", 200, Accepted, branches, check, compile, export)...)
	list = append(list, same("rules", 40, Accepted, rules, check, notes, compile, named{"estimate", Estimate})...)
	list = append(list, same("nodes with rules, nested", 20, Accepted, nestedRules, notes, compile)...)
	list = append(list, same("length of a rule", 100, Accepted, longRule, check, compile)...)
	list = append(list, same("printer columns", 100, Accepted, columns, parse, check)...)
	list = append(list, same("short names", 100, Accepted, shortNames, check)...)

	list = append(list, same("schema errors", 200, Refused, schemaErrors, check, notes, compile)...)
	list = append(list, same("errors of a default", 200, Refused, defaultErrors, check)...)
	list = append(list, same("rules that do not compile", 40, Refused, wrongRules, check, compile)...)
	list = append(list, same("equal version names", 40, Refused, equalVersions, check)...)
	list = append(list, same("equal enum values", 200, Refused, equalEnum, check)...)
	list = append(list, same("wrong columns", 100, Refused, wrongColumns, check)...)
	list = append(list, same("wrong short names", 100, Refused, wrongShortNames, check)...)
	list = append(list, same("unknown fields", 200, Failed, unknownMembers, parse)...)
	list = append(list, same("nested items", 2_000, depends, nestedItems, parse)...)
	list = append(list, same("nested flow sequences", 2_000, Failed, nestedFlow, parse)...)
	list = append(list, same("aliases", 120, Failed, aliases, parse)...)
	return append(list, changes()...)
}

// A named is an operation and its name.
type named struct {
	name string
	op   Op
}

// changes returns the cases with two definitions.
func changes() []Case {
	pair := func(name string, op Op, n int, want Verdict, old, text func(n int) string) Case {
		return Case{Name: name, Op: op, N: n, Want: want, Input: func(n int) Input {
			return Input{Definition: text(n), Old: old(n)}
		}}
	}
	return []Case{
		pair("check update/width", CheckUpdate, 400, Accepted, wide, wide),
		pair("check update/rules", CheckUpdate, 40, Accepted, rules, rules),
		pair("check update/schema errors that were there", CheckUpdate, 200, Refused, schemaErrors, schemaErrors),
		pair("plan/versions", Plan, 400, Accepted, manyVersions, manyVersions),
		pair("compare/enum values", Compare, 400, Refused, func(n int) string { return enum(n + 1) }, enum),
		pair("compare/enum values that are new", Compare, 400, Refused, enum, func(n int) string { return enum(n + 1) }),
	}
}

func wide(n int) string { return widget(properties(n, constant(`{"type":"string","maxLength":5}`))) }

func deep(n int) string {
	return widget(nested(n, `{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`))
}

func manyVersions(n int) string {
	return versions(each(n, func(i int) string {
		return version(fmt.Sprintf("v%d", i+1), i == 0, `{"type":"object","properties":{"a":{"type":"string"}}}`)
	}))
}

func equalVersions(n int) string {
	return versions(each(n, func(i int) string { return version("v1", i == 0, preserved) }))
}

func longDescription(n int) string {
	return widget(`{"type":"object","description":"` + strings.Repeat("words \\\" and \\u00e9 ", n/16) + `"}`)
}

func enum(n int) string {
	return widget(`{"type":"object","properties":{"a":{"type":"string","enum":[` + each(n, format(`"value-%d"`)) + `]}}}`)
}

func equalEnum(n int) string {
	return widget(properties(n, constant(`{"type":"string","enum":["a","a"],"default":1}`)))
}

func longPattern(n int) string {
	return widget(`{"type":"object","properties":{"a":{"type":"string","pattern":"^(` +
		strings.Repeat("[a-f]x?", n) + `)$"}}}`)
}

func required(n int) string {
	return widget(strings.Replace(properties(n, constant(`{"type":"string"}`)),
		`{"type":"object",`, `{"type":"object","required":[`+each(n, format(`"p%d"`))+`],`, 1))
}

func largeDefault(n int) string {
	return widget(`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":` +
		`{"a":{"type":"string"},"b":{"type":"integer","default":1}}},"default":[` + each(n, format(`{"a":"x%d"}`)) + `]}}}`)
}

func branches(n int) string {
	return widget(`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[` +
		each(n, format(`{"properties":{"a":{"minLength":%d}}}`)) + `]}`)
}

func rules(n int) string {
	return widget(properties(n, func(i int) string {
		return fmt.Sprintf(`{"type":"string","maxLength":10,"x-kubernetes-validations":[{"rule":"self != 'a%d'"}]}`, i)
	}))
}

func nestedRules(n int) string {
	return widget(nested(n, `{"type":"object","x-kubernetes-validations":[{"rule":"has(self.a)"}],"properties":{"a":`,
		`{"type":"string"}`, `}}`))
}

func longRule(n int) string {
	return widget(`{"type":"object","properties":{"a":{"type":"string","maxLength":5}},"x-kubernetes-validations":` +
		`[{"rule":"` + strings.TrimPrefix(strings.Repeat(" || self.a == 'x'", n), " || ") + `"}]}`)
}

func wrongRules(n int) string {
	return widget(properties(n, func(i int) string {
		return fmt.Sprintf(`{"type":"string","x-kubernetes-validations":[{"rule":"self.missing%d == 1"}]}`, i)
	}))
}

func columns(n int) string {
	return withColumns(each(n, format(`{"name":"c%d","type":"string","jsonPath":".spec.p0"}`)))
}

func wrongColumns(n int) string {
	return withColumns(each(n, format(`{"name":"c%d","type":"wrong","jsonPath":"spec["}`)))
}

func withColumns(list string) string {
	return versions(versionWith("v1", true, preserved, `,"additionalPrinterColumns":[`+list+`]`))
}

func shortNames(n int) string { return withShortNames(each(n, format(`"n%d"`))) }

func wrongShortNames(n int) string { return withShortNames(each(n, format(`"N_%d"`))) }

func withShortNames(list string) string {
	return resource(version("v1", true, preserved),
		`"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList","shortNames":[`+list+`]`)
}

func schemaErrors(n int) string {
	return widget(properties(n, constant(`{"description":"has no type"}`)))
}

func defaultErrors(n int) string {
	return widget(`{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"},"default":[` +
		each(n, format(`"x%d"`)) + `]}}}`)
}

func unknownMembers(n int) string {
	return widget(`{"type":"object",` + each(n, format(`"unknown%d":1`)) + `}`)
}

func nestedItems(n int) string {
	return widget(nested(n, `{"type":"array","items":`, `{"type":"string"}`, `}`))
}

func nestedFlow(n int) string { return "a: " + nested(n, "[", "", "]") + "\n" }

func aliases(n int) string {
	return "a: &a " + strings.Repeat("text ", 200) + "\nb: [" + each(10*n, constant("*a")) + "]\n"
}
