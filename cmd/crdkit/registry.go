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

// A registry knows the definitions by group and kind.
type registry struct {
	kinds map[schema.GroupKind]*entry
	errs  []error // what is wrong with the definitions
	opts  []crdkit.Option
}

type entry struct {
	location   string
	declared   *apiextensionsv1.CustomResourceDefinition
	definition *crdkit.Definition
	err        error // why the server could not serve it
}

// load adds the definitions of a file or directory. Documents of other kinds
// are passed over in directories and are errors in files.
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

// isDefinition reports whether a document is a definition, or cannot be read.
func isDefinition(data []byte) bool {
	var head struct {
		Kind string `json:"kind"`
	}
	if yaml.Unmarshal(data, &head) == nil {
		return head.Kind == "CustomResourceDefinition"
	}
	// A list, for example, is no definition. What is no YAML at all is passed
	// on, so that the parser says why.
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

// version returns the served version of a kind, or why there is none.
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

// declared returns what the definition of a served version declares.
func (r *registry) declared(gvk schema.GroupVersionKind) apiextensionsv1.CustomResourceDefinitionVersion {
	for _, v := range r.kinds[gvk.GroupKind()].declared.Spec.Versions {
		if v.Name == gvk.Version {
			return v
		}
	}
	return apiextensionsv1.CustomResourceDefinitionVersion{}
}
