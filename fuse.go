package crdkit

import (
	"github.com/crdkit/crdkit/internal/fastpath"
)

// An ordinary object that nothing is wrong with is pruned, freed of nulls,
// defaulted and validated in one walk. Of any other the walk leaves no trace,
// and the engines take their turns.

// fuse does in one walk what is to be done to an object that is created or
// replaces another one, apart from its metadata and status. It reports false if
// it did nothing. Afterwards, what is left to validate is what
// [request.settled] looks at.
func (r *request) fuse(v *Version, obj map[string]any) bool {
	if v != r.version || r.report || r.mutate != nil || v.def.plain || v.def.preserve {
		return false
	}
	plan := v.onepass()
	if plan == nil {
		return false
	}
	r.complaints, r.fused = plan.Map(obj, fastpath.MapRequest{
		Report: r.fields != Ignore, Prefix: unknownField, Suffix: `"`,
		Strict: r.fields == Strict,
	})
	return r.fused
}

// settled reports whether nothing is wrong with the object as far as its schema
// is concerned, rules apart. If it reports false, the validator has to judge.
func (r *request) settled() bool {
	return r.fused && r.typed && r.version.onepass().Settled(r.obj.Object)
}
