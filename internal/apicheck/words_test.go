package apicheck

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A retiredWord is a word that identifiers of this module no longer use.
type retiredWord struct {
	list  []string // in lower case
	use   string   // what to write instead
	in    []string // patterns of package directories, nil for all packages
	scope wordScope
}

// A wordScope says which identifiers a retired word concerns.
type wordScope uint8

const (
	anyPart   wordScope = iota // identifiers of which the word is a part
	wholeName                  // identifiers that are the word
	functions                  // unexported functions and methods that are the word
	types                      // types that are the word
)

var (
	celPackages     = []string{"validation/cel", "internal/cel*", "internal/fieldaccess"}
	requestPackages = []string{".", "internal/fastpath"}
)

// retired are the words that docs/ARCHITECTURE.md replaced by those of its
// glossary.
var retired = []retiredWord{
	{list: []string{"plain", "quick", "quickly", "fine", "ordinary", "odd", "unsure"}, use: "reference, fast, or what the fast implementation accepts"},
	{list: []string{"body", "made"}, use: "carrier, output", in: requestPackages},
	{list: []string{"untouched", "peek"}, use: "unmodified, view"},
	{list: []string{"forgiving", "consider", "hopeless", "excused"}, use: "ratchet, candidate, forgiven"},
	{list: []string{"trail", "way", "ways", "place", "places"}, use: "path stack, carrier, location"},
	{list: []string{"whereabouts"}, use: "schema pointer, JSON pointer, field path"},
	{list: []string{"code", "fault", "faults"}, use: "operand, closure, eval error", in: celPackages},
	{list: []string{"maybe"}, use: "optional"},
	{list: []string{"shape", "shapes"}, use: "declared type", in: celPackages},
	{list: []string{"reading", "reach"}, use: "read set, access"},
	{list: []string{"survey", "spot", "spots"}, use: "rule checker, rule cost"},
	{list: []string{"finding", "findings"}, use: "scan result", in: celPackages},
	{list: []string{"look", "looks", "say", "says", "twin"}, use: "what the function returns or does"},
	{list: []string{"certain", "doubt"}, use: "needs validators, needs none"},
	{list: []string{"settled"}, use: "schema valid, scale valid, canonical, unchanged, reconciled"},
	{list: []string{"obstacle", "obstacles", "rehearse", "rehearsal"}, use: "blocker, dry run"},
	{list: []string{"via"}, use: "at version", in: []string{".", "migration", "cmd/crdkit"}},
	{list: []string{"blurred"}, use: "integral float"},
	{list: []string{"words"}, use: "fallback list, string list"},
	{list: []string{"late"}, use: "lazily"},
	{list: []string{"explain", "tabular"}, use: "kubectl", scope: types},
	{list: []string{"names"}, use: "name index", scope: types},
	{list: []string{"value", "node", "fit", "place"}, use: "what the function returns or does", scope: functions},
}

// TestVocabulary checks that no identifier that this module declares uses a
// retired word.
func TestVocabulary(t *testing.T) {
	for _, f := range moduleFiles(t) {
		for _, d := range declared(f.ast) {
			if r := d.rule(f.pkg); r != nil {
				t.Errorf("%s: %s uses a retired word, write: %s", f.fset.Position(d.pos), d.name, r.use)
			}
		}
	}
}

// A declaration is an identifier that a file declares.
type declaration struct {
	name string
	pos  token.Pos
	kind wordScope // functions or types, else anyPart
}

// rule returns the rule that d breaks in a package, nil if there is none.
func (d declaration) rule(pkg string) *retiredWord {
	parts := splitIdentifier(d.name)
	for i := range retired {
		r := &retired[i]
		if r.in != nil && !slices.ContainsFunc(r.in, func(pattern string) bool { return matches(pattern, pkg) }) {
			continue
		}
		if slices.ContainsFunc(r.list, func(word string) bool { return d.uses(word, parts, r.scope) }) {
			return r
		}
	}
	return nil
}

func (d declaration) uses(word string, parts []string, scope wordScope) bool {
	switch scope {
	case anyPart:
		return slices.Contains(parts, word)
	case functions:
		return d.kind == functions && d.name == word
	case types:
		return d.kind == types && strings.EqualFold(d.name, word)
	default:
		return strings.EqualFold(d.name, word)
	}
}

// matches reports whether pattern matches the directory of a package. A pattern
// without a star matches only the package itself.
func matches(pattern, pkg string) bool {
	ok, err := path.Match(pattern, pkg)
	return ok && err == nil
}

var camelWord = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)

// splitIdentifier splits an identifier in camel case into lower-case words. The
// last capital of several begins the next word: JSONBody is json and body.
func splitIdentifier(name string) []string {
	var out []string
	for _, w := range camelWord.FindAllString(name, -1) {
		capitals := len(w) - len(strings.TrimLeft(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		if capitals > 1 && capitals < len(w) {
			out = append(out, strings.ToLower(w[:capitals-1]))
			w = w[capitals-1:]
		}
		out = append(out, strings.ToLower(w))
	}
	return out
}

// declared returns the identifiers that a file declares, local ones included.
func declared(file *ast.File) []declaration {
	out := []declaration{{name: file.Name.Name, pos: file.Name.Pos(), kind: types}}
	add := func(kind wordScope, names ...*ast.Ident) {
		for _, id := range names {
			out = append(out, declaration{name: id.Name, pos: id.Pos(), kind: kind})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(functions, n.Name)
		case *ast.TypeSpec:
			add(types, n.Name)
		case *ast.ValueSpec:
			add(anyPart, n.Names...)
		case *ast.Field:
			add(anyPart, n.Names...)
		case *ast.LabeledStmt:
			add(anyPart, n.Label)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(anyPart, identifiers(n.Lhs...)...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(anyPart, identifiers(n.Key, n.Value)...)
			}
		}
		return true
	})
	return out
}

func identifiers(list ...ast.Expr) []*ast.Ident {
	var out []*ast.Ident
	for _, x := range list {
		if id, ok := x.(*ast.Ident); ok {
			out = append(out, id)
		}
	}
	return out
}

func TestSplitIdentifier(t *testing.T) {
	for name, want := range map[string][]string{
		"pathTrail": {"path", "trail"}, "JSONBody": {"json", "body"}, "CELTypes": {"cel", "types"}, "place": {"place"},
		"IsFIPS": {"is", "fips"}, "placeholder": {"placeholder"}, "V1beta1Rules": {"v", "beta", "rules"}, "_": nil,
	} {
		if got := splitIdentifier(name); !slices.Equal(got, want) {
			t.Errorf("splitIdentifier(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestRetiredRules pins what the rules find in a small file.
func TestRetiredRules(t *testing.T) {
	file := parseText(t, `package p
type Names []string
type pathTrail struct{ plainText int }
func (pathTrail) value(way int) {
look:
	for ordinary, x := range []int{} { quick := x; _ = quick; continue look }
}
func nodes() (hasValue bool) { return }
`)
	var got []string
	for _, d := range declared(file) {
		if d.rule("internal/x") != nil {
			got = append(got, d.name)
		}
	}
	slices.Sort(got)
	want := []string{"Names", "look", "ordinary", "pathTrail", "plainText", "quick", "value", "way"}
	if !slices.Equal(got, want) {
		t.Errorf("retired words in %q, want %q", got, want)
	}
}
