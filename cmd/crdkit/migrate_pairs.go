package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A replacement is a definition and the one that replaces it.
type replacement struct {
	old, new *apiextensionsv1.CustomResourceDefinition
}

// pairs reads the definitions of -c and --old. If one of them has several, a definition
// replaces the one of the same name.
func (m *migrator) pairs(ctx context.Context) ([]replacement, error) {
	olds, err := m.definitions(ctx, m.old)
	if err != nil {
		return nil, err
	}
	news, err := m.definitions(ctx, m.definition)
	if err != nil {
		return nil, err
	}
	var pairs []replacement
	if len(olds) == 1 && len(news) == 1 {
		pairs = []replacement{{olds[0], news[0]}}
	} else {
		pairs = pairsByName(olds, news)
	}
	if len(pairs) == 0 {
		return nil, cmp.Or(ctx.Err(), errors.New("no definition is both in -c and in --old"))
	}
	for _, p := range pairs {
		m.kinds[schema.GroupKind{Group: p.new.Spec.Group, Kind: p.new.Spec.Names.Kind}] = true
	}
	switch alone := len(olds) + len(news) - 2*len(pairs); {
	case alone == 1:
		fmt.Fprintln(m.errOut, "passed over: 1 definition that only one of -c and --old has")
	case alone > 1:
		fmt.Fprintf(m.errOut, "passed over: %d definitions that only one of -c and --old has\n", alone)
	}
	return pairs, nil
}

// definitions reads the definitions of a file or directory, each name once.
func (m *migrator) definitions(ctx context.Context, name string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	crds, errs := readDefinitions(ctx, m.reader.Separate(), []string{name})
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	seen := map[string]bool{}
	for _, crd := range crds {
		if seen[crd.Name] {
			return nil, fmt.Errorf("%s: %s is there twice", name, crd.Name)
		}
		seen[crd.Name] = true
	}
	return crds, nil
}

// pairsByName returns the pairs of definitions with equal names, in the order of the new
// ones.
func pairsByName(olds, news []*apiextensionsv1.CustomResourceDefinition) []replacement {
	byName := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, crd := range olds {
		byName[crd.Name] = crd
	}
	var pairs []replacement
	for _, crd := range news {
		if old := byName[crd.Name]; old != nil {
			pairs = append(pairs, replacement{old, crd})
		}
	}
	return pairs
}
