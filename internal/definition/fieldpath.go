package definition

import (
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Selectable fields, and the places at which rules report, are named by paths
// such as .spec.a and, the latter only, ['a.b']. Package validation/cel reads
// them too, below compiled schemas; here they are read below schemas that may
// not compile.

var (
	errPathEnd   = errors.New("unexpected end of JSON path")
	errPathField = errors.New("does not refer to a valid field")
	errPathArray = errors.New("array notation is not allowed")
)

// A pathParser follows a path through a schema.
type pathParser struct {
	rest     string
	token    string
	at       *apiextensionsv1.JSONSchemaProps // nil where nothing is described
	path     *field.Path
	dotsOnly bool
}

// parse returns why the path does not refer to a field.
func (p *pathParser) parse() error {
	for p.next() {
		var err error
		switch p.token {
		case ".":
			err = p.dotted()
		case "[":
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

func (p *pathParser) dotted() error {
	if !p.next() {
		return errPathEnd
	}
	return p.enter(p.token)
}

func (p *pathParser) bracketed() error {
	if p.dotsOnly {
		return errPathArray
	}
	if !p.next() {
		return errPathEnd
	}
	quoted := p.token
	if len(quoted) < 2 || quoted[0] != '\'' || quoted[len(quoted)-1] != '\'' {
		return fmt.Errorf("expected single quoted string but got %s", quoted)
	}
	name, err := unquote(quoted[1 : len(quoted)-1])
	if err != nil {
		return err
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

// enter goes down to a property if any are declared, else to a map entry.
// Nothing lies below the entries of a map whose values are not described; the
// server panics there.
func (p *pathParser) enter(name string) error {
	switch {
	case p.at == nil:
		return errPathField
	case len(p.at.Properties) > 0:
		p.path = p.path.Child(name)
		next, ok := p.at.Properties[name]
		if !ok {
			return errPathField
		}
		p.at = &next
	case p.at.AdditionalProperties != nil:
		p.path = p.path.Key(name)
		p.at = p.at.AdditionalProperties.Schema
	default:
		return errPathField
	}
	return nil
}

// next reads a token: one of the delimiters, a quoted string, or what stands
// before the next delimiter.
func (p *pathParser) next() bool {
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

// unquote undoes escapes. A name is only looked up, so what an escape stands
// for must be right, and what an error says is seen by nobody.
func unquote(s string) (string, error) {
	const escapes = "a\ab\bf\fn\nr\rt\tv\v''\\\\"
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
			return "", errors.New("invalid escape")
		}
		b.WriteByte(escapes[at])
	}
	return b.String(), nil
}
