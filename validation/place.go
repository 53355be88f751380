package validation

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// A place is where a walk over an object and its schema is. It costs nothing
// until something asks for it: then there is one text for each purpose, the
// path that messages contain, the field of an error, and two pointers.
type place struct {
	steps []step

	// For walks that begin below the root.
	field   string // of the beginning, "" at the root
	pointer string // of the beginning in the object
	schema  string // of the beginning in the schema
}

type step struct {
	name  string
	index int
	kind  stepKind
}

type stepKind uint8

const (
	propertyStep stepKind = iota // into a declared property
	entryStep                    // into a property under additionalProperties
	itemStep                     // into an element
	keyStep                      // to a name that is missing or forbidden

	// Steps of the schema only.
	allOfStep
	anyOfStep
	oneOfStep
	notStep
)

func (p *place) push(kind stepKind, name string, index int) {
	p.steps = append(p.steps, step{name: name, index: index, kind: kind})
}

func (p *place) pop() { p.steps = p.steps[:len(p.steps)-1] }

// text returns the path as messages spell it.
func (p *place) text() string {
	var buf [128]byte
	return string(p.appendText(buf[:0]))
}

// appendText appends the path as messages spell it: from where the walk began,
// with a dot in front of every entry but not of a property of the beginning.
func (p *place) appendText(b []byte) []byte {
	start := len(b)
	for i := range p.steps {
		s := &p.steps[i]
		switch s.kind {
		case propertyStep:
			if len(b) > start {
				b = append(b, '.')
			}
			b = append(b, s.name...)
		case entryStep:
			b = append(append(b, '.'), s.name...)
		case itemStep:
			b = append(strconv.AppendInt(append(b, '['), int64(s.index), 10), ']')
		}
	}
	return b
}

// atStart reports whether text is "", as it is where the walk began and in
// properties without a name.
func (p *place) atStart() bool {
	for i := range p.steps {
		s := &p.steps[i]
		if s.kind == itemStep || s.kind == entryStep || s.kind == propertyStep && s.name != "" {
			return false
		}
	}
	return true
}

// fieldOf returns the field of an error whose message speaks of path. The
// field of the root is what a nil path prints.
func (p *place) fieldOf(path string) string {
	if path == "" || path == "." {
		return p.start()
	}
	if path[0] == '.' {
		path = path[1:]
	}
	if p.field == "" {
		return path
	}
	return p.field + "." + path
}

// start returns the field of errors that are not about a path.
func (p *place) start() string {
	if p.field == "" {
		var root *field.Path
		return root.String()
	}
	return p.field
}

// objectPointer returns the place in the object as a JSON Pointer.
func (p *place) objectPointer() string {
	var buf [128]byte
	return string(p.appendObjectPointer(buf[:0]))
}

func (p *place) appendObjectPointer(b []byte) []byte {
	b = append(b, p.pointer...)
	for i := range p.steps {
		switch s := &p.steps[i]; s.kind {
		case propertyStep, entryStep, keyStep:
			b = appendToken(append(b, '/'), s.name)
		case itemStep:
			b = strconv.AppendInt(append(b, '/'), int64(s.index), 10)
		}
	}
	return b
}

// schemaPointer returns the place in the schema as a JSON Pointer.
func (p *place) schemaPointer() string {
	var buf [256]byte
	return string(p.appendSchemaPointer(buf[:0]))
}

func (p *place) appendSchemaPointer(b []byte) []byte {
	b = append(b, p.schema...)
	for i := range p.steps {
		switch s := &p.steps[i]; s.kind {
		case propertyStep:
			b = appendToken(append(b, "/properties/"...), s.name)
		case entryStep:
			b = append(b, "/additionalProperties"...)
		case itemStep:
			b = append(b, "/items"...)
		case allOfStep:
			b = strconv.AppendInt(append(b, "/allOf/"...), int64(s.index), 10)
		case anyOfStep:
			b = strconv.AppendInt(append(b, "/anyOf/"...), int64(s.index), 10)
		case oneOfStep:
			b = strconv.AppendInt(append(b, "/oneOf/"...), int64(s.index), 10)
		case notStep:
			b = append(b, "/not"...)
		}
	}
	return b
}

// appendToken appends a name as a reference token of a JSON Pointer.
func appendToken(b []byte, name string) []byte {
	for i := range len(name) {
		if name[i] == '~' || name[i] == '/' {
			return append(b, schema.EscapePointer(name)...)
		}
	}
	return append(b, name...)
}

// path returns the place as a structured path, as checks of lists report it.
func (p *place) path() *field.Path {
	var path *field.Path
	for i := range p.steps {
		switch s := &p.steps[i]; s.kind {
		case propertyStep:
			path = path.Child(s.name)
		case entryStep:
			path = path.Key(s.name)
		case itemStep:
			path = path.Index(s.index)
		}
	}
	return path
}
