package crdkit

import (
	"github.com/crdkit/crdkit/internal/onepass"
	"github.com/crdkit/crdkit/schema"
)

// An ordinary object that nothing is wrong with is pruned, freed of nulls,
// defaulted and validated in one walk. Of any other the walk leaves no trace,
// and the engines take their turns.

// fuse does in one walk what is to be done to an object that is created or
// replaces another one, apart from its metadata and status. It returns the
// paths of unknown fields, and false if it did nothing. Afterwards, what is
// left to validate is what [request.settled] looks at.
func (r *request) fuse(v *Version, obj map[string]any) ([]schema.Path, bool) {
	if v != r.version || r.report || r.mutate != nil || v.def.plain || v.def.preserve {
		return nil, false
	}
	plan := v.onepass()
	if plan == nil {
		return nil, false
	}
	unknown, ok := plan.Map(obj, onepass.MapRequest{Report: r.fields != Ignore, Strict: r.fields == Strict})
	r.fused = ok
	return unknown, ok
}

// settled reports whether nothing is wrong with the object as far as its schema
// is concerned, rules apart. If it reports false, the validator has to judge.
func (r *request) settled() bool {
	return r.fused && r.typed && r.version.onepass().Settled(r.obj.Object)
}
