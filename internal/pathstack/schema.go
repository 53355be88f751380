package pathstack

import "k8s.io/apimachinery/pkg/util/validation/field"

// A SchemaStack is the location of a walk in the schema of a definition. It builds
// a [field.Path] only on request.
//
// The zero SchemaStack is at a schema without a path.
type SchemaStack struct {
	base  *field.Path // of the schema at which the walk starts
	steps []schemaStep
}

// NewSchemaStack returns the stack of a walk that starts at a schema with the path
// base, which may be nil. Up to depth steps need no further allocation.
func NewSchemaStack(base *field.Path, depth int) SchemaStack {
	return SchemaStack{base: base, steps: make([]schemaStep, 0, depth)}
}

// A schemaStep leads from a schema to a schema directly below it.
type schemaStep struct {
	keyword string
	key     string // for byKey
	index   int    // for byIndex
	kind    stepKind
}

// A stepKind says how a step selects a schema under a keyword, or a part of a value.
type stepKind uint8

const (
	single stepKind = iota // the keyword has one schema
	byKey
	byIndex
)

// Push enters the schema of a keyword.
func (s *SchemaStack) Push(keyword string) {
	s.steps = append(s.steps, schemaStep{keyword: keyword})
}

// PushKey enters one of the named schemas of a keyword.
func (s *SchemaStack) PushKey(keyword, key string) {
	s.steps = append(s.steps, schemaStep{keyword: keyword, key: key, kind: byKey})
}

// PushIndex enters one of the listed schemas of a keyword.
func (s *SchemaStack) PushIndex(keyword string, index int) {
	s.steps = append(s.steps, schemaStep{keyword: keyword, index: index, kind: byIndex})
}

// Pop leaves the schema that the last Push entered.
func (s *SchemaStack) Pop() { s.steps = s.steps[:len(s.steps)-1] }

// Path returns the path of the location.
func (s *SchemaStack) Path() *field.Path {
	path := s.base
	for _, step := range s.steps {
		path = path.Child(step.keyword)
		switch step.kind {
		case byKey:
			path = path.Key(step.key)
		case byIndex:
			path = path.Index(step.index)
		}
	}
	return path
}
