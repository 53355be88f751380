package compat

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// contentCodes are the goals that change what is stored of an object.
var contentCodes = []Code{CodeDefault, CodeProperty, CodeUnknownFields}

// shows reports whether a difference is about a goal, not about another change that the
// same object meets.
func (w *walk) shows(g *goal, d *difference) bool {
	switch {
	case g.code == CodeTransition:
		return g.causes(d.errors)
	case g.stored:
		return d.code != Refused && isAt(d.path, g.path())
	case d.code == Refused && len(d.errors) == 0:
		return true
	case d.code == Refused:
		// A keyword that did not change may refuse what changed.
		return g.causes(d.errors) || slices.ContainsFunc(d.errors, func(e *validation.Error) bool {
			return onWay(e.Pointer, g.path()) && !slices.ContainsFunc(w.goals, func(other goal) bool { return other.causes(validation.ErrorList{e}) })
		})
	case g.code == CodeRule:
		return false
	}
	return isAt(d.path, g.steps)
}

// onWay reports whether a JSON Pointer leads to a value on the way along the steps, to their
// end, or below it.
func onWay(pointer string, steps []step) bool {
	for i, token := range strings.Split(pointer, "/")[1:] {
		if i < len(steps) && !steps[i].item && steps[i].others == nil && token != schema.EscapePointer(steps[i].name) {
			return false
		}
	}
	return true
}

// causes reports whether one of the errors of the new definition is about the goal: about
// the keyword, or about a schema below a junctor. What changes a value causes no error itself.
func (g *goal) causes(errs validation.ErrorList) bool {
	if slices.Contains(contentCodes, g.code) {
		return false
	}
	for _, e := range errs {
		at := e.SchemaPointer
		if e.Rule >= 0 {
			at += "/x-kubernetes-validations/" + strconv.Itoa(e.Rule)
		}
		keyword, ok := strings.CutPrefix(g.pointer, at+"/")
		switch {
		case at == g.pointer, strings.HasPrefix(at, g.pointer+"/"):
			return true
		case e.Rule < 0 && ok && !strings.Contains(keyword, "/"):
			return true
		}
	}
	return false
}

// isAt reports whether a path leads to a value at the steps, or below it.
func isAt(path schema.Path, steps []step) bool {
	return len(path) >= len(steps) && onWay(path.Pointer(), steps)
}

// maxOthers is how many other goals the object of alone avoids.
const maxOthers = 32

// alone returns an object that meets a goal and no other one near it, so that the new
// definition refuses it because of the goal. It returns nil if none is found.
func (w *walk) alone(object *search.Cond, g *goal) map[string]any {
	var others []*goal
	for i := range w.goals {
		if other := &w.goals[i]; other != g {
			others = append(others, other)
		}
	}
	slices.SortStableFunc(others, func(a, b *goal) int { return cmp.Compare(distance(a, g), distance(b, g)) })
	// No object may avoid all of them. Then it avoids half, the nearest ones.
	for n := min(len(others), maxOthers); n > 0; n /= 2 {
		parts := []*search.Cond{object, within(g.steps, g.target)}
		for _, other := range others[:n] {
			parts = append(parts, search.Not(within(other.steps, other.target)))
		}
		if obj, ok := w.solveWithin(min(w.from.solver.Work(), sampleWork)/4, parts...).Value.(map[string]any); ok {
			return obj
		}
	}
	return nil
}

// distance returns how many steps lead from the way to a goal to another goal.
func distance(other, g *goal) int {
	common := 0
	for common < min(len(other.steps), len(g.steps)) && sameStep(other.steps[common], g.steps[common]) {
		common++
	}
	return len(other.steps) - common
}

func sameStep(a, b step) bool {
	return a.name == b.name && a.item == b.item && (a.others == nil) == (b.others == nil)
}
