package schema

import (
	"slices"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// Annotations are the texts of a schema for its readers: description, title, link and
// example. They form a tree with the structure of the schema.
//
// All methods accept a nil receiver, which stands for a schema without
// annotations. Annotations never change and are safe for concurrent use.
type Annotations struct {
	description, title string
	docs               *ExternalDocs
	example            any

	names      []string       // of properties, in increasing order
	properties []*Annotations // in the order of names, nil for properties without annotations
	items      *Annotations
	additional *Annotations

	id uint32 // unique in its interner, from 1; 0 without an interner
}

// ExternalDocs is a link to further documentation.
type ExternalDocs struct{ Description, URL string }

// Description returns the description of the schema, "" if it has none.
func (a *Annotations) Description() string {
	if a == nil {
		return ""
	}
	return a.description
}

// Title returns the title of the schema, "" if it has none.
func (a *Annotations) Title() string {
	if a == nil {
		return ""
	}
	return a.title
}

// ExternalDocs returns the link to further documentation and reports whether
// the schema has one.
func (a *Annotations) ExternalDocs() (ExternalDocs, bool) {
	if a == nil || a.docs == nil {
		return ExternalDocs{}, false
	}
	return *a.docs, true
}

// Example returns a copy of the example value and reports whether the schema has one.
func (a *Annotations) Example() (any, bool) {
	if a == nil || a.example == nil {
		return nil, false
	}
	return jsonval.Clone(a.example), true
}

// Property returns the annotations of a property and of the schemas below it, nil if there
// are none.
func (a *Annotations) Property(name string) *Annotations {
	if a == nil {
		return nil
	}
	i, ok := slices.BinarySearch(a.names, name)
	if !ok {
		return nil
	}
	return a.properties[i]
}

// Items returns the annotations of items and of the schemas below, nil if there are none.
func (a *Annotations) Items() *Annotations {
	if a == nil {
		return nil
	}
	return a.items
}

// AdditionalProperties returns the annotations of additionalProperties and of the schemas
// below, nil if there are none.
func (a *Annotations) AdditionalProperties() *Annotations {
	if a == nil {
		return nil
	}
	return a.additional
}

func (a *Annotations) empty() bool {
	return a.description == "" && a.title == "" && a.docs == nil && a.example == nil &&
		len(a.properties) == 0 && a.items == nil && a.additional == nil
}
