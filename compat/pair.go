package compat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

type pair struct {
	old, crd       *apiextensionsv1.CustomResourceDefinition
	oldDef, newDef *crdkit.Definition
	versions       []versionPair

	oldStorageNode, newStorageNode *schema.Node
	// readNode is the schema with which the new definition reads objects of the old storage
	// version, or nil.
	readNode *schema.Node
}

// A versionPair is a version of the new definition (after), and the old version whose objects it
// serves (before). Both have one node if their schemas only differ in descriptions.
type versionPair struct{ before, after side }

func (v *versionPair) side(isNew bool) *side {
	if isNew {
		return &v.after
	}
	return &v.before
}

func newPair(ctx context.Context, old, crd *apiextensionsv1.CustomResourceDefinition) (*pair, error) {
	if old == nil || crd == nil {
		return nil, errors.New("compat: a definition is nil")
	}
	if old.Spec.Group != crd.Spec.Group || old.Spec.Names.Kind != crd.Spec.Names.Kind && old.Name != crd.Name {
		return nil, fmt.Errorf("compat: the definitions are of different kinds, %s and %s",
			qualifiedKind(old), qualifiedKind(crd))
	}
	p := &pair{old: old, crd: crd}
	var err error
	if p.oldDef, err = compile(ctx, old); err != nil {
		return nil, fmt.Errorf("compat: the old definition: %w", err)
	}
	if p.newDef, err = compile(ctx, crd); err != nil {
		return nil, fmt.Errorf("compat: the new definition: %w", err)
	}
	return p, p.pairVersions()
}

func qualifiedKind(crd *apiextensionsv1.CustomResourceDefinition) string {
	return crd.Spec.Names.Kind + "." + crd.Spec.Group
}

func compile(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) (*crdkit.Definition, error) {
	return crdkit.Compile(crd, crdkit.WithContext(ctx), crdkit.WithConverter(conversion.None(crd)))
}

func convertsByWebhook(crd *apiextensionsv1.CustomResourceDefinition) bool {
	c := crd.Spec.Conversion
	return c != nil && c.Strategy == apiextensionsv1.WebhookConverter
}

// pairVersions pairs each served version of the new definition with the old version of the same
// name. If the old definition does not serve this name, the new version is paired with the version
// of the stored objects, or with none if a webhook converts.
func (p *pair) pairVersions() error {
	shared := &schemaopt.Shared{}
	var err error
	sideOf := func(def *crdkit.Definition, crd *apiextensionsv1.CustomResourceDefinition, i int) (s side) {
		if i >= 0 && err == nil {
			s, err = newSide(def, crd, i, shared)
		}
		return s
	}
	served := map[string]int{}
	for i, v := range p.old.Spec.Versions {
		if v.Served {
			served[v.Name] = i
		}
	}
	for i, v := range p.crd.Spec.Versions {
		if !v.Served {
			continue
		}
		j, ok := served[v.Name]
		if !ok {
			if j = p.oldWritten(); j < 0 || convertsByWebhook(p.crd) {
				continue
			}
		}
		p.versions = append(p.versions, versionPair{sideOf(p.oldDef, p.old, j), sideOf(p.newDef, p.crd, i)})
	}
	isStorage := func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage }
	stored := slices.IndexFunc(p.old.Spec.Versions, isStorage)
	p.oldStorageNode = sideOf(p.oldDef, p.old, stored).node
	p.newStorageNode = sideOf(p.newDef, p.crd, slices.IndexFunc(p.crd.Spec.Versions, isStorage)).node
	p.readNode = sideOf(p.newDef, p.crd, slices.IndexFunc(p.crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return stored >= 0 && v.Name == p.old.Spec.Versions[stored].Name
	})).node
	return err
}

// oldWritten returns the index of the old version at which clients wrote the stored objects: the
// storage version or, if it is not served, the first served version. It returns -1 if there is
// none, or if the new definition lacks the old storage version.
func (p *pair) oldWritten() int {
	storage := crdversion.Storage(p.old)
	if storage == nil || crdversion.ByName(p.crd)[storage.Name] == nil {
		return -1
	}
	return slices.IndexFunc(p.old.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Served && (v.Name == storage.Name || !storage.Served)
	})
}

// newSide returns the side of version i, with the schema as inheritPreserve changes it.
func newSide(def *crdkit.Definition, crd *apiextensionsv1.CustomResourceDefinition, i int, shared *schemaopt.Shared) (side, error) {
	s := side{crd: crd, index: i}
	s.version, _ = def.Version(crd.Spec.Versions[i].Name)
	if crdversion.Schema(&crd.Spec.Versions[i]) != nil {
		crd = &apiextensionsv1.CustomResourceDefinition{ObjectMeta: crd.ObjectMeta, Spec: crd.Spec}
		crd.Spec.Versions = slices.Clone(crd.Spec.Versions)
		v := &crd.Spec.Versions[i]
		v.Schema = v.Schema.DeepCopy()
		inheritPreserve(v.Schema.OpenAPIV3Schema)
	}
	n, errs := crdversion.Compile(crd, i, shared, schemaopt.WithoutAnnotations{})
	if len(errs) > 0 {
		return s, fmt.Errorf("compat: definition %s: %w", crd.Name, errs.ToAggregate())
	}
	s.node = n
	return s, nil
}

// inheritPreserve copies x-kubernetes-preserve-unknown-fields from each list to its elements,
// because the server keeps the unknown fields of the elements, too.
func inheritPreserve(s *apiextensionsv1.JSONSchemaProps) {
	for name, child := range s.Properties {
		inheritPreserve(&child)
		s.Properties[name] = child
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		inheritPreserve(s.AdditionalProperties.Schema)
	}
	if s.Items == nil || s.Items.Schema == nil {
		return
	}
	if items := s.Items.Schema; valueOf(s.XPreserveUnknownFields) && !items.XIntOrString {
		items.XPreserveUnknownFields = s.XPreserveUnknownFields
	}
	inheritPreserve(s.Items.Schema)
}
