package search

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/celsyntax"
	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/schema"
)

// The literals of a rule are the values with which it compares.
type literals struct {
	texts   []string
	numbers []int64
	names   map[string]bool // of fields that the rule may read
	paths   [][]string      // of the fields of self and oldSelf that the rule reads
	usesOld bool
	usesAll bool // the rule reads more than named fields of self
}

// commonTexts are values that rules about texts often admit or refuse.
var commonTexts = []string{
	"", "a", "A", "a-b", "-a", "a.b", "a/b", "/", "/a", "a b", "1", "0", "-1", "true", "*", "*.a.b", "http://a", "https://a.b/c", "https://a.b/c?d#e",
	"http://user:p@a.b:80/", "1s", "0s", "1h", "5m", "10ms", "100m", "1Gi", "0Gi", "1.5", "50%", "1.2.3.4", "10.0.0.0/8", "::1", "fd00::/64", "v1", "v1.2.3",
	"1.2.3", "example.com", "example.com/a", "a@sha256:" + strings64, "a:b", "a=b", "[]", "{}", "^a$", "(", "2024-02-29T12:30:45Z", "2024-02-29",
}

const strings64 = "0123456789012345678901234567890123456789012345678901234567890123"

func literalsOf(rule string) *literals {
	l := &literals{names: map[string]bool{}}
	tokens, ok := celsyntax.Tokens(rule)
	if !ok {
		l.usesAll, l.usesOld = true, strings.Contains(rule, "oldSelf")
		return l
	}
	for i, t := range tokens {
		text := rule[t.Start:t.End]
		switch {
		case t.IsName:
			if text == "self" || text == "oldSelf" {
				l.addPath(rule, tokens[i+1:])
			}
			if text == "oldSelf" {
				l.usesOld = true
			} else if i+1 == len(tokens) || rule[tokens[i+1].Start:tokens[i+1].End] != "(" {
				l.names[unescaped(text)] = true
			}
		case t.IsText:
			if !slices.Contains(l.texts, t.Text) {
				l.texts = append(l.texts, t.Text)
			}
			l.names[t.Text] = true // self['a'], and keys of maps
		case !t.IsOperator:
			if n, err := strconv.ParseInt(text, 0, 64); err == nil {
				l.numbers = append(l.numbers, n)
			}
		}
	}
	return l
}

func (l *literals) addPath(rule string, tokens []celsyntax.Token) {
	word := func(i int) string {
		if i < len(tokens) {
			return rule[tokens[i].Start:tokens[i].End]
		}
		return ""
	}
	var path []string
	for i := 0; word(i) == "." && i+1 < len(tokens) && tokens[i+1].IsName && word(i+2) != "("; i += 2 {
		path = append(path, unescaped(word(i+1)))
	}
	if len(path) > 0 {
		l.paths = append(l.paths, path)
	}
}

// unescaped returns the property name for an escaped name such as __namespace__.
func unescaped(name string) string { return strings.TrimSuffix(strings.TrimPrefix(name, "__"), "__") }

// literals returns the values with which a keyword compares.
func (t *Target) literals(root *schema.Node) *literals {
	out := &literals{names: map[string]bool{t.Name: true}}
	l, ok := schemapath.At(root, t.SchemaPointer)
	if !ok {
		return out
	}
	out.addLimits(l.Limits())
	if slices.Contains(junctors[:], t.Keyword) {
		n := l.Node
		if l.Branch != nil {
			n = (*schema.Node)(l.Branch)
		}
		for _, b := range branchesOf(n, t.Keyword) {
			out.addBranch(b)
		}
	}
	return out
}

func (l *literals) addLimits(limits schema.Limits) {
	for _, c := range []schema.Count{limits.MinLength, limits.MaxLength, limits.MinItems, limits.MaxItems, limits.MinProperties, limits.MaxProperties} {
		if c.Set {
			l.numbers = append(l.numbers, c.N)
		}
	}
	for _, b := range []schema.Bound{limits.Minimum, limits.Maximum} {
		if b.Set && b.Value > -1e18 && b.Value < 1e18 {
			l.numbers = append(l.numbers, int64(b.Value), int64(b.Value)-1, int64(b.Value)+1)
		}
	}
}

func (l *literals) addBranch(b *schema.Node) {
	if b == nil {
		return
	}
	limits := b.Limits()
	l.addLimits(limits)
	if limits.Pattern != "" {
		l.texts = append(l.texts, limits.Pattern)
	}
	for _, v := range limits.Enum {
		if text, ok := v.(string); ok {
			l.texts = append(l.texts, text)
		}
	}
	for _, name := range limits.Required {
		l.names[name] = true
	}
	for name, child := range b.Properties() {
		l.names[name] = true
		l.addBranch(child)
	}
	l.addBranch(b.Items())
	values, _ := b.AdditionalProperties()
	l.addBranch(values)
	for _, keyword := range junctors {
		for _, nested := range branchesOf(b, keyword) {
			l.addBranch(nested)
		}
	}
}
