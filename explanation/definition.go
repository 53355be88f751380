package explanation

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/names/nearname"
	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// Definition explains an error of package definition, or of [crdkit.Compile], about a rule that
// does not compile or costs too much. It returns nil for other errors, if it has nothing to add to
// the server's text, and if crd or err is nil.
//
// It finds names that need escaping (self.a-b is self.a__dash__b), reserved words and names without
// self. For other names it finds the nearest declared field. Definition compiles the schema that
// has the rule. It does not change crd or err.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules.
func Definition(crd *apiextensionsv1.CustomResourceDefinition, err *field.Error) *Explanation {
	if crd == nil || err == nil {
		return nil
	}
	if isCost(err) {
		return &Explanation{Text: "the rule may cost too much: " + costs, Suggestion: costs}
	}
	props, rest := schemaOfRule(crd, err.Field)
	if props == nil || !strings.Contains(err.Detail, "compilation failed: ") {
		return nil
	}
	text, ok := expressionOf(props, rest)
	if !ok {
		return nil
	}
	n, errs := schema.Compile(props)
	if len(errs) > 0 {
		return nil
	}
	return hintFor(n, text, err.Detail)
}

func isCost(err *field.Error) bool {
	return strings.Contains(err.Field, ruleList) &&
		(strings.Contains(err.Detail, "estimated rule cost exceeds budget") || strings.Contains(err.Detail, "contributed to estimated rule"))
}

const (
	ruleList   = "x-kubernetes-validations["
	schemaRoot = "openAPIV3Schema"
)

// schemaOfRule returns the schema that has the rule at a field path, and the part of the path from
// the rule on. The schema is nil if there is no rule.
func schemaOfRule(crd *apiextensionsv1.CustomResourceDefinition, fieldPath string) (*apiextensionsv1.JSONSchemaProps, string) {
	before, rest, ok := strings.Cut(fieldPath, schemaRoot)
	if !ok || len(crd.Spec.Versions) == 0 {
		return nil, ""
	}
	index := 0
	if list, found := strings.CutPrefix(before, "spec.versions["); found {
		number, _, _ := strings.Cut(list, "]")
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(crd.Spec.Versions) {
			return nil, ""
		}
		index = i
	}
	if crd.Spec.Versions[index].Schema == nil {
		return nil, ""
	}
	props := crd.Spec.Versions[index].Schema.OpenAPIV3Schema
	for props != nil && !strings.HasPrefix(rest, "."+ruleList) {
		props, rest = enterSchema(props, rest)
	}
	return props, strings.TrimPrefix(rest, ".")
}

// enterSchema follows the first step of rest, a field path. It returns nil if there is no such
// schema.
func enterSchema(props *apiextensionsv1.JSONSchemaProps, rest string) (*apiextensionsv1.JSONSchemaProps, string) {
	if after, ok := strings.CutPrefix(rest, ".items"); ok && props.Items != nil {
		return props.Items.Schema, after
	}
	if after, ok := strings.CutPrefix(rest, ".additionalProperties"); ok && props.AdditionalProperties != nil {
		return props.AdditionalProperties.Schema, after
	}
	after, ok := strings.CutPrefix(rest, ".properties[")
	if !ok {
		return nil, ""
	}
	longest, found := "", false
	for name := range props.Properties { // a name may have brackets
		if strings.HasPrefix(after, name) && strings.HasPrefix(after[len(name):], "].") && (len(name) > len(longest) || !found) {
			longest, found = name, true
		}
	}
	if !found {
		return nil, ""
	}
	child := props.Properties[longest]
	return &child, after[len(longest)+1:]
}

// expressionOf returns an expression of props. rest is the end of its field path, from ruleList on.
func expressionOf(props *apiextensionsv1.JSONSchemaProps, rest string) (string, bool) {
	number, member, _ := strings.Cut(strings.TrimPrefix(rest, ruleList), "]")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(props.XValidations) {
		return "", false
	}
	if member == ".messageExpression" {
		return props.XValidations[i].MessageExpression, true
	}
	return props.XValidations[i].Rule, true
}

// uncompiled explains a request's error about a rule that does not compile.
func (x *Explainer) uncompiled(err *validation.Error) *Explanation {
	l, ok := schemapath.At(x.root, err.SchemaPointer)
	if !ok || err.Rule < 0 || err.Rule >= len(l.Node.Rules()) {
		return nil
	}
	return hintFor(l.Node, l.Node.Rules()[err.Rule].Rule, err.Detail)
}

const (
	maxNames = 10_000   // most fields whose names are compared with names in a rule
	maxRule  = 16 << 10 // most bytes of a rule that is searched for names
)

// hintFor explains why a rule of n does not compile, or returns nil. detail is cel-go's error.
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

type hint struct {
	node         *schema.Node
	rule, detail string
	names        []string // sorted names of the node's fields and of all fields below
}

// namesBelow returns the names of n's fields and of all fields below, sorted.
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

// unescaped finds the longest field name that the rule should escape but does not.
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

// owner finds a field in the rule and returns the text before its name, such as "self.spec.".
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

// chainBefore returns the chain of names and indexes at the end of a text, such as
// self.list[0].spec.
func chainBefore(text string) string {
	i := len(text)
	for i > 0 && (isIdentifier(text[i-1]) || strings.IndexByte(".[]", text[i-1]) >= 0) {
		i--
	}
	return strings.TrimLeft(text[i:], ".[]0123456789")
}

// reserved finds a field whose name is a reserved word.
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

// undefined finds the declared field that is nearest to an undeclared field.
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

// chainAt returns the chain of names in the rule before the location of a complaint.
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

// follow returns the schema at a chain such as self.spec, or nil for other chains.
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

// undeclared finds a suggestion for a name that is neither a variable nor a function.
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

// quotedAfter returns the word that follows a prefix in a text, without quotes.
func quotedAfter(text, prefix string) (string, bool) {
	_, after, ok := strings.Cut(text, prefix)
	if !ok {
		return "", false
	}
	after = strings.TrimPrefix(after, "'")
	if end := strings.IndexAny(after, "'\n "); end >= 0 {
		after = after[:end]
	}
	return after, after != ""
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
