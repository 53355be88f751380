package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/schema"
)

type props = apiextensionsv1.JSONSchemaProps

// An Option changes an export. A nil Option changes nothing.
type Option interface{ apply(*exporter) }

type optionFunc func(*exporter)

func (f optionFunc) apply(e *exporter) { f(e) }

// Draft07 exports draft-07 instead of draft 2020-12.
func Draft07() Option {
	return optionFunc(func(e *exporter) { e.dialect = "http://json-schema.org/draft-07/schema#" })
}

// Strict exports a schema that also refuses what the server repairs or ignores: unknown fields,
// nulls that the schema does not declare, strings that do not match a format, and invalid statuses.
// Only formats that JSON Schema has too are checked.
func Strict() Option { return optionFunc(func(e *exporter) { e.strict = true }) }

// KeepExtensions exports the keywords x-kubernetes-* as the definition has them. They do not change
// what the schema accepts. Strict modes of some validators refuse them.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
func KeepExtensions() Option { return optionFunc(func(e *exporter) { e.extensions = true }) }

type exporter struct {
	dialect    string
	strict     bool
	extensions bool   // keep x-kubernetes-*
	status     bool   // the version has the status subresource
	top        *props // the node of whole objects
}

// Export returns the JSON Schema of one version of a definition. If the version has no schema, the
// result accepts any object of its kind. If there is no such version, or if its schema is not
// structural, Export returns an error.
func Export(crd *apiextensionsv1.CustomResourceDefinition, version string, opts ...Option) ([]byte, error) {
	if crd == nil {
		return nil, errors.New("jsonschema: the definition is nil")
	}
	e := &exporter{dialect: "https://json-schema.org/draft/2020-12/schema"}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(e)
		}
	}
	for i := range crd.Spec.Versions {
		if v := &crd.Spec.Versions[i]; v.Name == version {
			return e.export(crd, v)
		}
	}
	return nil, fmt.Errorf("jsonschema: %s has no version %q", crd.Name, version)
}

// maxIndented is the depth up to which the text is indented. The size of the indentation grows with
// the square of the depth.
const maxIndented = 100

func (e *exporter) export(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion) ([]byte, error) {
	root := &props{Type: "object"}
	preserve := true
	if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
		root = v.Schema.OpenAPIV3Schema
		preserve = crd.Spec.PreserveUnknownFields
	}
	node, errs := schema.Compile(root)
	if len(errs) > 0 {
		return nil, fmt.Errorf("jsonschema: %s, version %s: %w", crd.Name, v.Name, errorlist.Of(errs))
	}
	e.top = root
	e.status = v.Subresources != nil && v.Subresources.Status != nil
	if preserve {
		// The server keeps unknown fields, so Strict has no effect.
		e.strict = false
	}
	out := e.root(root, crd.Spec.Group+"/"+v.Name, crd.Spec.Names.Kind)
	out["$schema"] = e.dialect
	if out["title"] == nil {
		out["title"] = crd.Spec.Names.Kind + " of " + crd.Spec.Group + "/" + v.Name
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if node.Stats().Depth <= maxIndented {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("jsonschema: %s, version %s: %w", crd.Name, v.Name, err)
	}
	return b.Bytes(), nil
}

type object = map[string]any

// root returns the schema of whole objects: the declared schema with apiVersion, kind and metadata.
func (e *exporter) root(s *props, apiVersion, kind string) object {
	out := e.schemaOf(s, position{root: true})
	properties, ok := out["properties"].(object)
	if !ok {
		properties = object{}
		out["properties"] = properties
	}
	out["type"] = "object"
	properties["apiVersion"] = object{"const": apiVersion}
	properties["kind"] = object{"const": kind}
	properties["metadata"] = e.metadata(s)
	if e.status && !e.strict && properties["status"] != nil {
		properties["status"] = object{"description": "Set with the status subresource; not looked at when the object is written."}
	}
	out["required"] = union([]string{"apiVersion", "kind", "metadata"}, required(out))
	return out
}

// metadata returns the schema of an object's metadata, with the constraints on names. As on the
// server, strings may be null.
func (e *exporter) metadata(s *props) object {
	declared := s.Properties["metadata"]
	text := func(name string) object {
		p, ok := declared.Properties[name]
		if !ok {
			return object{"type": []any{"string", "null"}}
		}
		return e.schemaOf(&p, position{null: true})
	}
	texts := object{"type": []any{"object", "null"}, "additionalProperties": object{"type": []any{"string", "null"}}}
	return object{
		"type": "object",
		"properties": object{
			"name": text("name"), "generateName": text("generateName"), "namespace": object{"type": []any{"string", "null"}},
			"labels": texts, "annotations": texts,
			"finalizers": object{"type": []any{"array", "null"}, "items": object{"type": []any{"string", "null"}}},
		},
		"anyOf": []any{object{"required": []string{"name"}}, object{"required": []string{"generateName"}}},
	}
}
