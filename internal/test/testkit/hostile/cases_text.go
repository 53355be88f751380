package hostile

import (
	"fmt"
	"strings"
)

// Texts returns the cases in which the form of a text grows: JSON, YAML, and the
// requests of conversion webhooks.
func Texts() []Case {
	schema := widget(preserved)
	body := func(text func(n int) string) func(n int) Input {
		return func(n int) Input { return Input{Definition: schema, Object: text(n)} }
	}
	return []Case{
		{"create json strict/equal members", CreateJSONStrict, 200, body(func(n int) string {
			return object(`{` + each(n, constant(`"a":1`)) + `}`)
		}), Refused, 0},
		{"create json/space", CreateJSON, 20_000, body(func(n int) string {
			return strings.Repeat(" ", n) + object(`{}`)
		}), Accepted, 0},
		{"create json/escapes", CreateJSON, 2_000, body(func(n int) string {
			return object(`{"a":"` + strings.Repeat(`\u00e9`, n) + `"}`)
		}), Accepted, 0},
		{"create json/digits", CreateJSON, 2_000, body(func(n int) string {
			return object(`{"a":0.` + strings.Repeat("1", n) + `}`)
		}), Accepted, 0},
		{"create json/open brackets", CreateJSON, 20_000, body(func(n int) string { return strings.Repeat("[", n) }), Refused, 0},
		{"create yaml/lines", CreateYAML, 200, body(func(n int) string {
			return "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: ns}\nspec:\n" +
				lines(n, func(i int) string { return fmt.Sprintf("  k%d: v", i) })
		}), Accepted, 0},
		{"create yaml/comments", CreateYAML, 2_000, body(func(n int) string {
			return lines(n, constant("# comment")) +
				"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: ns}\nspec: {}\n"
		}), Accepted, 0},
		{"create yaml/folded text", CreateYAML, 400, body(func(n int) string {
			return "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: ns}\nspec:\n  a: >\n" +
				lines(n, constant("    words of a text"))
		}), Accepted, 0},
		{"create yaml/depth", CreateYAML, 100, body(func(n int) string {
			return "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: ns}\nspec: " +
				nested(n, "{a: ", "1", "}") + "\n"
		}), Accepted, 0},
		{"locate/aliases in one line", Locate, 400, func(n int) Input {
			return Input{Object: "a: &x {b: 1}\nl: [" + each(n, constant("*x")) + "]\n"}
		}, Accepted, 0},
		{"review/objects", Review, 50, body(func(n int) string {
			return review(each(n, format(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w%d"}}`)))
		}), Accepted, 0},
		{"review/size of an object", Review, 400, body(func(n int) string {
			return review(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{` +
				each(n, format(`"a%d":1`)) + `}}`)
		}), Accepted, 0},
	}
}

// review returns the request of a conversion webhook.
func review(objects string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"1",` +
		`"desiredAPIVersion":"example.com/v2","objects":[` + objects + `]}}`
}

// lines returns n lines.
func lines(n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(text(i))
		b.WriteByte('\n')
	}
	return b.String()
}

// Cases returns all cases.
func Cases() []Case {
	list := append(append(Definitions(), Objects()...), Texts()...)
	for i, c := range list {
		list[i].Most = deepest(c.Name)
	}
	return list
}

// deepest returns the largest size of a case that decoders do not refuse, 0 for any.
func deepest(name string) int {
	_, dimension, _ := strings.Cut(name, "/")
	switch dimension {
	case "depth", "nodes with rules, nested":
		return 480 // definition.DefaultMaxNesting, with two levels for each schema
	case "depth of preserved fields", "depth of preserved lists":
		return 9_900 // of encoding/json, with some levels above
	}
	return 0
}
