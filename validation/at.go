package validation

import (
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// ValidateAt returns what [Validator.Validate] reports, sorted, of the value
// that an object has at path, as far as types and values go: lists of type set
// and map and embedded resources are not looked at. It takes no more than the
// value takes, whatever else the object has. Entries of objects may be fields
// or keys. A path that the schema does not declare leads to nothing wrong.
func (v *Validator) ValidateAt(path schema.Path, value any) ErrorList {
	return v.validateAt(v.root, place{}, path, value)
}

// ValidateStatusAt is ValidateAt for what [Validator.ValidateStatus] reports.
// The path begins with the status.
func (v *Validator) ValidateStatusAt(path schema.Path, value any) ErrorList {
	if len(path) == 0 || v.status == nil {
		return nil
	}
	return v.validateAt(v.status, statusPlace(), path[1:], value)
}

func (v *Validator) validateAt(n *leafcheck.Node, begin place, path schema.Path, value any) ErrorList {
	r := run{checkAll: v.collectOnly, place: begin}
	r.place.steps = r.steps[:0]
	for _, step := range path {
		if n = r.place.enter(n, step); n == nil {
			return nil
		}
	}
	if !v.collectOnly && n.Valid(value) {
		return nil
	}
	r.found, r.buf = r.first[:0], r.bytes[:0]
	r.check(n, value, correlate.Pair{})
	errs := firstOfEachText(r.found)
	errs.Sort()
	return errs
}

// enter goes on from a value of n, and returns the node of where it leads to, nil
// if that is not declared.
func (p *place) enter(n *leafcheck.Node, step schema.Step) *leafcheck.Node {
	if i, ok := step.Index(); ok {
		p.push(itemStep, "", i)
		return n.Items
	}
	name, _ := step.Name()
	if i, ok := n.Fields.Index(name); ok {
		p.push(propertyStep, name, 0)
		return n.Fields.Props[i].Node
	}
	p.push(entryStep, name, 0)
	return n.Fields.Additional
}

// statusPlace is where a walk over the status begins.
func statusPlace() place {
	return place{field: "status", pointer: "/status", schema: "/properties/status"}
}
