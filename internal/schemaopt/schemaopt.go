// Package schemaopt holds the options of schema.Compile that only this module passes.
package schemaopt

import (
	"sync"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// WithoutAnnotations omits descriptions, titles, links and examples, which are often the
// largest part of a definition.
type WithoutAnnotations struct{}

func (WithoutAnnotations) SchemaOption(testopt.Sealed) {}

// Unstructured makes Compile accept a schema that is not structural, as the server does for
// a definition with preserveUnknownFields: true. The schema only serves to validate values:
//
//   - A value without a declared type may be anything.
//   - A Branch may declare what in other schemas only a Node declares.
//   - Keywords that no schema of a definition may have remain errors, except for $schema,
//     which is ignored.
type Unstructured struct{}

func (Unstructured) SchemaOption(testopt.Sealed) {}

// A Shared lets several calls of Compile share memory: equal schemas, of one definition or
// of several, become one Node and one Annotations. Two roots are the same pointer if and
// only if the schemas are equal, annotations included. A Shared keeps all that it has
// shared. The zero value is ready for use, and safe for concurrent use.
type Shared struct {
	once  sync.Once
	state any
}

func (*Shared) SchemaOption(testopt.Sealed) {}

// State returns what makeState made at the first call. It is for package schema.
func (s *Shared) State(makeState func() any) any {
	s.once.Do(func() { s.state = makeState() })
	return s.state
}
