package main

import (
	"errors"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// maxLocated is the size of documents in which positions are found: a tree is many times as
// large.
const maxLocated = 16 << 20

// sources finds positions, for several goroutines. It keeps the last document, which may be
// a list of many objects.
type sources struct {
	mu     sync.Mutex
	doc    *manifest.Document
	source *definition.Source
}

// of returns the positions of the document of an object.
func (s *sources) of(o *manifest.Object) *definition.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doc != o.Document {
		text := o.Document.Text
		if len(text) > maxLocated {
			text = nil
		}
		s.doc, s.source = o.Document, definition.NewSource(text, positionOf(o))
	}
	return s.source
}

// positionOf returns the position of the document of an object.
func positionOf(o *manifest.Object) definition.Position {
	return definition.Position{Line: o.Line, Column: o.Column}
}

// objectTitle returns an object's kind, namespace and name, such as "Widget team/a", as far
// as it has them.
func objectTitle(kind, namespace, name string) string {
	if namespace != "" && name != "" {
		name = namespace + "/" + name
	}
	if kind == "" || name == "" {
		return kind + name
	}
	return kind + " " + name
}

// withoutText returns an object that keeps neither its text nor the text of its document.
func withoutText(o *manifest.Object) *manifest.Object {
	slim, doc := *o, *o.Document
	slim.Document, slim.Text, doc.Text = &doc, nil, nil
	return &slim
}

// objectOf decodes the text of an object, unless it could not be read.
func objectOf(o *manifest.Object) (*unstructured.Unstructured, error) {
	if o.Err != nil {
		return nil, o.Err
	}
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

// locate adds the location of an object to an error, with lines of the file.
func locate(o *manifest.Object, err error) error {
	return fmt.Errorf("%s: %w", o.Location(), errorInFile{err, o.Line})
}

// An errorInFile is an error about a document that begins at the line first of its file.
type errorInFile struct {
	err   error
	first int
}

func (e errorInFile) Error() string { return inFile(e.err.Error(), e.first) }

func (e errorInFile) Unwrap() error { return e.err }
