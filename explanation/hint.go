package explanation

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/celtypes"
	"github.com/crdkit/crdkit/internal/nearname"
	"github.com/crdkit/crdkit/schema"
)

const (
	maxNames = 10_000   // of fields that are compared with names in a rule
	maxRule  = 16 << 10 // bytes of a rule that are searched for names
)

// hintFor returns the explanation of a rule of n that does not compile, nil if there
// is none. detail is the text of cel-go.
func hintFor(n *schema.Node, rule, detail string) *Explanation {
	if len(rule) > maxRule {
		return nil
	}
	h := hint{node: n, rule: rule, detail: detail, names: namesBelow(n)}
	for _, find := range []func() (what, write string){h.unescaped, h.reserved, h.undefined, h.undeclared} {
		if what, write := find(); write != "" {
			return &Explanation{Text: what + ": write " + write, Suggestion: write}
		}
	}
	return nil
}

// A hint is the search for what is wrong in a rule.
type hint struct {
	node         *schema.Node
	rule, detail string
	names        []string // of the fields of node and below, sorted
}

// namesBelow returns the names of the fields of n and below, sorted.
func namesBelow(n *schema.Node) []string {
	names := make(map[string]bool)
	seen := make(map[*schema.Node]bool)
	var walk func(*schema.Node)
	walk = func(n *schema.Node) {
		if n == nil || seen[n] || len(names) >= maxNames {
			return
		}
		seen[n] = true
		for name, child := range n.Properties() {
			names[name] = true
			walk(child)
		}
		walk(n.Items())
		values, _ := n.AdditionalProperties()
		walk(values)
	}
	walk(n)
	return slices.Sorted(maps.Keys(names))
}

// unescaped finds a name of a field that must be escaped, and is not.
func (h *hint) unescaped() (what, write string) {
	longest, owner := "", ""
	for _, name := range h.names {
		escaped, ok := apiservercel.Escape(name)
		if !ok || escaped == name || len(name) <= len(longest) {
			continue
		}
		if before, found := h.owner(name); found {
			longest, owner = name, before
		}
	}
	if longest == "" {
		return "", ""
	}
	escaped, _ := apiservercel.Escape(longest)
	return fmt.Sprintf("rules spell the field %q in another form", longest), owner + escaped
}

// owner finds a name in the rule as a field, and returns what is before it, with a dot.
func (h *hint) owner(name string) (string, bool) {
	for from := 0; ; {
		i := strings.Index(h.rule[from:], "."+name)
		if i < 0 {
			break
		}
		i += from
		if end := i + 1 + len(name); end == len(h.rule) || !isIdentifier(h.rule[end]) {
			return chainBefore(h.rule[:i]) + ".", true
		}
		from = i + 1
	}
	for _, quoted := range []string{"['" + name + "']", `["` + name + `"]`} {
		if i := strings.Index(h.rule, quoted); i >= 0 && strings.Contains(h.detail, "'_[_]'") {
			return chainBefore(h.rule[:i]) + ".", true
		}
	}
	return "", false
}

func isIdentifier(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// chainBefore returns the names, dots and indexes at the end of a text.
func chainBefore(text string) string {
	i := len(text)
	for i > 0 && (isIdentifier(text[i-1]) || strings.IndexByte(".[]", text[i-1]) >= 0) {
		i--
	}
	return strings.TrimLeft(text[i:], ".[]0123456789")
}

// reserved finds a reserved word that is the name of a field.
func (h *hint) reserved() (what, write string) {
	name, ok := quotedAfter(h.detail, "reserved identifier: ")
	if !ok || h.node.Property(name) == nil {
		return "", ""
	}
	escaped, ok := apiservercel.Escape(name)
	if !ok {
		return "", ""
	}
	return name + " is a reserved word of CEL", "self." + escaped
}

// undefined finds the field that is nearest to one that is not declared.
func (h *hint) undefined() (what, write string) {
	name, ok := quotedAfter(h.detail, "undefined field ")
	if !ok {
		return "", ""
	}
	what = fmt.Sprintf("no field %s is declared there", name)
	before := h.chainAt("undefined field ")
	if n := h.follow(before); n != nil {
		if near, ok := nearname.Nearest(name, escapedNames(n)); ok {
			return what, before + "." + near
		}
		return "", ""
	}
	near, ok := nearname.Nearest(name, slices.Values(h.names))
	if escaped, spelled := apiservercel.Escape(near); ok && spelled {
		return what, escaped
	}
	return "", ""
}

// chainAt returns the names before the location of a complaint.
func (h *hint) chainAt(complaint string) string {
	before, _, _ := strings.Cut(h.detail, complaint)
	start := strings.LastIndex(before, "<input>:")
	line, column, ok := strings.Cut(strings.TrimSuffix(before[max(start, 0):], ": "), ":1:")
	n, err := strconv.Atoi(column)
	if !ok || line != "<input>" || err != nil || n < 1 || n > len(h.rule) {
		return ""
	}
	return chainBefore(h.rule[:n-1])
}

// follow returns the schema of a chain of fields of self, nil if it is anything else.
func (h *hint) follow(chain string) *schema.Node {
	names := strings.Split(chain, ".")
	if names[0] != celtypes.Self && names[0] != celtypes.OldSelf {
		return nil
	}
	n := h.node
	for _, escaped := range names[1:] {
		name, ok := apiservercel.Unescape(escaped)
		if !ok {
			name = escaped
		}
		if n = n.Property(name); n == nil {
			return nil
		}
	}
	return n
}

// undeclared finds what a name stands for that is neither a variable nor a function.
func (h *hint) undeclared() (what, write string) {
	name, ok := quotedAfter(h.detail, "undeclared reference to ")
	if !ok {
		return "", ""
	}
	what = name + " is not declared"
	if strings.Contains(h.rule, name+"(") {
		near, _ := nearname.Nearest(name, functionNames())
		return what, near
	}
	if near, ok := nearname.Nearest(name, slices.Values([]string{celtypes.Self, celtypes.OldSelf})); ok {
		return what, near
	}
	if h.node.Property(name) != nil {
		return "rules read fields through self", celtypes.Self + "." + name
	}
	if near, ok := nearname.Nearest(name, escapedNames(h.node)); ok {
		return what, celtypes.Self + "." + near
	}
	return "", ""
}

// quotedAfter returns the word after a complaint, without its quotes.
func quotedAfter(text, complaint string) (string, bool) {
	_, after, ok := strings.Cut(text, complaint)
	if !ok {
		return "", false
	}
	end := strings.IndexFunc(after[min(1, len(after)):], func(r rune) bool { return r == '\'' || r == '\n' || r == ' ' })
	if end < 0 {
		end = len(after) - min(1, len(after))
	}
	word := strings.Trim(after[:end+min(1, len(after))], "'")
	return word, word != ""
}

// escapedNames yields the names of the fields of n as rules spell them.
func escapedNames(n *schema.Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range n.Properties() {
			if escaped, ok := apiservercel.Escape(name); ok && !yield(escaped) {
				return
			}
		}
	}
}

// functionNames yields the names of the functions that rules call by name.
func functionNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		language, err := celtypes.LanguageOf(celtypes.NewestMinor)
		if err != nil {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(language.Functions)) {
			if isIdentifier(name[0]) && !yield(name) {
				return
			}
		}
	}
}
