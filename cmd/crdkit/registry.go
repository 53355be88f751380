package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
)

// A registry has the definitions of the command line by group and kind.
type registry struct {
	kinds map[schema.GroupKind]*entry
	errs  []error // of definitions that do not load
	opts  []crdkit.Option
}

type entry struct {
	location   string
	declared   *apiextensionsv1.CustomResourceDefinition
	definition *crdkit.Definition
	err        error // of a definition that the server cannot serve
}

// load adds the definitions of a file or directory. It ignores documents of
// other kinds in directories; in files they are errors.
func (r *registry) load(name string, recursive bool, in io.Reader) {
	info, err := os.Stat(name)
	inDirectory := err == nil && info.IsDir()
	found := false
	for doc := range documents(name, recursive, in) {
		if doc.err != nil {
			r.fail(doc.location(), doc.err)
			continue
		}
		if inDirectory && !isDefinition(doc.data) {
			continue
		}
		found = true
		r.add(doc)
	}
	if !found && len(r.errs) == 0 {
		r.fail(name, errors.New("no CustomResourceDefinition in it"))
	}
}

// isDefinition reports whether a document is a definition or does not parse.
func isDefinition(data []byte) bool {
	var head struct {
		Kind string `json:"kind"`
	}
	if yaml.Unmarshal(data, &head) == nil {
		return head.Kind == "CustomResourceDefinition"
	}
	// A list, for example, is not a definition. Text that is not YAML counts as
	// one, so that the parser reports its error.
	var anything any
	return yaml.Unmarshal(data, &anything) != nil
}

func (r *registry) add(doc inputDocument) {
	crd, err := definition.Parse(doc.data)
	if err != nil {
		r.fail(doc.location(), err)
		return
	}
	kind := schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
	if other := r.kinds[kind]; other != nil {
		r.fail(doc.location(), fmt.Errorf("%s is already defined in %s", kind, other.location))
		return
	}
	d, err := crdkit.Compile(crd, r.opts...)
	if err != nil {
		r.fail(doc.location(), err)
	}
	if r.kinds == nil {
		r.kinds = make(map[schema.GroupKind]*entry)
	}
	r.kinds[kind] = &entry{location: doc.location(), declared: crd, definition: d, err: err}
}

func (r *registry) fail(location string, err error) {
	r.errs = append(r.errs, fmt.Errorf("%s: %w", location, err))
}

// version returns the served version of a kind, or an error.
func (r *registry) version(gvk schema.GroupVersionKind) (*crdkit.Version, error) {
	e := r.kinds[gvk.GroupKind()]
	switch {
	case e == nil:
		return nil, fmt.Errorf("no matches for kind %q in version %q: no given definition has it", gvk.Kind, gvk.GroupVersion())
	case e.err != nil:
		return nil, fmt.Errorf("the definition in %s cannot be served: %w", e.location, e.err)
	}
	v, ok := e.definition.Version(gvk.Version)
	if !ok || !v.Served() {
		return nil, fmt.Errorf("no matches for kind %q in version %q: %s does not serve it", gvk.Kind, gvk.GroupVersion(), e.definition.Name())
	}
	return v, nil
}

// declared returns the version of the definition that declares a kind.
func (r *registry) declared(gvk schema.GroupVersionKind) apiextensionsv1.CustomResourceDefinitionVersion {
	for _, v := range r.kinds[gvk.GroupKind()].declared.Spec.Versions {
		if v.Name == gvk.Version {
			return v
		}
	}
	return apiextensionsv1.CustomResourceDefinitionVersion{}
}
