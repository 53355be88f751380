package main

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/manifest"
)

// sourceOf returns the positions of the document of an object.
func sourceOf(o *manifest.Object) *definition.Source {
	return definition.NewSource(o.Document.Text, positionOf(o))
}

// positionOf returns the position of the document of an object.
func positionOf(o *manifest.Object) definition.Position {
	return definition.Position{Line: o.Line, Column: o.Column}
}

// objectOf decodes the text of an object.
func objectOf(o *manifest.Object) (*unstructured.Unstructured, error) {
	data := o.Text
	if o.YAML {
		var err error
		if data, err = yaml.YAMLToJSON(data); err != nil {
			return nil, err
		}
	}
	var object map[string]any
	if err := utiljson.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("not an object: %w", err)
	}
	if object == nil {
		return nil, errors.New("not an object: null")
	}
	return &unstructured.Unstructured{Object: object}, nil
}
