// Package schemaopt holds the options of schema.Compile that only this module uses.
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
// a definition with preserveUnknownFields: true. The node is only fit for validation:
//
//   - A value without a declared type may be anything.
//   - A Branch may declare structure.
//   - Unsupported keywords remain errors, except for $schema, which is ignored.
type Unstructured struct{}

func (Unstructured) SchemaOption(testopt.Sealed) {}

// A Shared lets several calls of Compile share memory: equal schemas become one Node, and
// equal annotations one Annotations. Two roots are the same pointer if and only if the
// schemas and their annotations are equal. A Shared never frees nodes. The zero value is
// ready for use. A Shared is safe for concurrent use.
type Shared struct {
	once  sync.Once
	state any
}

func (*Shared) SchemaOption(testopt.Sealed) {}

// State returns the result of makeState, which is called only once. State is for package
// schema.
func (s *Shared) State(makeState func() any) any {
	s.once.Do(func() { s.state = makeState() })
	return s.state
}
