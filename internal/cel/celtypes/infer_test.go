package celtypes

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/cel-go/checker"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
)

// replacements are texts that replace a word of a rule. Names of fields replace
// others.
var replacements = []string{
	"self", "oldSelf", "x", "y", "k", "'a'", "1", "-1", "1u", "1.5", "true", "null", "[]", "[1]", "['a']", "[1, 'a']", "b'a'", "int", "string", "type", "dyn(self)", "optional.of(self)", "@result",
	"==", "!=", "<", ">=", "&&", "||", "+", "-", "*", "/", "%", " in ", "?", ":", ",", ".", "!", "(", ")",
	"size", "has", "all", "exists", "exists_one", "map", "filter", "matches", "startsWith", "contains", "find", "split", "join", "sum", "min", "max", "isSorted", "indexOf", "lowerAscii", "int(self)", "string(self)",
	"double(self)", "duration('1h')", "timestamp('2020-01-01T00:00:00Z')", "getHours()", "size()", "sets.contains", "sets", "ip", "isIP", "url", "quantity", "isGreaterThan", "format", "dns1123Label", "orValue", "hasValue()", "transformList",
	"flatten()", "reverse()", "sort()", "distinct()", "first()", "slice(0, 1)", "lists.range(3)", "self[0]", "self['a']", "[self, self]", "self.map(z, z)", "self.map(z, [z])", "self.filter(z, z == z)", "{'a': self}", "self ? self : self", "google", "net.IP",
}

var ruleTokens = regexp.MustCompile(`[A-Za-z_@][A-Za-z_0-9]*|\d+|'[^']*'|[<>=!&|]+|[-+*/%?:.,()]`)

// TestTyping infers the types of rules of the corpus, unchanged and changed at random. It compares
// them with the types that cel-go infers. CRDKIT_TYPINGS sets the number of rules.
func TestTyping(t *testing.T) {
	if testing.Short() {
		t.Skip("checks rules of the corpus; skipped with -short")
	}
	count, err := strconv.Atoi(os.Getenv("CRDKIT_TYPINGS"))
	if err != nil {
		count = 1000
	}
	language, err := LanguageOf(NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	sites := corpusSites(t)
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	own := 0
	for i := range count {
		s := sites[rng.IntN(len(sites))]
		self := language.NewProvider().TypeOf(SelfType, s.node, s.root)
		if self == nil {
			continue
		}
		text := s.node.Rules()[rng.IntN(len(s.node.Rules()))].Rule
		for range i % 3 {
			locations := ruleTokens.FindAllStringIndex(text, -1)
			if len(locations) == 0 {
				break
			}
			by := pick(replacements)
			if names := fieldNames(s.node); rng.IntN(3) == 0 && len(names) > 0 {
				by = pick(names)
			}
			at := locations[rng.IntN(len(locations))]
			text = text[:at[0]] + by + text[at[1]:]
		}
		x := NewChecker(language, perCallLimit, false)
		in := x.Scope(self)
		if checkTyping(t, &x, in, text) {
			own++
		}
	}
	t.Logf("the types of %d of %d rules are inferred", own, count)
	if own < count/4 || own > count*9/10 {
		t.Error("too few types are inferred, or too few rules are invalid")
	}
}

// TestDeclined compares the types of the texts in the tables with those of
// cel-go. It compares the list of the correct texts that the fast path declines with a
// recorded one; with -update it records it again.
func TestDeclined(t *testing.T) {
	language, err := LanguageOf(NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	x := NewChecker(language, perCallLimit, false)
	var b strings.Builder
	seen := map[string]bool{}
	for _, group := range expressionTexts(t) {
		s := x.Scope(language.NewProvider().TypeOf(SelfType, group.node, true))
		for _, text := range group.texts {
			text = strings.TrimSuffix(text, "\n")
			checkTyping(t, &x, s, text)
			if tree := x.fast(s, text, false); tree != nil && x.isPlain(tree) || seen[text] {
				continue
			}
			if accepts(&x, s, text) {
				seen[text] = true
				b.WriteString(text + "\n")
			}
		}
	}
	testkit.Recorded(t, "testdata/declined.txt", b.String())
}

// accepts reports whether cel-go accepts a text. One of its validators panics on some.
func accepts(x *Checker, s *Scope, text string) (ok bool) {
	defer Recover(func(error) { ok = false })
	tree, _ := x.reference(x.Language.Env, s, text, false)
	return tree != nil
}

// TestReserved checks that a field with a reserved name has its escaped name
// and, since Kubernetes 1.31, its own name.
func TestReserved(t *testing.T) {
	n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"namespace": {Type: "string"}, "a-b": {Type: "string"}},
	})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	for minor := OldestMinor; minor <= NewestMinor; minor++ {
		language, err := LanguageOf(minor)
		if err != nil {
			t.Fatal(err)
		}
		x := NewChecker(language, perCallLimit, false)
		p := language.NewProvider()
		self := p.TypeOf(SelfType, n, true)
		for name, want := range map[string]bool{"__namespace__": true, "namespace": minor >= 31, "a__dash__b": true, "__a__": false} {
			if _, why := x.reference(language.Env, x.Scope(self), "self."+name+" == 'x'", false); (why == "") != want {
				t.Errorf("1.%d: self.%s: %q, want it to compile: %v", minor, name, why, want)
			}
			if got := p.Field(self, name) != nil; got != (want && name != "namespace") {
				t.Errorf("1.%d: Field(%q) is found: %v", minor, name, got)
			}
		}
	}
}

// TestDeclaresMeta: a schema declares the metadata of resources only if it
// declares each part with its type.
func TestDeclaresMeta(t *testing.T) {
	parts := map[string]string{"apiVersion": "string", "kind": "string", "name": "string", "generateName": "string"}
	declares := func(changed, typ string) bool {
		props := map[string]apiextensionsv1.JSONSchemaProps{}
		metadata := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
		for name, is := range parts {
			if name == changed {
				is = typ
			}
			switch {
			case is == "":
			case strings.HasSuffix(strings.ToLower(name), "name"):
				metadata.Properties[name] = apiextensionsv1.JSONSchemaProps{Type: is}
			default:
				props[name] = apiextensionsv1.JSONSchemaProps{Type: is}
			}
		}
		if props["metadata"] = metadata; changed == "metadata" {
			delete(props, "metadata")
		}
		n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: props})
		if len(errs) > 0 {
			return false // metadata of another type is refused
		}
		return DeclaresMeta(n)
	}
	if !declares("", "") {
		t.Error("a schema with all parts does not declare metadata")
	}
	for _, name := range []string{"apiVersion", "kind", "name", "generateName", "metadata"} {
		for _, typ := range []string{"", "integer"} {
			if declares(name, typ) {
				t.Errorf("a schema whose %s has type %q declares metadata", name, typ)
			}
		}
	}
}

// A site is a schema of the corpus with rules.
type site struct {
	node *schema.Node
	root bool
}

var sites []site // loaded once, because loading takes longer than most tests

func corpusSites(t *testing.T) []site {
	t.Helper()
	if sites != nil {
		return sites
	}
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema == nil {
				continue
			}
			if n, errs := schema.Compile(v.Schema.OpenAPIV3Schema); len(errs) == 0 {
				eachRule(n, true, func(n *schema.Node, root bool) { sites = append(sites, site{n, root}) })
			}
		}
	}
	return sites
}

// fieldNames returns the names of the fields of n and of the fields below them.
func fieldNames(n *schema.Node) []string {
	var names []string
	for name, child := range n.Properties() {
		names = append(names, name)
		for name := range child.Properties() {
			names = append(names, name)
		}
	}
	return names
}

// checkTyping compares the inferred types of a text with those of cel-go's checker. It reports
// whether they are inferred.
func checkTyping(t *testing.T, x *Checker, s *Scope, text string) bool {
	t.Helper()
	tree := x.Language.syntax.Parse(text)
	if tree == nil {
		return false
	}
	got := x.Language.signatures.typed(tree, s, false)
	if got == nil {
		return false
	}
	env, err := s.checker(x.Language, false)
	if err != nil {
		t.Fatal(err)
	}
	want, wrong := checker.Check(x.Language.syntax.Parse(text), nil, env)
	if list := wrong.GetErrors(); len(list) > 0 {
		t.Errorf("%s: has types, but %s", text, list[0].Message)
	} else if got, want := details(got), details(want); got != want {
		t.Errorf("%s: types and references are\n%s\nwant\n%s", text, got, want)
	}
	return true
}
