package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Lists that loops make. Parts of the object are collected as they are, in
// lists which frames keep for the next evaluation; other values are boxed.

// collect compiles filter and map: the list of values e where p holds, or of
// all if there is no p.
func (x *executor) collect(over code, each rangeFunc, p, e code, cost uint64) code {
	if x.why != "" {
		return code{}
	}
	always := p.kind == kindNone
	test, every, hit := func(*frame) bool { return true }, e.cost+cost, uint64(0)
	if !always {
		test, every, hit = x.bool(p), p.cost, e.cost+cost
	}
	if e.constant != nil { // so is the list that is appended
		if always {
			every = mapKnownCost
		} else {
			hit = mapKnownCost
		}
	}
	if x.why != "" {
		return code{}
	}
	if e.raw != nil && e.shape.plain() && e.constant == nil && !e.choice {
		return x.collectRaw(over, each, test, every, hit, e)
	}
	out := x.collectBoxed(over, each, test, every, hit, e)
	if e.kind == kindInt {
		out.sum = sumOf(each, test, every, hit, e.int)
	}
	return out
}

// sumOf adds up what would be put in a list. That costs
// one unit for each of them.
func sumOf(each rangeFunc, test func(*frame) bool, every, hit uint64, e func(*frame) int64) func(*frame) int64 {
	one := func(f *frame) bool {
		f.cost += every
		if test(f) && !f.bail {
			f.cost += hit + 1
			v, what := addInt(f.total, e(f))
			if f.total = v; what != nil {
				f.void()
			}
		}
		return f.step()
	}
	return func(f *frame) int64 {
		outer := f.total
		f.total = 0
		each(f, one)
		total := f.total
		f.total = outer
		return total
	}
}

// plain reports whether lists of such elements that a loop makes are like those
// in objects.
func (s *shape) plain() bool {
	switch s.kind {
	case shapeString, shapeInteger, shapeNumber, shapeBoolean, shapeObject, shapeAtomicList, shapeSetList, shapeMapList:
		return true
	}
	return false
}

func (x *executor) collectRaw(over code, each rangeFunc, test func(*frame) bool, every, hit uint64, e code) code {
	raw, s := e.raw, e.shape
	one := func(f *frame) bool {
		f.cost += every
		at := f.filling
		if test(f) && !f.bail {
			f.cost += hit
			v := raw(f)
			if !s.fits(v) {
				f.void()
				return false
			}
			f.filling = at
			f.lists[at] = append(f.lists[at], v)
		}
		return f.step()
	}
	list := func(f *frame) []any {
		outer := f.filling
		f.filling = f.list()
		at := f.filling
		each(f, one)
		f.filling = outer
		return f.lists[at]
	}
	out := code{kind: kindRaw, cost: over.cost + resultCost, shape: &shape{kind: shapeAtomicList, typ: "array", items: s},
		list: list, raw: func(f *frame) any { return list(f) }}
	if e.kind == kindInt {
		out.sum = sumOf(each, test, every, hit, e.int)
	}
	return out
}

// list returns the number of an empty list.
func (f *frame) list() int {
	if f.used == len(f.lists) {
		f.lists = append(f.lists, nil)
	}
	f.lists[f.used] = f.lists[f.used][:0]
	f.used++
	f.filled = max(f.filled, f.used)
	return f.used - 1
}

func (x *executor) collectBoxed(over code, each rangeFunc, test func(*frame) bool, every, hit uint64, e code) code {
	box := x.boxed(e)
	one := func(f *frame) bool {
		f.cost += every
		outer := f.made
		if test(f) && !f.bail {
			f.cost += hit
			v := box(f)
			f.made = append(outer, v)
		}
		return f.step()
	}
	return code{kind: kindBox, cost: over.cost + resultCost, box: func(f *frame) ref.Val {
		outer := f.made
		f.made = nil
		each(f, one)
		made := f.made
		f.made = outer
		return types.NewRefValList(x.base.provider, made)
	}}
}
