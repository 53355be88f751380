package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// compareCheckSmall measures the smallest definitions of the corpus.
func compareCheckSmall(o operation, dir string, set settings) error {
	return compareDefinitions(o, dir, set, func(corpus *testkit.Corpus) []definitionCase {
		const most = 24
		var out []definitionCase
		for _, c := range bySize(corpus) {
			if eachRule(c.crd, func(*apiextensionsv1.ValidationRule) {}) == 0 && len(out) < most {
				c.name = fmt.Sprintf("%s, %d schemas", c.name, c.nodes)
				out = append(out, c)
			}
		}
		return out
	})
}

// compareCheckRefused measures definitions of the corpus all of whose rules are broken, in
// a different way in turns.
func compareCheckRefused(o operation, dir string, set settings) error {
	return compareDefinitions(o, dir, set, func(corpus *testkit.Corpus) []definitionCase {
		const most = 12
		var all []definitionCase
		for _, c := range bySize(corpus) {
			c.crd = c.crd.DeepCopy()
			c.nodes = eachRule(c.crd, func(*apiextensionsv1.ValidationRule) {})
			if c.nodes > 0 {
				all = append(all, c)
			}
		}
		slices.SortStableFunc(all, func(a, b definitionCase) int { return cmp.Compare(a.nodes, b.nodes) })
		var out []definitionCase
		for i := range most {
			c := all[i*(len(all)-1)/(most-1)]
			n := i
			eachRule(c.crd, func(r *apiextensionsv1.ValidationRule) { r.Rule = breaks[n%len(breaks)](r.Rule); n++ })
			c.name = fmt.Sprintf("%s, %d refused rules", c.name, c.nodes)
			out = append(out, c)
		}
		return out
	})
}

// breaks are the ways in which a rule is broken, most of which authors have made.
var breaks = []func(rule string) string{
	func(r string) string { return strings.Replace(r, "self.", "self.no", 1) + " && self.absent" },
	func(r string) string { return "(" + r + ") == 1" },
	func(r string) string { return "(" + r + ") && sefl" },
	func(r string) string { return "(" + r },
	func(r string) string { return r + " && self.toString() == ''" },
	func(r string) string { return r + " &&" },
}

// eachRule calls do for the rules of a definition and returns how many there are.
func eachRule(crd *apiextensionsv1.CustomResourceDefinition, do func(*apiextensionsv1.ValidationRule)) int {
	n := 0
	var visit func(s *apiextensionsv1.JSONSchemaProps)
	visit = func(s *apiextensionsv1.JSONSchemaProps) {
		for i := range s.XValidations {
			n++
			do(&s.XValidations[i])
		}
		if s.Items != nil && s.Items.Schema != nil {
			visit(s.Items.Schema)
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			visit(s.AdditionalProperties.Schema)
		}
		for name, p := range s.Properties {
			visit(&p)
			s.Properties[name] = p
		}
	}
	for i := range crd.Spec.Versions {
		if s := crd.Spec.Versions[i].Schema; s != nil && s.OpenAPIV3Schema != nil {
			visit(s.OpenAPIV3Schema)
		}
	}
	return n
}

// compareDefinitions measures the check of definitions that choose takes of the corpus.
func compareDefinitions(o operation, dir string, set settings, choose func(*testkit.Corpus) []definitionCase) error {
	corpus, err := testkit.LoadCorpus(dir)
	if err != nil {
		return err
	}
	server := upstream.NewDefinitionServer()
	t := newTable(o)
	for _, c := range choose(corpus) {
		p, err := prepareCheck(server, c.crd)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.name, c.name, err)
		}
		if err := t.measure(c.name, p, set); err != nil {
			return err
		}
	}
	return t.end()
}
