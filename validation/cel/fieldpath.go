package cel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/schema"
)

// A fieldPath leads from the value of a rule to the field at which its failure
// is reported: ".spec.a", "['a.b']" and the like. It names properties, or keys
// of a map, never elements of a list.

var (
	errPathEnd   = errors.New("unexpected end of JSON path")
	errPathField = errors.New("does not refer to a valid field")
)

// parseFieldPath returns the path that text spells below values of n.
func parseFieldPath(text string, n *schema.Node) (schema.Path, error) {
	p := pathParser{rest: text, at: n}
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
			return nil, err
		}
	}
	return p.path, nil
}

type pathParser struct {
	rest  string
	token string
	at    *schema.Node // nil where anything goes
	path  schema.Path
}

func (p *pathParser) dotted() error {
	if !p.next() {
		return errPathEnd
	}
	return p.enter(p.token)
}

func (p *pathParser) bracketed() error {
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

// enter goes down to a property if any are declared, else to a map entry.
// Nothing lies below the entries of a map whose values are not described.
func (p *pathParser) enter(name string) error {
	if p.at == nil {
		return errPathField
	}
	if p.at.Len() > 0 {
		p.path = append(p.path, schema.Field(name))
		if p.at = p.at.Property(name); p.at == nil {
			return errPathField
		}
		return nil
	}
	values, declared := p.at.AdditionalProperties()
	if !declared {
		return errPathField
	}
	p.path = append(p.path, schema.Key(name))
	p.at = values
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

// pathEscapes are the characters that may follow a backslash, and what the two
// stand for.
const pathEscapes = "a\ab\bf\fn\nr\rt\tv\v''\\\\"

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
		for k := 0; k < len(pathEscapes); k += 2 {
			if pathEscapes[k] == s[i] {
				at = k + 1
			}
		}
		if at < 0 {
			return "", fmt.Errorf("invalid escape char %s", s[i-1:i+1])
		}
		b.WriteByte(pathEscapes[at])
	}
	return b.String(), nil
}
