package pathstack

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A SchemaStack is the location of a walk in a schema. It builds a [field.Path] and a JSON
// pointer on request. The zero SchemaStack is at a schema without a path.
type SchemaStack struct {
	base  *Chain // of the schema at which the walk starts
	steps []schemaStep
}

// NewSchemaStack returns the stack of a walk from base, which may be nil. Up to depth steps
// need no allocation.
func NewSchemaStack(base *Chain, depth int) SchemaStack {
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

	// A Chain may also start at a path or a stack's location, or have a pointer of its own.
	ofPath
	ofStack
	moved
)

// Start begins another walk, at a schema with the location base. The steps' memory stays.
func (s *SchemaStack) Start(base *Chain) { s.base, s.steps = base, s.steps[:0] }

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

// Depth returns the number of steps.
func (s *SchemaStack) Depth() int { return len(s.steps) }

// Last returns the keyword of the last step, and the name of a named schema, else "".
func (s *SchemaStack) Last() (keyword, name string) {
	if len(s.steps) == 0 {
		return "", ""
	}
	last := &s.steps[len(s.steps)-1]
	return last.keyword, last.key
}

// Here returns the location of the stack, as it is when a path or a pointer is asked for.
func (s *SchemaStack) Here() *Chain { return &Chain{stack: s, kind: ofStack} }

// Path returns the path of the location.
func (s *SchemaStack) Path() *field.Path {
	path := s.base.Path()
	for _, step := range s.steps {
		path = path.Child(strings.Clone(step.keyword))
		switch step.kind {
		case byKey:
			path = path.Key(strings.Clone(step.key))
		case byIndex:
			path = path.Index(step.index)
		}
	}
	return path
}

func (s *SchemaStack) appendPointer(b []byte) []byte {
	b = s.base.appendPointer(b)
	for i := range s.steps {
		step := &s.steps[i]
		b = append(append(b, '/'), step.keyword...)
		switch step.kind {
		case byKey:
			b = AppendToken(append(b, '/'), step.key)
		case byIndex:
			b = strconv.AppendInt(append(b, '/'), int64(step.index), 10)
		}
	}
	return b
}
