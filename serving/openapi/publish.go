package openapi

import (
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// V3 returns the documents that the server publishes for definitions: one for each served group and
// version. A key is the path of the document below /openapi/v3, such as apis/stable.example.com/v1.
func V3(crds []*apiextensionsv1.CustomResourceDefinition) (map[string]*Document, error) {
	out := map[string]*Document{}
	err := eachServed(crds, func(crd *apiextensionsv1.CustomResourceDefinition, version string) error {
		d, err := VersionV3(crd, version)
		if err != nil {
			return err
		}
		path := "apis/" + crd.Spec.Group + "/" + version
		if out[path] == nil {
			out[path] = newDocument(v3)
		}
		return out[path].add(d)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// V2 returns the document of version 2 for all served versions of the definitions. If there is no
// served version, it has no paths and no schemas.
func V2(crds []*apiextensionsv1.CustomResourceDefinition) (*Document, error) {
	out := newDocument(v2)
	err := eachServed(crds, func(crd *apiextensionsv1.CustomResourceDefinition, version string) error {
		d, err := VersionV2(crd, version)
		if err != nil {
			return err
		}
		return out.add(d)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func eachServed(crds []*apiextensionsv1.CustomResourceDefinition, visit func(*apiextensionsv1.CustomResourceDefinition, string) error) error {
	for _, crd := range crds {
		if crd == nil {
			return errors.New("openapi: a definition is nil")
		}
		for _, v := range crd.Spec.Versions {
			if !v.Served {
				continue
			}
			if err := visit(crd, v.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// VersionV3 returns the document of one version of a definition, served or not, in OpenAPI version
// 3. It returns an error if the definition has no such version or lacks a name that the document
// needs.
func VersionV3(crd *apiextensionsv1.CustomResourceDefinition, version string) (*Document, error) {
	return build(v3, crd, version)
}

// VersionV2 is like [VersionV3] for OpenAPI version 2.
func VersionV2(crd *apiextensionsv1.CustomResourceDefinition, version string) (*Document, error) {
	return build(v2, crd, version)
}

type builder struct {
	format  format
	builtin *builtin
	crd     *apiextensionsv1.CustomResourceDefinition
	version *apiextensionsv1.CustomResourceDefinitionVersion
	group   string
	kind    string
	list    string // kind of the list
	err     error  // the error of the first value that is not JSON
}

func build(f format, crd *apiextensionsv1.CustomResourceDefinition, version string) (*Document, error) {
	b, err := newBuilder(f, crd, version)
	if err != nil {
		return nil, err
	}
	d := newDocument(f)
	b.addBuiltins(d)
	for name, s := range map[string]map[string]any{b.kind: b.kindSchema(), b.list: b.listSchema()} {
		if d.schemas[b.modelName(name)], err = encode(s); err != nil {
			return nil, b.wrong(err)
		}
	}
	if b.err != nil {
		return nil, b.wrong(b.err)
	}
	if err := b.paths(d); err != nil {
		return nil, b.wrong(err)
	}
	return d, nil
}

func newBuilder(f format, crd *apiextensionsv1.CustomResourceDefinition, version string) (*builder, error) {
	if crd == nil {
		return nil, errors.New("openapi: the definition is nil")
	}
	shared, err := builtins()
	if err != nil {
		return nil, err
	}
	b := &builder{format: f, builtin: shared, crd: crd, group: crd.Spec.Group, kind: crd.Spec.Names.Kind, list: crd.Spec.Names.ListKind}
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Name == version {
			b.version = &crd.Spec.Versions[i]
		}
	}
	switch {
	case b.version == nil:
		return nil, fmt.Errorf("openapi: definition %s has no version %q", crd.Name, version)
	case b.group == "":
		return nil, fmt.Errorf("openapi: definition %s has no group", crd.Name)
	case b.kind == "":
		return nil, fmt.Errorf("openapi: definition %s has no kind", crd.Name)
	case crd.Spec.Names.Plural == "":
		return nil, fmt.Errorf("openapi: definition %s has no plural name", crd.Name)
	case b.list == b.kind:
		return nil, fmt.Errorf("openapi: definition %s has one name, %s, for kind and list", crd.Name, b.kind)
	}
	if b.list == "" {
		b.list = b.kind + "List"
	}
	return b, nil
}

func (b *builder) wrong(err error) error {
	return fmt.Errorf("openapi: definition %s, version %s: %w", b.crd.Name, b.version.Name, err)
}

// addBuiltins adds the schemas of Kubernetes' own types that requests use.
func (b *builder) addBuiltins(d *Document) {
	schemas := b.builtin.V3
	if b.format == v2 {
		schemas = b.builtin.V2
	}
	for name, s := range schemas {
		if b.hasScale() || !strings.HasPrefix(name, scaleTypes) {
			d.schemas[name] = s
		}
	}
}
