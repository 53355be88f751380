package controllertest

import (
	"cmp"
	"errors"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
)

// Definitions are CustomResourceDefinitions and their compiled form. The sets of package crdtest
// implement this interface, and [FromCRDs] returns another implementation.
type Definitions interface {
	// Catalog returns the compiled definitions.
	Catalog() *crdkit.Catalog
	// CRDs returns the definitions in increasing order of name.
	CRDs() []*apiextensionsv1.CustomResourceDefinition
}

// FromCRDs returns definitions that a program has in memory, such as embedded ones. It keeps them,
// so the caller must not change them. It does not check whether a server would accept them. The
// options, such as [crdkit.WithConverter], are for the compilation. The error lists the definitions
// that do not compile.
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
