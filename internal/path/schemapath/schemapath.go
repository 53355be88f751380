// Package schemapath finds the schema at a schema pointer, and the path of the value
// that an error of that schema is about.
package schemapath

import (
	"strconv"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// A Location is a schema: a node or, below a junctor, a branch.
type Location struct {
	Node   *schema.Node
	Branch *schema.Branch
}

// Limits returns the value validations of the schema.
func (l Location) Limits() schema.Limits {
	if l.Branch != nil {
		return l.Branch.Limits()
	}
	return l.Node.Limits()
}

// At returns the schema at a schema pointer, and reports whether there is one.
func At(root *schema.Node, pointer string) (Location, bool) {
	l := Location{Node: root}
	for steps := pathstack.Tokens(pointer); len(steps) > 0; {
		keyword := steps[0]
		steps = steps[1:]
		argument := ""
		switch keyword {
		case "properties", "allOf", "anyOf", "oneOf":
			if len(steps) == 0 {
				return Location{}, false
			}
			argument, steps = steps[0], steps[1:]
		}
		if l = l.enter(keyword, argument); l.Node == nil && l.Branch == nil {
			return Location{}, false
		}
	}
	return l, true
}

// A nester is a schema.Node or a schema.Branch.
type nester interface {
	AllOf() []*schema.Branch
	AnyOf() []*schema.Branch
	OneOf() []*schema.Branch
	Not() *schema.Branch
}

func (l Location) enter(keyword, argument string) Location {
	var junctors nester = l.Node
	if l.Branch != nil {
		junctors = l.Branch
	}
	switch keyword {
	case "allOf":
		return branchAt(junctors.AllOf(), argument)
	case "anyOf":
		return branchAt(junctors.AnyOf(), argument)
	case "oneOf":
		return branchAt(junctors.OneOf(), argument)
	case "not":
		return Location{Branch: junctors.Not()}
	}
	if l.Branch != nil {
		return Location{Branch: branchPart(l.Branch, keyword, argument)}
	}
	return Location{Node: nodePart(l.Node, keyword, argument)}
}

func branchAt(list []*schema.Branch, index string) Location {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(list) {
		return Location{}
	}
	return Location{Branch: list[i]}
}

func branchPart(b *schema.Branch, keyword, name string) *schema.Branch {
	switch keyword {
	case "properties":
		return b.Property(name)
	case "items":
		return b.Items()
	case "additionalProperties":
		values, _ := b.AdditionalProperties()
		return values
	}
	return nil
}

func nodePart(n *schema.Node, keyword, name string) *schema.Node {
	switch keyword {
	case "properties":
		return n.Property(name)
	case "items":
		return n.Items()
	case "additionalProperties":
		values, _ := n.AdditionalProperties()
		return values
	}
	return nil
}

// Value returns the path of the value whose schema is at a schema pointer without
// junctors, from a JSON pointer that leads there or below. It reports false if they do
// not fit together.
func Value(schemaPointer, pointer string) (schema.Path, bool) {
	names := pathstack.Tokens(pointer)
	var path schema.Path
	for steps := pathstack.Tokens(schemaPointer); len(steps) > 0; names = names[1:] {
		if len(names) == 0 {
			return nil, false
		}
		keyword := steps[0]
		steps = steps[1:]
		switch keyword {
		case "properties":
			if len(steps) == 0 || steps[0] != names[0] {
				return nil, false
			}
			path, steps = append(path, schema.Field(names[0])), steps[1:]
		case "additionalProperties":
			path = append(path, schema.Key(names[0]))
		case "items":
			i, err := strconv.Atoi(names[0])
			if err != nil || i < 0 {
				return nil, false
			}
			path = append(path, schema.Index(i))
		default:
			return nil, false
		}
	}
	return path, true
}
