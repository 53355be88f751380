package main

import (
	_ "embed"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

//go:embed rules/rules.yaml
var ruleTable []byte

// A namedRule is one rule of the table.
type namedRule struct {
	Name string `json:"name"`
	Rule string `json:"rule"`
}

type ruleFile struct {
	Schema  apiextensionsv1.JSONSchemaProps `json:"schema"`
	Refused []namedRule                     `json:"refused"`
	Unusual []namedRule                     `json:"unusual"`
}

func loadRules() (*ruleFile, error) {
	var f ruleFile
	err := yaml.UnmarshalStrict(ruleTable, &f)
	return &f, err
}

// ruled returns the schema of the table with rules.
func (f *ruleFile) ruled(rules ...namedRule) *apiextensionsv1.JSONSchemaProps {
	s := f.Schema.DeepCopy()
	spec := s.Properties["spec"]
	for _, r := range rules {
		spec.XValidations = append(spec.XValidations, apiextensionsv1.ValidationRule{Rule: r.Rule})
	}
	s.Properties["spec"] = spec
	return s
}

// compareRules measures compiling rules that are refused, or rules of unusual forms: each
// alone, and all of them together on one schema.
func compareRules(refused bool) func(o operation, dir string, set settings) error {
	return func(o operation, _ string, set settings) error {
		f, err := loadRules()
		if err != nil {
			return err
		}
		list := f.Unusual
		if refused {
			list = f.Refused
		}
		t := newTable(o)
		measured := func(name string, rules ...namedRule) error {
			p, err := prepareRules(f.ruled(rules...), refused)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := t.measure(name, p, set); err != nil {
				return err
			}
			return nil
		}
		for _, r := range list {
			if err := measured(r.Name, r); err != nil {
				return err
			}
		}
		if err := measured(fmt.Sprintf("all %d together", len(list)), list...); err != nil {
			return err
		}
		return t.end()
	}
}

func prepareRules(props *apiextensionsv1.JSONSchemaProps, refused bool) (*pair, error) {
	if _, err := prepareCheck(upstream.NewDefinitionServer(), shapeDefinition(props)); err != nil {
		return nil, err
	}
	up, err := upstream.RuleCompiler(props)
	if err != nil {
		return nil, err
	}
	n, errs := schema.Compile(props)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	if _, errs := cel.Compile(n); (len(errs) > 0) != refused {
		return nil, fmt.Errorf("%w: refused %v", errDiffer, slices.Clone(errs))
	}
	return &pair{upstream: func(any) { up() }, ours: func(any) { cel.Compile(n) }}, nil
}
