package controllertest

import (
	"cmp"
	"errors"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
)

// Definitions are compiled definitions and what they are compiled from. The sets of
// package crdtest implement it, and [FromCRDs] makes one.
type Definitions interface {
	// Catalog has the definitions, compiled.
	Catalog() *crdkit.Catalog
	// CRDs returns the definitions in increasing order of name.
	CRDs() []*apiextensionsv1.CustomResourceDefinition
}

// FromCRDs returns definitions that a program has in memory, such as those that it embeds.
// It keeps them, and the caller must not change them any more. It does not check whether a
// server would accept them. The options are for the compilation, such as
// [crdkit.WithConverter]. The error lists what does not compile.
func FromCRDs(crds []*apiextensionsv1.CustomResourceDefinition, opts ...crdkit.Option) (Definitions, error) {
	d := &definitions{catalog: crdkit.NewCatalog(opts...)}
	var errs []error
	for _, crd := range crds {
		errs = append(errs, d.catalog.Add(crd))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	d.crds = slices.SortedFunc(slices.Values(crds), func(a, b *apiextensionsv1.CustomResourceDefinition) int {
		return cmp.Compare(a.Name, b.Name)
	})
	return d, nil
}

type definitions struct {
	catalog *crdkit.Catalog
	crds    []*apiextensionsv1.CustomResourceDefinition
}

// Catalog implements [Definitions].
func (d *definitions) Catalog() *crdkit.Catalog { return d.catalog }

// CRDs implements [Definitions].
func (d *definitions) CRDs() []*apiextensionsv1.CustomResourceDefinition { return slices.Clone(d.crds) }
