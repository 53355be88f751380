package search

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A Target is a rule, or a keyword if Keyword is not "".
type Target struct {
	// Pointer is the schema pointer of the schema that has it.
	Pointer string
	Rule    int
	Keyword string
	// Name is the field that is required.
	Name string
}

// errorTypes are the types of the errors of keywords.
var errorTypes = map[string]field.ErrorType{
	"type": field.ErrorTypeTypeInvalid, "enum": field.ErrorTypeNotSupported, "required": field.ErrorTypeRequired,
	"maxLength": field.ErrorTypeTooLong, "maxItems": field.ErrorTypeTooMany, "maxProperties": field.ErrorTypeTooMany,
	"uniqueItems": field.ErrorTypeDuplicate,
}

// keywordTexts are in the details of Invalid errors. They tell keywords apart.
var keywordTexts = map[string]string{
	"pattern": "should match", "minLength": "should be at least", "minItems": "should have at least", "minProperties": "should have at least",
	"minimum": "should be greater than", "maximum": "should be less than", "multipleOf": "should be a multiple of", "format": "must be of type",
	"anyOf": "schema (anyOf)", "oneOf": "schema (oneOf)", "allOf": "schemas (allOf)", "not": "schema (not)",
}

// matches reports whether an error is that of the target.
func (t *Target) matches(e *validation.Error) bool {
	if t.Keyword == "" {
		return e.Rule == t.Rule && e.SchemaPointer == t.Pointer && e.Step == validation.StepRules
	}
	if e.Rule >= 0 || e.SchemaPointer != t.Pointer || e.Step != validation.StepSchema {
		return false
	}
	want, ok := errorTypes[t.Keyword]
	if !ok {
		want = field.ErrorTypeInvalid
	}
	return e.Type == want && (t.Name == "" || strings.HasSuffix(e.Field, t.Name)) && strings.Contains(e.Detail, keywordTexts[t.Keyword])
}

// A level is a junctor that is the target or is around it.
type level struct {
	pointer, keyword string
	isTarget         bool
}

// location returns the steps to a target without junctors, and the junctors from outside.
func (t *Target) location() (steps []string, levels []level) {
	steps = []string{}
	pointer := ""
	for tokens := pathstack.Tokens(t.Pointer); len(tokens) > 0; {
		n := 1 // tokens of the step
		switch keyword := tokens[0]; keyword {
		case "properties":
			n = 2
			fallthrough
		case "items", "additionalProperties":
			steps = append(steps, tokens[:min(n, len(tokens))]...)
		case "anyOf", "oneOf", "allOf":
			n = 2
			fallthrough
		case "not":
			levels = append(levels, level{pointer, keyword, false})
		}
		for _, token := range tokens[:min(n, len(tokens))] {
			pointer += "/" + schema.EscapePointer(token)
		}
		tokens = tokens[min(n, len(tokens)):]
	}
	if slices.Contains(junctors[:], t.Keyword) {
		levels = append(levels, level{t.Pointer, t.Keyword, true})
	}
	return steps, levels
}

var junctors = [...]string{"anyOf", "oneOf", "allOf", "not"}

// implied reports whether an error follows from a target in these junctors: a junctor
// fails, or another branch, without which anyOf and oneOf do not fail.
func implied(levels []level, e *validation.Error) bool {
	if e.Step != validation.StepSchema {
		return false
	}
	for _, l := range levels {
		if e.SchemaPointer == l.pointer && strings.Contains(e.Detail, keywordTexts[l.keyword]) {
			return true
		}
		// Other branches of allOf do not belong to a keyword of one.
		if (l.keyword != "allOf" || l.isTarget) && strings.HasPrefix(e.SchemaPointer, l.pointer+"/"+l.keyword+"/") {
			return true
		}
	}
	return false
}

// Targets returns rules and keywords in the order of their locations, rules first and
// branches last.
func Targets(root *schema.Node) []Target { return targets(nil, root, "") }

func targets(out []Target, n *schema.Node, pointer string) []Target {
	for i := range n.Rules() {
		out = append(out, Target{Pointer: pointer, Rule: i})
	}
	out = limitTargets(out, n.Limits(), pointer)
	out = junctorTargets(out, n, pointer)
	return childTargets(out, n, pointer, targets)
}

// A part is a schema.Node or a schema.Branch, with children of the same type.
type part[S any] interface {
	comparable
	nester
	Len() int
	Properties() iter.Seq2[string, S]
	Items() S
	AdditionalProperties() (S, bool)
}

// childTargets adds what add adds for properties, elements and entries.
func childTargets[S part[S]](out []Target, s S, pointer string, add func([]Target, S, string) []Target) []Target {
	var none S
	for name, child := range s.Properties() {
		out = add(out, child, pointer+"/properties/"+schema.EscapePointer(name))
	}
	if items := s.Items(); items != none {
		out = add(out, items, pointer+"/items")
	}
	if values, _ := s.AdditionalProperties(); values != none {
		out = add(out, values, pointer+"/additionalProperties")
	}
	return out
}

// limitTargets adds the keywords of a schema.
func limitTargets(out []Target, l schema.Limits, pointer string) []Target {
	for _, keyword := range []struct {
		name string
		set  bool
	}{
		{"enum", len(l.Enum) > 0}, {"pattern", l.Pattern != ""}, {"minimum", l.Minimum.Set}, {"maximum", l.Maximum.Set}, {"multipleOf", l.MultipleOf.Set},
		{"minLength", l.MinLength.Set && l.MinLength.N > 0}, {"maxLength", l.MaxLength.Set}, {"minItems", l.MinItems.Set && l.MinItems.N > 0},
		{"maxItems", l.MaxItems.Set}, {"minProperties", l.MinProperties.Set && l.MinProperties.N > 0}, {"maxProperties", l.MaxProperties.Set},
	} {
		if keyword.set {
			out = append(out, Target{Pointer: pointer, Rule: -1, Keyword: keyword.name})
		}
	}
	for _, name := range l.Required {
		out = append(out, Target{Pointer: pointer, Rule: -1, Keyword: "required", Name: name})
	}
	return out
}

// A nester is a schema.Node or a schema.Branch.
type nester interface {
	Type() string
	Limits() schema.Limits
	AllOf() []*schema.Branch
	AnyOf() []*schema.Branch
	OneOf() []*schema.Branch
	Not() *schema.Branch
}

// junctorTargets adds the junctors of a schema, each with the keywords of its branches.
func junctorTargets(out []Target, n nester, pointer string) []Target {
	for _, keyword := range junctors {
		branches := branchesOf(n, keyword)
		if len(branches) == 0 {
			continue
		}
		out = append(out, Target{Pointer: pointer, Rule: -1, Keyword: keyword})
		for i, b := range branches {
			at := pointer + "/" + keyword
			if keyword != "not" {
				at += "/" + strconv.Itoa(i)
			}
			out = branchTargets(out, b, at)
		}
	}
	return out
}

func branchesOf(n nester, keyword string) []*schema.Branch {
	switch keyword {
	case "anyOf":
		return n.AnyOf()
	case "oneOf":
		return n.OneOf()
	case "allOf":
		return n.AllOf()
	}
	if not := n.Not(); not != nil {
		return []*schema.Branch{not}
	}
	return nil
}

// branchTargets adds the keywords of a branch.
func branchTargets(out []Target, b *schema.Branch, pointer string) []Target {
	out = limitTargets(out, b.Limits(), pointer)
	out = junctorTargets(out, b, pointer)
	return childTargets(out, b, pointer, branchTargets)
}
