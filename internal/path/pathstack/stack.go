package pathstack

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Stack is the location of a walk in an object and in its schema. The walk
// pushes a step for each value that it enters. The Stack builds a text only on
// request: the path in messages, the field of an error, and two JSON pointers.
//
// The zero Stack is at the root.
type Stack struct {
	// Steps lead from the start of the walk to its location. To avoid allocations,
	// set it to an empty slice with capacity before the walk.
	Steps []Step
	// Start is where the walk starts.
	Start Start
}

// A Start is the location of the value at which a walk starts. The zero Start is
// the root of an object.
type Start struct {
	Field         string // the field in errors
	Pointer       string // the JSON pointer in the object
	SchemaPointer string // the JSON pointer in the schema
}

// A Step leads from a value to a value in it, or from a schema to another schema
// of the same value.
type Step struct {
	Name  string
	Index int
	Kind  Kind
}

// A Kind says what a [Step] leads to.
type Kind uint8

// The kinds of steps. Those from AllOf on lead to a schema of the same value.
const (
	Property Kind = iota // the value of a declared property
	Entry                // the value of a property under additionalProperties
	Item                 // an element of a list
	Name                 // a property that is missing or forbidden
	AllOf
	AnyOf
	OneOf
	Not
)

// Between returns the stack of a walk from the root to a value and its schema, whose JSON
// pointers fit together.
func Between(pointer, schemaPointer string) Stack {
	var s Stack
	names, tokens := Tokens(pointer), Tokens(schemaPointer)
	next := func(list *[]string) (token string) {
		if len(*list) > 0 {
			token, *list = (*list)[0], (*list)[1:]
		}
		return token
	}
	index := func(list *[]string) int {
		i, _ := strconv.Atoi(next(list))
		return i
	}
	for len(tokens) > 0 {
		switch next(&tokens) {
		case "properties":
			next(&names)
			s.Push(Property, next(&tokens), 0)
		case "additionalProperties":
			s.Push(Entry, next(&names), 0)
		case "items":
			s.Push(Item, "", index(&names))
		case "allOf":
			s.Push(AllOf, "", index(&tokens))
		case "anyOf":
			s.Push(AnyOf, "", index(&tokens))
		case "oneOf":
			s.Push(OneOf, "", index(&tokens))
		case "not":
			s.Push(Not, "", 0)
		}
	}
	return s
}

// Push enters a value or a schema.
func (s *Stack) Push(kind Kind, name string, index int) {
	s.Steps = append(s.Steps, Step{Name: name, Index: index, Kind: kind})
}

// Pop leaves the value or schema that the last Push entered.
func (s *Stack) Pop() { s.Steps = s.Steps[:len(s.Steps)-1] }

// Text returns the path that messages contain: relative to the start, with a dot
// before every entry and before every property but the first.
func (s *Stack) Text() string {
	var buf [128]byte
	return string(s.AppendText(buf[:0]))
}

// AppendText appends what [Stack.Text] returns.
func (s *Stack) AppendText(b []byte) []byte {
	start := len(b)
	for i := range s.Steps {
		switch step := &s.Steps[i]; step.Kind {
		case Property:
			if len(b) > start {
				b = append(b, '.')
			}
			b = append(b, step.Name...)
		case Entry:
			b = append(append(b, '.'), step.Name...)
		case Item:
			b = appendIndex(b, step.Index)
		}
	}
	return b
}

func appendIndex(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
}

// TextIsEmpty reports whether [Stack.Text] returns "". That is so at the start,
// and in properties without a name.
func (s *Stack) TextIsEmpty() bool {
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Kind == Item || step.Kind == Entry || step.Kind == Property && step.Name != "" {
			return false
		}
	}
	return true
}

// FieldOf returns the field of an error whose message contains path.
func (s *Stack) FieldOf(path string) string {
	if path == "" || path == "." {
		return s.StartField()
	}
	if path[0] == '.' {
		path = path[1:]
	}
	if s.Start.Field == "" {
		return path
	}
	return s.Start.Field + "." + path
}

// StartField returns the field of an error whose message contains no path. At the
// root this is the text of a nil [field.Path].
func (s *Stack) StartField() string {
	if s.Start.Field == "" {
		var root *field.Path
		return root.String()
	}
	return s.Start.Field
}

// AppendPointer appends the JSON pointer of the location in the object.
func (s *Stack) AppendPointer(b []byte) []byte {
	b = append(b, s.Start.Pointer...)
	for i := range s.Steps {
		switch step := &s.Steps[i]; step.Kind {
		case Property, Entry, Name:
			b = AppendToken(append(b, '/'), step.Name)
		case Item:
			b = strconv.AppendInt(append(b, '/'), int64(step.Index), 10)
		}
	}
	return b
}

// AppendSchemaPointer appends the JSON pointer of the location in the schema.
func (s *Stack) AppendSchemaPointer(b []byte) []byte {
	b = append(b, s.Start.SchemaPointer...)
	for i := range s.Steps {
		switch step := &s.Steps[i]; step.Kind {
		case Property:
			b = AppendToken(append(b, "/properties/"...), step.Name)
		case Entry:
			b = append(b, "/additionalProperties"...)
		case Item:
			b = append(b, "/items"...)
		case AllOf:
			b = strconv.AppendInt(append(b, "/allOf/"...), int64(step.Index), 10)
		case AnyOf:
			b = strconv.AppendInt(append(b, "/anyOf/"...), int64(step.Index), 10)
		case OneOf:
			b = strconv.AppendInt(append(b, "/oneOf/"...), int64(step.Index), 10)
		case Not:
			b = append(b, "/not"...)
		}
	}
	return b
}

// AppendToken appends a name as a reference token of a JSON pointer (RFC 6901):
// "~" becomes "~0" and "/" becomes "~1".
func AppendToken(b []byte, name string) []byte {
	for i := range len(name) {
		switch c := name[i]; c {
		case '~':
			b = append(b, "~0"...)
		case '/':
			b = append(b, "~1"...)
		default:
			b = append(b, c)
		}
	}
	return b
}

// AppendFieldPath appends the location in the object relative to the start, as a
// [field.Path] writes it: "<nil>" at the start.
func (s *Stack) AppendFieldPath(b []byte) []byte {
	start := len(b)
	for i := range s.Steps {
		switch step := &s.Steps[i]; {
		case step.Kind == Property && step.Name != "":
			if len(b) > start {
				b = append(b, '.')
			}
			b = append(b, step.Name...)
		case step.Kind == Property || step.Kind == Entry:
			b = append(append(append(b, '['), step.Name...), ']')
		case step.Kind == Item:
			b = appendIndex(b, step.Index)
		}
	}
	if len(b) == start {
		var root *field.Path
		b = append(b, root.String()...)
	}
	return b
}

// Tokens returns the reference tokens of a JSON pointer, unescaped. The pointer to the
// root, "", has none.
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range tokens {
		tokens[i] = Unescape(tokens[i])
	}
	return tokens
}

// Unescape returns the name that a reference token of a JSON pointer (RFC 6901) stands
// for: it is the inverse of [AppendToken]. A "~" without 0 or 1 after it stays.
func Unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
