package celcond

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/parser"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/cel/celsyntax"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

func props(text string) map[string]apiextensionsv1.JSONSchemaProps {
	out := map[string]apiextensionsv1.JSONSchemaProps{}
	for _, name := range strings.Fields(text) {
		out[name] = apiextensionsv1.JSONSchemaProps{Type: "integer"}
	}
	return out
}

// TestOpaquePartsCancelOut asks whether a value for which one rule holds can break
// another one.
func TestOpaquePartsCancelOut(t *testing.T) {
	objects := apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: props("a b")}}}
	n := compiled(t, apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"a": {Type: "integer"}, "b": {Type: "integer"}, "l": objects, "m": objects,
	}})
	for _, tt := range []struct {
		rule, other string
		changed     string // the path of a value that differs
		breaks      bool
	}{
		{"self.a * self.b < 9", "self.a * self.b < 9", "", false},
		{"self.a * self.b < 9", "self.a*self.b   <   9 // text", "", false},
		{"self.a * self.b < 9", "self.a * self.b < 9 || self.a == 1", "", false},
		{"self.a * self.b < 9", "self.a * self.b < 9 && self.a == 1", "", true},
		{"self.a * self.b < 9", "!(self.a * self.b < 9)", "", true},
		{"self.a * self.b < 9", "self.b * self.a < 9", "", true},
		{"self.a * self.b < 9", "self.a * self.b < 9", "b", true},
		{"self.a * self.b < 9", "self.a * self.b < 9", "l", false},
		{"self.l.all(e, e.a * e.b < 9)", "self.l.all(e, e.a * e.b < 9)", "", false},
		{"self.l.all(e, e.a * e.b < 9)", "self.l.all(e, e.a * e.b < 9)", "l " + Items + " b", true},
		{"self.l.all(e, e.a * e.b < 9)", "self.l.all(e, e.a * e.b < 9)", "m " + Items + " b", false},
		{"self.l.all(e, e.a * self.b < 9)", "self.l.all(e, e.a * self.b < 9)", "b", true},
		{"self.l.all(e, e.a * self.b < 9)", "self.m.all(e, e.a * self.b < 9)", "", true},
		{"self.l.all(e, e.a * e.b < 9)", "self.l.all(e, e.a * e.b < 9 || e.a == 1)", "", false},
		{"{'a': self.a}['a'] < 9", "{'a': self.a}['a'] < 9", "", false},
		{"{'a': self.a}['a'] < 9", "{'a': self.a}['a'] < 9", "b", false},
		{"{'a': self.a}['a'] < 9", "{'a': self.a}['a'] < 9", "*", true},
		{"{'a': self.a}['a'] < 9", "{'a': self.b}['a'] < 9", "", true},
		{"[?self.?a].size() < 1", "[self.?a].size() < 1", "", true},
		{"self.`a` < 9 * 1", "self.`a` < 9 * 1", "b", false},
	} {
		translator := New(n, nil)
		var changed func([]string) bool
		if tt.changed != "" {
			changed = func(path []string) bool {
				return tt.changed == "*" || strings.Join(path, " ") == tt.changed
			}
		}
		rule, other := translator.Rule(tt.rule, n, nil), translator.Rule(tt.other, n, changed)
		r := solver().Solve(search.And(rule.Holds, search.Not(other.Holds)))
		if got := r.Status != search.None; got != tt.breaks {
			t.Errorf("%s, then %s with another %q: breaks %v, want %v", tt.rule, tt.other, tt.changed, got, tt.breaks)
		}
		if solver().Solve(search.And(other.Holds, other.Fails)).Status != search.None {
			t.Errorf("%s holds and fails", tt.other)
		}
	}
}

// TestReads lists what opaque expressions read of the value of a rule.
func TestReads(t *testing.T) {
	p := celsyntax.New([]parser.Macro{parser.HasMacro})
	for rule, want := range map[string]string{
		"self":                            "(self)",
		"1 == 2":                          "",
		"other.a":                         "",
		"self.a + oldSelf.b.c":            "a, b.c",
		"self.__namespace__":              "namespace",
		"self['a-b'].c":                   "a-b.c",
		"self.l[0].a":                     "l.[].a",
		"self.l[self.i]":                  "i, l",
		"has(self.a.b)":                   "a.b.?",
		"has(self.f().b)":                 "(self)",
		"size(self.a)":                    "a.#",
		"self.a.size()":                   "a.#",
		"self.a.trim().size()":            "a",
		"[self.a, self.b]":                "a, b",
		"self.a.replace(self.b, 'c')":     "a, b",
		"self.l.all(e, e.a > self.b)":     "b, l.#, l.[].a",
		"self.l.map(e, e.a).size()":       "l.#, l.[].a",
		"self.l.map(e, e.a).sum()":        "l.#, l.[].a",
		"self.l.filter(e, e.a).size()":    "l.#, l.[].a",
		"self.l.filter(e, e.a)[0].b":      "l.#, l.[], l.[].a",
		"self.l.all(e, e.m.exists(f, f))": "l.#, l.[].m.#, l.[].m.[]",
		"self.l.all(self, self.a)":        "l.#, l.[].a",
		"self.f(x).all(e, e.a)":           "(self)",
		"self.?a.orValue(self.b)":         "(self), b",
	} {
		tree := p.Parse(rule)
		if tree == nil {
			t.Fatal(rule)
		}
		var got []string
		for _, path := range reads(tree.Expr(), map[string][]string{"self": {}, "oldSelf": {}}) {
			text := strings.NewReplacer(Items, "[]", Presence, "?", Size, "#").Replace(strings.Join(path, "."))
			if text == "" {
				text = "(self)"
			}
			got = append(got, text)
		}
		slices.Sort(got)
		if text := strings.Join(slices.Compact(got), ", "); text != want {
			t.Errorf("%s reads %s, want %s", rule, text, want)
		}
	}
}

// TestText checks that expressions with one text have one value.
func TestText(t *testing.T) {
	p := celsyntax.New([]parser.Macro{parser.HasMacro})
	for rule, want := range map[string]string{
		"self . a":            "self.a",
		"has(self.a)":         "has(self.a)",
		"self.a(1, [b, 'c'])": `self.a(1, [b, "c"])`,
		"f(-x, 2u, 2, 2.0)":   "f(-x, 2u, 2, 2.0)",
		"f(0, null, false)":   "f(0, null, false)",
		"a && (b || c)":       "a && (b || c)",
	} {
		if got := Text(p.Parse(rule).Expr()); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}

// TestMember checks that each member of an object goes through the function of the
// caller, with the schema of the object.
func TestMember(t *testing.T) {
	n := compiled(t, apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"p": {Type: "object", Properties: props("a")},
	}})
	var seen []string
	translator := New(n, func(of *schema.Node, name string, c *search.Cond) *search.Cond {
		if of.Property(name) == nil {
			t.Errorf("%s is not of its schema", name)
		}
		seen = append(seen, name)
		return search.IfAt(name, c)
	})
	r := translator.Rule("self.p.a > 3", n, nil)
	if slices.Sort(seen); !slices.Contains(seen, "a") || !slices.Contains(seen, "p") {
		t.Errorf("members %v", seen)
	}
	if s := solver(); !s.Satisfied(r.Holds, map[string]any{}) || s.Satisfied(r.Holds, map[string]any{"p": map[string]any{"a": int64(3)}}) {
		t.Error("the member of the caller does not count")
	}
}

// TestMetadata checks that rules on whole objects read the name of an object, and
// nothing else of its metadata.
func TestMetadata(t *testing.T) {
	n := compiled(t, apiextensionsv1.JSONSchemaProps{Type: "object", Properties: props("a")})
	for rule, opaque := range map[string]bool{
		"self.metadata.name == 'a'":                                           false,
		"!has(self.metadata.generateName)":                                    false,
		"self.metadata.labels.x == 'a'":                                       true,
		"self.metadata.name == 'a' && self.a > 3 || self.metadata.name != ''": false,
	} {
		r := New(n, nil).Rule(rule, n, nil)
		if obj := map[string]any{"metadata": map[string]any{"name": "a"}, "a": int64(4)}; solver().Satisfied(r.Holds, obj) == opaque {
			t.Errorf("%s: what holds for %v is wrong", rule, obj)
		}
	}
	inner := compiled(t, apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"metadata": {Type: "object", Properties: props("name")}}})
	if r := New(n, nil).Rule("self.metadata.name == 3", inner, nil); !solver().Satisfied(r.Holds, map[string]any{"metadata": map[string]any{"name": int64(3)}}) {
		t.Error("metadata of another object is not what its schema says")
	}
}
