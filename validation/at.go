package validation

import (
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// ValidateAt returns the errors that [Validator.Validate] reports for value at
// path, sorted, or nil. It checks types and values only, not the elements of
// lists of type set and map and not embedded resources. The cost depends on
// value, not on the rest of the object. The steps of path to map entries may be
// fields or keys. It returns nil for a path that the schema does not declare.
func (v *Validator) ValidateAt(path schema.Path, value any, opts ...CallOption) ErrorList {
	if v.wrong != nil {
		return ErrorList{v.wrong}
	}
	return v.validateAt(v.root, pathstack.Stack{}, path, value, callOf(opts))
}

// ValidateStatusAt is like [Validator.ValidateAt], but returns the errors that
// [Validator.ValidateStatus] reports. path starts with the status field.
func (v *Validator) ValidateStatusAt(path schema.Path, value any, opts ...CallOption) ErrorList {
	if v.wrong != nil {
		return ErrorList{v.wrong}
	}
	if len(path) == 0 || v.status == nil {
		return nil
	}
	return v.validateAt(v.status, statusStack(), path[1:], value, callOf(opts))
}

func (v *Validator) validateAt(n *leafcheck.Node, stack pathstack.Stack, path schema.Path, value any, bounds call) ErrorList {
	r := run{checkAll: v.collectOnly, stack: stack, bounds: bounds}
	r.stack.Steps = r.steps[:0]
	for _, step := range path {
		if n = enter(&r.stack, n, step); n == nil {
			return nil
		}
	}
	if !v.collectOnly && n.Valid(value) {
		return nil
	}
	r.found, r.buf = r.first[:0], r.bytes[:0]
	r.check(n, value, correlate.Pair{})
	errs := firstOfEachText(r.found, bounds.watch)
	errs.sort(bounds.watch)
	return errs
}

// enter pushes a step from a value of n to the stack. It returns the node that
// the step leads to, nil if n declares none.
func enter(s *pathstack.Stack, n *leafcheck.Node, step schema.Step) *leafcheck.Node {
	if i, ok := step.Index(); ok {
		s.Push(pathstack.Item, "", i)
		return n.Items
	}
	name, _ := step.Name()
	if i, ok := n.Fields.Index(name); ok {
		s.Push(pathstack.Property, name, 0)
		return n.Fields.Props[i].Node
	}
	s.Push(pathstack.Entry, name, 0)
	return n.Fields.Additional
}

// statusStack returns the stack of a walk that starts at the status.
func statusStack() pathstack.Stack {
	return pathstack.Stack{Start: pathstack.Start{Field: "status", Pointer: "/status", SchemaPointer: "/properties/status"}}
}
