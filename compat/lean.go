package compat

import (
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// candidates returns the objects that may show a goal: an object that the solver found for
// it, without the member that the request leaves out, and what [walk.leaner] makes of it.
func (w *walk) candidates(obj map[string]any, g *goal) []map[string]any {
	if g.absent != "" {
		for _, part := range partsAt(obj, g.steps) {
			delete(part.(map[string]any), g.absent)
		}
	}
	return w.leaner(obj, g)
}

// leaner returns an object that the solver found for a goal, and copies of it without
// members that defaults fill: those that do not surround the goal, and then all but those
// on the way to it. The solver does not know all rules, and most rules hold for defaults.
func (w *walk) leaner(obj map[string]any, g *goal) []map[string]any {
	out := []map[string]any{obj}
	for _, around := range []int{1, 0} {
		lean := jsonval.Clone(obj).(map[string]any)
		if removeDefaulted(lean, w.from.root, g.path(), around) {
			out = append(out, lean)
		}
	}
	return out
}

// removeDefaulted removes the members of v that have defaults, and reports whether there
// are any. It keeps the values on the way along the steps and what is below their end, and
// so many levels around the end. Steps are nil beside the way.
func removeDefaulted(v any, n *schema.Node, steps []step, around int) bool {
	if steps != nil && len(steps) <= around {
		return false
	}
	removed := false
	switch v := v.(type) {
	case []any:
		var rest []step
		if len(steps) > 0 {
			rest = steps[1:]
		}
		for _, item := range v {
			removed = removeDefaulted(item, n.Items(), rest, around) || removed
		}
	case map[string]any:
		for name, member := range v {
			child := memberSchema(n, name)
			var rest []step
			if len(steps) > 0 && (steps[0].name == name || steps[0].others != nil) {
				rest = append([]step{}, steps[1:]...)
			} else if _, ok := child.Default(); ok {
				delete(v, name)
				removed = true
				continue
			}
			removed = removeDefaulted(member, child, rest, around) || removed
		}
	}
	return removed
}
