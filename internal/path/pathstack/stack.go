package pathstack

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// A Stack is the location of a walk in an object and in its schema, with a step for each value that
// is entered. On request it builds the path for messages, the field of an error, and two JSON
// pointers. The zero Stack is at the root.
type Stack struct {
	// Steps lead from the start of the walk to the location. To avoid allocations, set Steps
	// to an empty slice with capacity.
	Steps []Step
	Start Start
}

// A Start is the location where a walk starts. The zero Start is the root of an object.
type Start struct {
	Field         string // field in errors
	Pointer       string // JSON pointer in the object
	SchemaPointer string // JSON pointer in the schema
}

// A Step leads to a value within a value, or to another schema of the same value.
type Step struct {
	Name  string
	Index int
	Kind  Kind
}

// A Kind says what a [Step] leads to.
type Kind uint8

// The kinds of steps. Kinds from AllOf on lead to a schema of the same value.
const (
	Property Kind = iota // value of a declared property
	Entry                // value of a property under additionalProperties
	Item                 // element of a list
	Name                 // property that is missing or forbidden
	AllOf
	AnyOf
	OneOf
	Not
)

// Between returns the stack from the root to a value. The pointers must be to the value and to its
// schema.
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

func (s *Stack) Push(kind Kind, name string, index int) {
	s.Steps = append(s.Steps, Step{Name: name, Index: index, Kind: kind})
}

// Pop leaves the value or schema that the last Push entered.
func (s *Stack) Pop() { s.Steps = s.Steps[:len(s.Steps)-1] }

// Text returns the path for messages, relative to the start. There is a dot before every entry, and
// before every property except the first.
func (s *Stack) Text() string {
	var buf [128]byte
	return string(s.AppendText(buf[:0]))
}

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

// TextIsEmpty reports whether [Stack.Text] is "". It is "" at the start, and in properties without
// a name.
func (s *Stack) TextIsEmpty() bool {
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Kind == Item || step.Kind == Entry || step.Kind == Property && step.Name != "" {
			return false
		}
	}
	return true
}

// FieldOf returns the field of an error. path is its path in the message.
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

// StartField returns the field of an error at Start, for the root the text of a nil [field.Path].
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

// AppendToken appends a name as a token of a JSON pointer (RFC 6901). It writes "~0" for "~" and
// "~1" for "/".
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

// AppendFieldPath appends the location in the object as a [field.Path]. At the start it appends
// "<nil>".
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

// Tokens returns the unescaped tokens of a JSON pointer. The pointer "" has no tokens.
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

// Unescape returns the name in a token. It is the inverse of [AppendToken]. A "~" before other
// characters is kept.
func Unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// A Recorder is the location of a walk and the paths recorded so far. P is the type of a path, S
// the type of a step. The zero Recorder is at the root.
//
// All methods of a nil Recorder do nothing.
type Recorder[P ~[]S, S any] struct {
	steps [inline]S // the location, while depth is at most inline
	deep  []S       // the location, after depth has exceeded inline
	depth int

	paths []P
	slab  []S // memory for the next paths
}

// inline is the number of steps that a location can have without an allocation.
const inline = 16

func (r *Recorder[P, S]) Enter(s S) {
	if r != nil {
		r.enter(s)
	}
}

func (r *Recorder[P, S]) enter(s S) {
	switch {
	case r.deep != nil:
		r.deep = append(r.deep[:r.depth], s)
	case r.depth < inline:
		r.steps[r.depth] = s
	default:
		r.deep = append(make([]S, 0, 4*inline), r.steps[:]...)
		r.deep = append(r.deep, s)
	}
	r.depth++
}

func (r *Recorder[P, S]) Leave() {
	if r != nil {
		r.depth--
	}
}

// Record records the path of the location, extended by s.
func (r *Recorder[P, S]) Record(s S) {
	if r != nil {
		r.record(s)
	}
}

func (r *Recorder[P, S]) record(s S) {
	location := r.deep
	if location == nil {
		location = r.steps[:]
	}
	n := r.depth + 1
	if cap(r.slab)-len(r.slab) < n {
		r.slab = make([]S, 0, r.slabSize(n))
	}
	start := len(r.slab)
	r.slab = append(append(r.slab, location[:r.depth]...), s)
	r.paths = append(r.paths, P(r.slab[start:len(r.slab):len(r.slab)]))
}

// slabSize returns the capacity of a slab for a path of n steps and some later paths.
func (r *Recorder[P, S]) slabSize(n int) int { return min(n*(len(r.paths)+1), max(n, 1024)) }

// Paths returns the recorded paths, nil if there are none. They belong to the caller and share no
// memory.
func (r *Recorder[P, S]) Paths() []P { return r.paths }

// A Chain is a location that functions pass down as an argument. It builds a [field.Path] and a
// JSON pointer on request. Child, Key and Index are inlined, so a Chain that nobody keeps stays on
// the stack of the goroutine.
//
// The nil Chain is the root. A Chain is also an option of packages schema and validation/cel: the
// location where the fields and pointers of errors start.
type Chain struct {
	above *Chain
	text  string
	index int
	kind  stepKind
	stack *SchemaStack // for ofStack
}

// At returns the location with a path. Its JSON pointer is "".
func At(path *field.Path) *Chain {
	if path == nil {
		return nil
	}
	return &Chain{text: path.String(), kind: ofPath}
}

// Child returns the location of a field. A keyword of a schema is a field, too.
func (c *Chain) Child(name string) *Chain { return &Chain{above: c, text: name} }

func (c *Chain) Key(key string) *Chain { return &Chain{above: c, text: key, kind: byKey} }

func (c *Chain) Index(index int) *Chain { return &Chain{above: c, index: index, kind: byIndex} }

// Moved returns a location with the same path and another pointer.
func (c *Chain) Moved(pointer string) *Chain { return &Chain{above: c, text: pointer, kind: moved} }

// Path returns the path of the location, nil for the nil Chain. It copies names: otherwise every
// Chain would be on the heap.
func (c *Chain) Path() *field.Path {
	if c == nil {
		return nil
	}
	switch c.kind {
	case byKey:
		return c.above.Path().Key(strings.Clone(c.text))
	case byIndex:
		return c.above.Path().Index(c.index)
	case moved:
		return c.above.Path()
	case ofPath:
		return field.NewPath(strings.Clone(c.text))
	case ofStack:
		return c.stack.Path()
	default:
		return c.above.Path().Child(strings.Clone(c.text))
	}
}

// Pointer returns the JSON pointer of the location, "" for the nil Chain.
func (c *Chain) Pointer() string {
	var buf [256]byte
	return string(c.appendPointer(buf[:0]))
}

func (c *Chain) appendPointer(b []byte) []byte {
	if c == nil {
		return b
	}
	switch c.kind {
	case byIndex:
		return strconv.AppendInt(append(c.above.appendPointer(b), '/'), int64(c.index), 10)
	case moved:
		return append(b, c.text...)
	case ofPath:
		return b
	case ofStack:
		return c.stack.appendPointer(b)
	default:
		return AppendToken(append(c.above.appendPointer(b), '/'), c.text)
	}
}

func (*Chain) SchemaOption(testopt.Sealed) {}

func (*Chain) CELOption(testopt.Sealed) {}

// A SchemaStack is the location of a walk in a schema. It builds a [field.Path] and a JSON pointer
// on request. The zero SchemaStack is at a schema without a path.
type SchemaStack struct {
	base  *Chain // location of the schema where the walk starts
	steps []schemaStep
}

// NewSchemaStack returns the stack of a walk from base. base may be nil. Up to depth steps need no
// allocation.
func NewSchemaStack(base *Chain, depth int) SchemaStack {
	return SchemaStack{base: base, steps: make([]schemaStep, 0, depth)}
}

// A schemaStep leads from a schema to a schema directly below.
type schemaStep struct {
	keyword string
	key     string // for byKey
	index   int    // for byIndex
	kind    stepKind
}

// A stepKind says whether a step has a key, an index, or neither.
type stepKind uint8

const (
	single stepKind = iota // the keyword has one schema
	byKey
	byIndex

	// A Chain may also start at a path or at a SchemaStack, or have a pointer of its own.
	ofPath
	ofStack
	moved
)

// Start begins another walk, at a schema with location base. It keeps the memory of the steps.
func (s *SchemaStack) Start(base *Chain) { s.base, s.steps = base, s.steps[:0] }

func (s *SchemaStack) Push(keyword string) {
	s.steps = append(s.steps, schemaStep{keyword: keyword})
}

func (s *SchemaStack) PushKey(keyword, key string) {
	s.steps = append(s.steps, schemaStep{keyword: keyword, key: key, kind: byKey})
}

func (s *SchemaStack) PushIndex(keyword string, index int) {
	s.steps = append(s.steps, schemaStep{keyword: keyword, index: index, kind: byIndex})
}

// Pop leaves the schema that the last Push entered.
func (s *SchemaStack) Pop() { s.steps = s.steps[:len(s.steps)-1] }

func (s *SchemaStack) Depth() int { return len(s.steps) }

// Last returns the keyword of the last step. For a named schema it also returns the name, else "".
func (s *SchemaStack) Last() (keyword, name string) {
	if len(s.steps) == 0 {
		return "", ""
	}
	last := &s.steps[len(s.steps)-1]
	return last.keyword, last.key
}

// Here returns the location of the stack. It changes as the stack changes.
func (s *SchemaStack) Here() *Chain { return &Chain{stack: s, kind: ofStack} }

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
