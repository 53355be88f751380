package fieldpath

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoField is the error of a path whose names lead nowhere.
var ErrNoField = errors.New("does not refer to a valid field")

var (
	errPathEnd   = errors.New("unexpected end of JSON path")
	errArrayNotation = errors.New("array notation is not allowed")
)

// A FieldCursor is where a path has led so far.
type FieldCursor interface {
	// Enter goes down to the field of a name and reports whether there is one.
	Enter(name string) bool
}

// FieldNotation is how names may be spelled.
type FieldNotation int

// The notations: rules know both ways, selectable fields only dots.
const (
	DotsAndBrackets FieldNotation = iota
	Dots
)

// FollowField leads a place along a path. If the path is not one, or does not refer
// to a field, the place is somewhere on the way.
func FollowField(text string, at FieldCursor, notation FieldNotation) error {
	p := fieldParser{rest: text, at: at}
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
	rest  string
	token string
	at    FieldCursor
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
	if !p.at.Enter(name) {
		return ErrNoField
	}
	return nil
}

// next reads a token: one of the delimiters, a quoted string, or what stands
// before the next delimiter.
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

// escapes are the characters that may follow a backslash, and what the two
// stand for.
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
