package pathstack

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// A Chain is the location of a walk whose functions hand the location down as an argument.
// It builds a [field.Path] and a JSON pointer only on request. Child, Key and Index are so
// small that the compiler inlines them: a Chain that no function keeps stays on the stack of
// the goroutine, and a walk of any depth allocates nothing for it.
//
// The nil Chain is the location above all others. A Chain is an option of package schema and
// of package validation/cel: it is the location of the schema, where fields and pointers of
// errors start.
type Chain struct {
	above *Chain
	text  string
	index int
	kind  stepKind
	stack *SchemaStack // for ofStack
}

// At returns a location with this path. The pointers of what is below it start with it.
func At(path *field.Path) *Chain {
	if path == nil {
		return nil
	}
	return &Chain{text: path.String(), kind: ofPath}
}

// Child returns the location of a field, which may be a keyword of a schema.
func (c *Chain) Child(name string) *Chain { return &Chain{above: c, text: name} }

// Key returns the location of an entry of a map.
func (c *Chain) Key(key string) *Chain { return &Chain{above: c, text: key, kind: byKey} }

// Index returns the location of an element of a list.
func (c *Chain) Index(index int) *Chain { return &Chain{above: c, index: index, kind: byIndex} }

// Moved returns the location with the same path and another pointer.
func (c *Chain) Moved(pointer string) *Chain { return &Chain{above: c, text: pointer, kind: moved} }

// Path returns the path of the location, nil for the nil Chain. The path gets copies of the
// names: if it kept a part of the Chain, the compiler would put every Chain on the heap.
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

// SchemaOption makes a Chain an option of package schema.
func (*Chain) SchemaOption(testopt.Sealed) {}

// CELOption makes a Chain an option of package validation/cel.
func (*Chain) CELOption(testopt.Sealed) {}
