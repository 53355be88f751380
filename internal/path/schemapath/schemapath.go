// Package schemapath finds the schema at a schema pointer, and the path of the value that breaks
// the schema.
package schemapath

import (
	"strconv"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// A Location is a schema: a node, or a branch below allOf, anyOf, oneOf or not.
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
	n, nested := root, false
	for steps := pathstack.Tokens(pointer); len(steps) > 0; {
		keyword, argument := steps[0], ""
		steps = steps[1:]
		switch keyword {
		case "properties", "allOf", "anyOf", "oneOf":
			if len(steps) == 0 {
				return Location{}, false
			}
			argument, steps = steps[0], steps[1:]
		}
		switch keyword {
		case "properties":
			n = n.Property(argument)
		case "items":
			n = n.Items()
		case "additionalProperties":
			n, _ = n.AdditionalProperties()
		case "allOf":
			n, nested = branchAt(n.AllOf(), argument), true
		case "anyOf":
			n, nested = branchAt(n.AnyOf(), argument), true
		case "oneOf":
			n, nested = branchAt(n.OneOf(), argument), true
		case "not":
			n, nested = (*schema.Node)(n.Not()), true
		default:
			n = nil
		}
		if n == nil {
			return Location{}, false
		}
	}
	if nested {
		return Location{Branch: (*schema.Branch)(n)}, true
	}
	return Location{Node: n}, true
}

// Rule returns a rule of the schema at a schema pointer, and reports whether there is one.
func Rule(root *schema.Node, pointer string, index int) (schema.Rule, bool) {
	l, ok := At(root, pointer)
	if !ok || index < 0 || index >= len(l.Node.Rules()) {
		return schema.Rule{}, false
	}
	return l.Node.Rules()[index], true
}

func branchAt(list []*schema.Branch, index string) *schema.Node {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(list) {
		return nil
	}
	return (*schema.Node)(list[i])
}

// Value returns the path of the value at a schema pointer. The schema pointer must have no allOf,
// anyOf, oneOf or not. pointer is the JSON pointer of the value, or of a value below the value.
// Value returns false if the pointers do not fit together.
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
