package search

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// rule returns the rule of a target.
func (t *Target) rule(root *schema.Node) (schema.Rule, bool) {
	l, ok := schemapath.At(root, t.Pointer)
	if !ok || l.Node == nil || t.Keyword != "" || t.Rule < 0 || t.Rule >= len(l.Node.Rules()) {
		return schema.Rule{}, false
	}
	return l.Node.Rules()[t.Rule], true
}

// Break returns a smallest case whose only errors are those of the target, or an
// [*Unreachable], or the error of the judge.
func (s *Space) Break(ctx context.Context, rng *rand.Rand, t Target) (*Case, error) {
	x := s.search(rng, maxWork)
	saw := &trace{}
	r, isRule := t.rule(s.root)
	if _, exists := schemapath.At(s.root, t.Pointer); !isRule && (t.Keyword == "" || !exists) {
		return nil, &Unreachable{"the version has no such rule or keyword"}
	}
	steps, levels := t.location()
	if slices.ContainsFunc(levels, func(l level) bool { return l.keyword == "not" && !l.isTarget }) {
		return nil, &Unreachable{"it is within not, of which the server reports no keyword"}
	}
	status := s.head.HasStatus && len(steps) > 1 && steps[1] == "status"
	read, constant := t.literals(s.root), isRule && constantTrue(r.Rule)
	readsStatus := isRule && s.head.HasStatus && len(steps) == 0 && read.names["status"]
	for try := range breakTries {
		update := isRule && read.usesOld && (!r.OptionalOldSelf || try%2 == 0)
		c, err := x.start(ctx, steps, read, status || readsStatus, update)
		if readsStatus && try%2 == 0 && c != nil && c.Old != nil && read.usesOld {
			c.Status = false // a change of the rest, with the status of the old object
		}
		if _, ok := errors.AsType[*Unreachable](err); err != nil && (err == error(errWork) || !ok) {
			return nil, err
		}
		if c == nil {
			continue
		}
		if c.Old == nil && try%2 == 1 {
			x.lit = read
			x.populate(s.rootSite(c.Object), steps)
		}
		g := &goal{breaks: t.matches, read: read, levels: levels, present: steps}
		found, err := x.find(ctx, *c, g, breakSteps, saw)
		if err != nil {
			return nil, err
		}
		if found != nil {
			g.isFalse = isRule
			return x.clearest(ctx, found, g)
		}
		if constant {
			break
		}
	}
	return nil, &Unreachable{saw.cause(constant)}
}

// Sought is the error with which a judge says that a case is what [Space.Seek] looks for.
var Sought = &validation.Error{Rule: -1}

// A Quest describes the case that [Space.Seek] looks for. The judge knows the rest.
type Quest struct {
	Pointer string // the schema pointer of a value that the object has
	Rule    string // a rule on that value, whose fields and constants matter, "" for none
	Start   Case   // the first case to change; its object may be nil
	Limit   int    // of the work
}

// Seek returns a smallest case for which the judge returns [Sought], or an [*Unreachable],
// or the error of the judge.
func (s *Space) Seek(ctx context.Context, rng *rand.Rand, q Quest) (*Case, error) {
	x := s.search(rng, q.Limit)
	steps, _ := (&Target{Pointer: q.Pointer}).location()
	g := &goal{breaks: func(e *validation.Error) bool { return e == Sought }, read: literalsOf(q.Rule), present: steps}
	c := &q.Start
	for try := 0; ; try++ {
		var err error
		if c.Object == nil || try > 0 {
			c, err = x.start(ctx, steps, g.read, false, q.Start.Old != nil)
		}
		if err != nil || c == nil {
			return nil, cmp.Or(err, error(&Unreachable{"no admitted object has the value"}))
		}
		found, err := x.find(ctx, *c, g, breakSteps, nil)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return x.smallest(ctx, found.Case, g), nil
		}
	}
}

// drifts is how many changes the start of a search gets, of which some stay.
const drifts = 30

// start returns a case with the value of the target and no errors, an update for oldSelf.
func (s *search) start(ctx context.Context, steps []string, read *literals, status, usesOld bool) (*Case, error) {
	obj, err := s.admitted(ctx)
	if err != nil {
		return nil, err
	}
	c := Case{Object: obj, Status: status}
	if status {
		if c.Old, _, _, err = s.ask(ctx, Case{Object: obj}); err != nil {
			return nil, err
		}
		c.Object = clone(c.Old)
	}
	g := &goal{present: steps, read: read}
	found, err := s.find(ctx, c, g, admitSteps, nil)
	if err != nil || found == nil {
		return nil, err
	}
	if !usesOld {
		return &found.Case, nil
	}
	if found, err = s.drift(ctx, found, g); err != nil {
		return nil, err
	}
	old, _, _, err := s.ask(ctx, found.Case)
	if err != nil {
		return nil, err
	}
	return &Case{Object: clone(old), Old: old, Status: status}, nil
}

// drift changes values that the rule reads while the object meets the goal.
func (s *search) drift(ctx context.Context, now *state, g *goal) (*state, error) {
	for i := range drifts {
		next := now.Case
		next.Object = clone(now.Object)
		s.lit = g.read
		if i%5 == 4 {
			s.populate(s.rootSite(next.Object), g.present)
		} else {
			s.editAt(s.rootSite(next.Object), g.present)
		}
		judged, err := s.find(ctx, next, g, drifts, nil)
		if err != nil {
			return nil, err
		}
		if judged != nil {
			now = judged
		}
	}
	return now, nil
}

// populate makes most of the fields that the rule reads.
func (s *search) populate(root *site, steps []string) {
	at := root.below(steps)
	if len(at) == 0 {
		return
	}
	within := pick(s.rng, at)
	for _, path := range s.lit.paths {
		if s.oneIn(5) {
			continue
		}
		var below []string
		for _, name := range path {
			below = append(below, "properties", name)
		}
		s.force(within, below)
	}
}

// cause says why no case was found.
func (t *trace) cause(constant bool) string {
	switch {
	case constant:
		return "the rule is always true"
	case t.broken:
		return "it breaks only with others: " + joinTexts(t.with)
	case t.around:
		return "the server reports other branches whenever it breaks"
	case t.present:
		return "no object that breaks it was found"
	}
	return "no admitted object has the value"
}

func constantTrue(rule string) bool { return slices.Equal(strings.Fields(rule), []string{"true"}) }

// clearest returns a case that is not larger than one that breaks a target. It prefers a
// rule that is false to one that ends with an error.
func (s *search) clearest(ctx context.Context, c *state, g *goal) (*Case, error) {
	found, err := s.find(ctx, c.Case, g, clearSteps, nil)
	if err != nil {
		return nil, err
	}
	if found == nil {
		found, g.isFalse = c, false
	}
	return s.smallest(ctx, found.Case, g), nil
}

// clearSteps is for how many requests a false rule is searched beside an error.
const clearSteps = 300

// endsWithError reports whether the rule of an error could not be evaluated to the end.
func endsWithError(e *validation.Error) bool { return strings.Contains(e.Detail, " evaluating rule: ") }

// smallest returns a smaller case that meets the goal.
func (s *search) smallest(ctx context.Context, c Case, g *goal) *Case {
	out := Minimize(ctx, c, func(c Case) map[string]any { return c.Object }, func(candidate map[string]any) (Case, bool) {
		smaller := Case{Object: candidate, Old: c.Old, Status: c.Status}
		now, err := s.judged(ctx, smaller, g, nil)
		return smaller, err == nil && now.cost == 0
	})
	return &out
}
