package apply

import (
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// A merging merges a configuration into a live object, as structured-merge-diff does for a
// configuration that removes nothing. Its methods report false if they decline.
type merging struct {
	// changed says that the merged object is not equal to the live one.
	changed bool
}

// A merged is the result of merging one value.
type merged struct {
	// value shares memory with the live object and the configuration.
	value any
	same  bool // value is that of the live object
	// owned and changed are the fields below the value that the configuration has, and
	// those whose values differ from the live object.
	owned, changed fieldSet
	// isOwned and isChanged say so of the value itself.
	isOwned, isChanged bool
}

// A present is a value of the live object, if there is one.
type present struct {
	value  any
	exists bool
}

// merge merges one value. The live value fits the type.
func (m *merging) merge(a *atom, live present, config any, depth int) (merged, bool) {
	if depth > maxDepth {
		return merged{}, false
	}
	switch config := config.(type) {
	case map[string]any:
		if a.object == nil {
			return merged{}, false
		}
		if a.object.atomic {
			return m.leaf(a, live, config, depth)
		}
		return m.object(a.object, live, config, depth)
	case []any:
		if a.list == nil {
			return merged{}, false
		}
		if a.list.atomic {
			return m.leaf(a, live, config, depth)
		}
		return m.list(a.list, live, config, depth)
	}
	return m.leaf(a, live, config, depth)
}

// leaf merges a value that has one owner as a whole.
func (m *merging) leaf(a *atom, live present, config any, depth int) (merged, bool) {
	if !a.fits(config, depth) || live.exists && !sameForm(live.value, config) {
		return merged{}, false
	}
	out := merged{value: config, isOwned: true}
	switch {
	case !live.exists:
		out.isChanged = true
	case jsonval.Equal(live.value, config):
		out.value, out.same = live.value, true
	case !value.Equals(value.NewValueInterface(live.value), value.NewValueInterface(config)):
		out.isChanged = true
	}
	m.changed = m.changed || out.isChanged
	return out, true
}

// sameForm reports whether two values are both objects, both lists or both scalars.
func sameForm(a, b any) bool {
	form := func(v any) int {
		switch v.(type) {
		case map[string]any:
			return 1
		case []any:
			return 2
		}
		return 0
	}
	return form(a) == form(b)
}

// object merges the members of an object that is not atomic.
func (m *merging) object(o *objectAtom, live present, config map[string]any, depth int) (merged, bool) {
	before, ok := live.value.(map[string]any)
	if live.exists && !ok {
		return merged{}, false
	}
	out := merged{value: before, same: true}
	if !live.exists {
		out = merged{isChanged: true}
		m.changed = true
	}
	var after map[string]any // a copy of the live object, as soon as a member changes
	for name, wanted := range config {
		a, field := o.member(name)
		if a == nil {
			return merged{}, false
		}
		now, exists := before[name]
		part, ok := m.merge(a, present{now, exists}, wanted, depth+1)
		if !ok {
			return merged{}, false
		}
		object, isObject := wanted.(map[string]any)
		part.isOwned = part.isOwned || !field || isObject && len(object) == 0
		out.add(fieldPrefix+name, part)
		if !part.same {
			if after == nil {
				after = cloneOf(before, len(config))
			}
			after[name] = part.value
		}
	}
	switch {
	case after != nil:
		out.value, out.same = after, false
	case !live.exists:
		out.value = map[string]any{}
	}
	return out, true
}

// cloneOf returns a copy of m, which may be nil.
func cloneOf(m map[string]any, size int) map[string]any {
	if m == nil {
		return make(map[string]any, size)
	}
	return maps.Clone(m)
}

// add adds the sets of a member or item.
func (out *merged) add(name string, part merged) {
	if set := withSelf(part.owned, part.isOwned); set != nil {
		if out.owned == nil {
			out.owned = fieldSet{}
		}
		out.owned[name] = set
	}
	if set := withSelf(part.changed, part.isChanged); set != nil {
		if out.changed == nil {
			out.changed = fieldSet{}
		}
		out.changed[name] = set
	}
}

// list merges the items of a list of type map or set. It declines unless the items of the
// configuration are in the order of the live list, with new ones at the end.
func (m *merging) list(l *listAtom, live present, config []any, depth int) (merged, bool) {
	before, ok := live.value.([]any)
	if live.exists && !ok {
		return merged{}, false
	}
	out := merged{value: before, same: true}
	if !live.exists {
		out = merged{value: []any{}, isChanged: true}
		m.changed = true
	}
	positions, ok := l.index(before)
	if !ok {
		return merged{}, false
	}
	added, ok := l.index(config)
	if !ok {
		return merged{}, false
	}
	names := make([]string, len(config))
	for name, i := range added {
		names[i] = name
	}
	var after []any // a copy of the live list, as soon as an item changes
	last := -1
	for i, wanted := range config {
		at, exists := positions[names[i]]
		if exists && at <= last {
			return merged{}, false
		}
		now := present{exists: exists}
		if last = len(before); exists {
			last, now.value = at, before[at]
		}
		part, ok := m.merge(l.items, now, wanted, depth+1)
		if !ok {
			return merged{}, false
		}
		part.isOwned = true
		out.add(names[i], part)
		if part.same {
			continue
		}
		if after == nil {
			after = slices.Clone(before)
		}
		if exists {
			after[at] = part.value
		} else {
			after = append(after, part.value)
		}
	}
	if after != nil {
		out.value, out.same = after, false
	}
	return out, true
}
