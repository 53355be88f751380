package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/validation"
)

// A goal is what a search looks for.
type goal struct {
	breaks  func(*validation.Error) bool // reports whether an error is wanted; nil for an admitted object
	read    *literals                    // of the rule or keyword to break
	levels  []level                      // of the target
	present []string                     // the steps of a schema pointer at which a value must be, or nil
	isFalse bool                         // the rule must be false, not end with an error
	trace   *trace                       // nil if the cause of a failure is not needed
}

// Parts of the cost of a case that misses its goal.
const (
	costTooLarge = 1_000_000

	costAbsent  = 10_000
	costRefused = 5_000
	costSchema  = 100
	costRule    = 10
	costWhole   = 7 // the target is not broken
)

// cost returns 0 if the case meets the goal. others are the errors that are not part of the goal.
func (g *goal) cost(s *Space, c Case, errs validation.ErrorList, refused bool) (cost int, others validation.ErrorList) {
	if g.present != nil && len(s.rootSite(c.Object).below(g.present)) == 0 {
		cost += costAbsent
	}
	if refused {
		cost += costRefused
	}
	broken := false
	for _, e := range errs {
		switch {
		case IsImplied(e), g.breaks == nil && e == Sought:
		case g.breaks != nil && g.breaks(e):
			broken = broken || !g.isFalse || !endsWithError(e)
		case implied(g.levels, e):
		case e.Rule >= 0:
			cost, others = cost+costRule, append(others, e)
		default:
			cost, others = cost+costSchema, append(others, e)
		}
	}
	if g.breaks != nil && !broken {
		cost += costWhole
	}
	return cost, others
}

// A state is a judged case.
type state struct {
	Case
	cost   int
	others validation.ErrorList
}

// A trace records what a search has seen, for the cause of a failure.
type trace struct {
	present bool // an object without other errors had the value to break
	broken  bool // the target was broken, with other errors
	with    validation.ErrorList
	around  bool // an anyOf, oneOf or allOf around the target failed
}

// find changes the object of a case until the case meets the goal. After about as many
// requests as steps, it gives up and returns nil.
func (s *search) find(ctx context.Context, c Case, g *goal, steps int) (*state, error) {
	now, err := s.judged(ctx, c, g)
	for used := 0; err == nil && now.cost > 0 && used < steps; {
		before := now.cost
		if now, err = s.climb(ctx, now, g, climbSteps); err != nil || now.cost < before {
			used += climbSteps
			continue
		}
		// A change that helps in the end may first cause more errors, for example if it sets
		// another member of a union.
		var other *state
		if other, err = s.changed(ctx, now, g); err == nil {
			other, err = s.climb(ctx, other, g, 2*climbSteps)
		}
		if used += 3 * climbSteps; err == nil && other.cost <= now.cost {
			now = other
		}
	}
	if err != nil || now.cost > 0 {
		return nil, err
	}
	return now, nil
}

// climbSteps is how many changes a search makes before it checks whether they help.
const climbSteps = 50

// climb makes changes. It keeps a change if the cost does not grow.
func (s *search) climb(ctx context.Context, now *state, g *goal, steps int) (*state, error) {
	for range steps {
		if now.cost == 0 {
			break
		}
		next, err := s.changed(ctx, now, g)
		if err != nil {
			return nil, err
		}
		if next.cost < now.cost || next.cost == now.cost && s.oneIn(2) {
			now = next
		}
	}
	return now, nil
}

func (s *search) changed(ctx context.Context, now *state, g *goal) (*state, error) {
	candidate := now.Case
	candidate.Object = clone(now.Object)
	for range 1 + s.rng.IntN(3) {
		s.edit(candidate.Object, g, now.others)
	}
	return s.judged(ctx, candidate, g)
}

func (s *search) judged(ctx context.Context, c Case, g *goal) (*state, error) {
	size := sizeOf(c.Object)
	s.work += 1 + size/sizePerWork
	if s.work > s.limit {
		return nil, errWork
	}
	out := &state{Case: c, cost: costTooLarge}
	if size > maxSize {
		return out, nil
	}
	_, errs, refused, err := s.ask(ctx, c)
	if err != nil {
		return nil, err
	}
	s.work += len(errs)
	out.cost, out.others = g.cost(s.Space, c, errs, refused)
	if seen := g.trace; seen != nil && out.cost < costAbsent {
		broken := slices.ContainsFunc(errs, g.breaks)
		if broken && (seen.with == nil || len(out.others) < len(seen.with)) {
			seen.broken, seen.with = true, out.others
		}
		seen.present = seen.present || len(out.others) == 0
		seen.around = seen.around || len(out.others) == 0 && slices.ContainsFunc(errs, func(e *validation.Error) bool { return implied(g.levels, e) })
	}
	return out, nil
}

// edit makes one change, mostly to a value with an error or a value that the target reads.
func (s *search) edit(obj map[string]any, g *goal, others validation.ErrorList) {
	root := s.rootSite(obj)
	if g.present != nil && len(root.below(g.present)) == 0 {
		s.force(root, g.present)
		return
	}
	repair := len(others) > 0 && (g.breaks == nil || !s.oneIn(3))
	switch {
	case repair && !s.oneIn(10):
		s.repair(root, pick(s.rng, others))
	case g.breaks != nil && !s.oneIn(10):
		s.lit = g.read
		s.editAt(root, g.present)
	default:
		s.change(pick(s.rng, root.all(nil, maxSites)))
	}
}

// editAt changes a value that the rules at a schema pointer read.
func (s *search) editAt(root *site, steps []string) {
	if at := root.below(steps); len(at) > 0 {
		s.editWithin(pick(s.rng, at))
	}
}

// editWithin changes a value at or below a site, mostly a value that the rule reads.
func (s *search) editWithin(within *site) {
	sites := within.all(nil, maxSites)
	if !s.lit.usesAll && !s.oneIn(8) {
		if named := slices.DeleteFunc(slices.Clone(sites), func(x *site) bool { return x != within && !s.lit.names[x.name] && x.name != "" }); len(named) > 0 {
			sites = named
		}
	}
	s.change(pick(s.rng, sites))
}

func (s *search) repair(root *site, e *validation.Error) {
	s.lit = &literals{}
	if e.Rule >= 0 {
		if r, ok := schemapath.Rule(s.root, e.SchemaPointer, e.Rule); ok {
			s.lit = literalsOf(r.Rule)
			if path, ok := schemapath.Value(e.SchemaPointer, e.Pointer); ok {
				if at, all := root.along(pathstack.Tokens(path.Pointer())); all && at.present {
					s.editWithin(at)
				}
			}
			return
		}
	}
	found, all := root.along(pathstack.Tokens(e.Pointer))
	if e.Type == field.ErrorTypeRequired && all && !found.present {
		found.set(s.generated(found.node, 0, false))
		return
	}
	if found == root || s.oneIn(12) {
		found = pick(s.rng, root.all(nil, maxSites))
	}
	if found.remove != nil && s.oneIn(3) {
		found.remove()
		return
	}
	if s.oneIn(3) && s.changeInside(found) {
		return
	}
	found.set(s.generated(found.node, s.rng.IntN(3), false))
}

// along follows names and indexes. If a site is missing, it returns the last one before, and false.
func (x *site) along(tokens []string) (last *site, all bool) {
	for _, token := range tokens {
		children := x.children()
		i := slices.IndexFunc(children, func(child *site) bool { return child.name == token })
		if isList(x.value) {
			i, _ = strconv.Atoi(token)
		}
		if i < 0 || i >= len(children) {
			return x, false
		}
		x = children[i]
	}
	return x, true
}

// force creates the value at a schema pointer.
func (s *search) force(x *site, steps []string) {
	if !x.present || x.value == nil {
		v := s.generated(x.node, 0, false)
		x.set(v)
		x.value, x.present = v, true
	}
	if len(steps) == 0 {
		return
	}
	switch steps[0] {
	case "items":
		list, ok := x.value.([]any)
		if !ok || x.node.Items() == nil {
			return
		}
		if len(list) == 0 {
			list = []any{s.generated(x.node.Items(), 0, false)}
			x.set(list)
			x.value = list
		}
		s.force(pick(s.rng, x.elements(list)), steps[1:])
	case "additionalProperties":
		obj, ok := x.value.(map[string]any)
		values, _ := x.node.AdditionalProperties()
		if !ok || values == nil {
			return
		}
		s.force(x.member(obj, s.text()+"k", values), steps[1:])
	case "properties":
		obj, ok := x.value.(map[string]any)
		child := x.node.Property(steps[1])
		if !ok || child == nil {
			return
		}
		if m := x.member(obj, steps[1], child); m != nil {
			s.force(m, steps[2:])
		}
	}
}

// Unreachable is the error of a search that found nothing.
type Unreachable struct{ Cause string }

// Error returns the cause.
func (e *Unreachable) Error() string { return e.Cause }

// Limits of a search: the size of an object in bytes, and the work. One unit of work is a schema
// that is read, an error, or sizePerWork bytes of a judged object.
const (
	maxSize     = 1 << 20
	maxWork     = 200_000
	sizePerWork = 256
)

var errWork = &Unreachable{fmt.Sprintf("the search reached its limit of %d units of work", maxWork)}

// How many requests a search makes, and how often it begins anew.
const (
	admitSteps = 1000
	admitTries = 12
	breakSteps = 900
	breakTries = 6
)

// Admitted returns an object that the judge admits. If it finds none, it returns an [*Unreachable].
// It returns errors of the judge.
func (s *Space) Admitted(ctx context.Context, rng *rand.Rand) (map[string]any, error) {
	return s.search(rng, maxWork).admitted(ctx)
}

func (s *search) admitted(ctx context.Context) (map[string]any, error) {
	for try := range admitTries {
		optional := 0
		if try < admitTries/2 {
			optional = s.rng.IntN(40)
		}
		found, err := s.find(ctx, Case{Object: s.minimal(optional)}, &goal{}, admitSteps)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return found.Object, nil
		}
	}
	return nil, &Unreachable{"no admitted object was found"}
}
