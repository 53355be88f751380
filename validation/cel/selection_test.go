package cel

import (
	"maps"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
)

// The minimum shares of the rules of the corpus, and of their different texts,
// that the executor runs, in percent.
const (
	minFastTexts = 99.5
	minFastRules = 99.5
)

// TestSelection logs which rules of the corpus the executor runs, and why it
// declines the others.
func TestSelection(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all rules of the corpus")
	}
	texts := make(map[string]string) // reasons, "" for none
	reasons := make(map[string]int)
	rules := 0
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema == nil {
				continue
			}
			n, errs := schema.Compile(v.Schema.OpenAPIV3Schema)
			if len(errs) > 0 {
				continue
			}
			p, _ := Compile(n)
			if p == nil {
				continue
			}
			p.root.each(n, func(r *rule, text string) {
				rules++
				reasons[r.condition.declined]++
				texts[text] = max(texts[text], r.condition.declined)
			})
		}
	}
	slow := make(map[string][]string)
	for text, why := range texts {
		slow[why] = append(slow[why], text)
	}
	for _, why := range slices.Sorted(maps.Keys(slow)) {
		if why != "" {
			slices.Sort(slow[why])
			t.Logf("%s: %d rules, %d texts, such as %s", why, reasons[why], len(slow[why]), slow[why][0])
		}
	}
	byRule, byText := share(reasons[""], rules), share(len(slow[""]), len(texts))
	t.Logf("the executor runs %d of %d rules (%.1f%%), %d of %d texts (%.1f%%)", reasons[""], rules, byRule, len(slow[""]), len(texts), byText)
	if testkit.DefaultCorpus() && (byRule < minFastRules || byText < minFastTexts) {
		t.Errorf("the executor runs %.1f%% of rules and %.1f%% of texts, want %.1f%% and %.1f%%", byRule, byText, minFastRules, minFastTexts)
	}
}

// TestMessageOnOptional checks that the executor declines a messageExpression
// that uses oldSelf as an optional, and accepts others.
func TestMessageOnOptional(t *testing.T) {
	optional := true
	for message, want := range map[string]bool{"self.s": true, "oldSelf.hasValue() ? 'was' : 'is'": false} {
		n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
			Type:         "object",
			Properties:   map[string]apiextensionsv1.JSONSchemaProps{"s": {Type: "string"}},
			XValidations: apiextensionsv1.ValidationRules{{Rule: "oldSelf.hasValue()", MessageExpression: message, OptionalOldSelf: &optional}},
		})
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		p, ruleErrs := Compile(n)
		if len(ruleErrs) > 0 {
			t.Fatal(ruleErrs.ToAggregate())
		}
		if got := p.root.rules[0].message.fast != nil; got != want {
			t.Errorf("%s: fast is %v", message, got)
		}
	}
}

func share(n, of int) float64 { return 100 * float64(n) / float64(of) }

// each calls visit for the rules that compile, of n and of all nodes below it.
func (n *node) each(s *schema.Node, visit func(r *rule, text string)) {
	if n == nil {
		return
	}
	for i := range n.rules {
		if r := &n.rules[i]; r.condition != nil {
			visit(r, s.Rules()[i].Rule)
		}
	}
	n.items.each(s.Items(), visit)
	values, _ := s.AdditionalProperties()
	n.values.each(values, visit)
	for _, f := range n.fields {
		f.node.each(s.Property(f.name), visit)
	}
}
