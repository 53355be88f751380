package crdpath

import (
	"errors"
	"fmt"
	"math"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// ErrNoField is the error of a well-formed path that names no field of the schema.
var ErrNoField = errors.New("does not refer to a valid field")

var (
	errPathEnd       = errors.New("unexpected end of JSON path")
	errArrayNotation = errors.New("array notation is not allowed")
)

// A FieldCursor is a location in a schema. It moves as the steps of a path are read.
type FieldCursor interface {
	// Enter moves to a field. If the field does not exist, it returns false, and the location is
	// undefined.
	Enter(name string) bool
}

// FieldNotation selects how a path may write a name.
type FieldNotation int

const (
	DotsAndBrackets FieldNotation = iota // .name and ['name'], for rules
	Dots                                 // .name only, for selectable fields
)

// FollowField moves a cursor along a path. If the path is malformed or names no field, it returns
// an error. The cursor is then somewhere on the way.
func FollowField(text string, cursor FieldCursor, notation FieldNotation) error {
	p := fieldParser{rest: text, cursor: cursor}
	for p.next() {
		var err error
		switch {
		case p.token == ".":
			err = p.dotted()
		case p.token == "[" && notation == Dots:
			err = errArrayNotation
		case p.token == "[":
			err = p.bracketed()
		default:
			err = fmt.Errorf("expected [ or . but got: %s", p.token)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type fieldParser struct {
	rest   string
	token  string
	cursor FieldCursor
}

func (p *fieldParser) dotted() error {
	if !p.next() {
		return errPathEnd
	}
	return p.enter(p.token)
}

func (p *fieldParser) bracketed() error {
	if !p.next() {
		return errPathEnd
	}
	quoted := p.token
	if len(quoted) < 2 || quoted[0] != '\'' || quoted[len(quoted)-1] != '\'' {
		return fmt.Errorf("expected single quoted string but got %s", quoted)
	}
	name, err := unquote(quoted[1 : len(quoted)-1])
	if err != nil {
		return fmt.Errorf("invalid string literal: %w", err)
	}
	if err := p.enter(name); err != nil {
		return err
	}
	if !p.next() {
		return errPathEnd
	}
	if p.token != "]" {
		return fmt.Errorf("expected ] but got %s", p.token)
	}
	return nil
}

func (p *fieldParser) enter(name string) error {
	if !p.cursor.Enter(name) {
		return ErrNoField
	}
	return nil
}

// next reads a delimiter, a quoted string, or the text before a delimiter. It returns false at the
// end.
func (p *fieldParser) next() bool {
	if p.rest == "" {
		return false
	}
	n := tokenLen(p.rest)
	p.token, p.rest = p.rest[:n], p.rest[n:]
	return true
}

func tokenLen(s string) int {
	if s[0] == '\'' {
		for i := 1; i < len(s); i++ {
			if s[i] == '\'' && s[i-1] != '\\' {
				return i + 1
			}
		}
		return len(s)
	}
	switch i := strings.IndexAny(s, ".[]"); i {
	case -1:
		return len(s)
	case 0:
		return 1
	default:
		return i
	}
}

// escapes are pairs of a character after a backslash and the character that it stands for.
const escapes = "a\ab\bf\fn\nr\rt\tv\v''\\\\"

func unquote(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		// A backslash at the end or before a line break stands for itself.
		if s[i] != '\\' || i+1 == len(s) || s[i+1] == '\n' {
			b.WriteByte(s[i])
			continue
		}
		i++
		at := -1
		for k := 0; k < len(escapes); k += 2 {
			if escapes[k] == s[i] {
				at = k + 1
			}
		}
		if at < 0 {
			return "", fmt.Errorf("invalid escape char %s", s[i-1:i+1])
		}
		b.WriteByte(escapes[at])
	}
	return b.String(), nil
}

// ParseField returns the path of the field that text names in values of n. The caller owns the
// path.
func ParseField(text string, n *schema.Node) (schema.Path, error) {
	c := nodeCursor{at: n}
	if err := FollowField(text, &c, DotsAndBrackets); err != nil {
		return nil, err
	}
	return c.path, nil
}

type nodeCursor struct {
	at   *schema.Node // nil if the values have no schema
	path schema.Path
}

func (c *nodeCursor) Enter(name string) bool {
	if c.at == nil {
		return false
	}
	if c.at.Len() > 0 {
		c.path = append(c.path, schema.Field(name))
		c.at = c.at.Property(name)
		return c.at != nil
	}
	values, declared := c.at.AdditionalProperties()
	if !declared {
		return false
	}
	c.path = append(c.path, schema.Key(name))
	c.at = values
	return true
}

// PropsCursor is a [FieldCursor] in the schema of a definition.
type PropsCursor struct {
	// At is the schema at the location, nil if there is none.
	At *apiextensionsv1.JSONSchemaProps
	// Path is the path from the start to the location, nil at the start.
	Path *field.Path
}

func (c *PropsCursor) Enter(name string) bool {
	switch {
	case c.At == nil:
		return false
	case len(c.At.Properties) > 0:
		c.Path = c.Path.Child(name)
		next, ok := c.At.Properties[name]
		c.At = &next
		return ok
	case c.At.AdditionalProperties != nil:
		c.Path = c.Path.Key(name)
		c.At = c.At.AdditionalProperties.Schema
		return true
	}
	return false
}

// A ScalePath is the path of a field: property names separated by dots, such as .spec.replicas.
// There are no escapes.
type ScalePath struct {
	Text  string   // as declared, with the leading dot
	Steps []string // property names
}

func NewScalePath(text string) ScalePath {
	return ScalePath{Text: text, Steps: strings.Split(strings.TrimPrefix(text, "."), ".")}
}

// CheckReplicas returns an error if the value is not an integer from 0 to 2147483647. The value may
// be absent.
func (p ScalePath) CheckReplicas(obj map[string]any) *field.Error {
	n, _, err := unstructured.NestedInt64(obj, p.Steps...)
	switch {
	case err != nil:
		return p.invalid(n, err.Error())
	case ValidReplicas(n):
		return nil
	case n < 0:
		return p.invalid(n, "should be a non-negative integer")
	}
	return p.invalid(n, fmt.Sprintf("should be less than or equal to %d", maxReplicas))
}

const maxReplicas = math.MaxInt32

func ValidReplicas(n int64) bool { return n >= 0 && n <= maxReplicas }

// CheckSelector returns an error if the value is not a string. The value may be absent.
func (p ScalePath) CheckSelector(obj map[string]any) *field.Error {
	if text, _, err := unstructured.NestedString(obj, p.Steps...); err != nil {
		return p.invalid(text, err.Error())
	}
	return nil
}

func (p ScalePath) invalid(value any, detail string) *field.Error {
	return field.Invalid(field.NewPath(p.Text), value, detail)
}
