package objects

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/minimize"
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/internal/schemapath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A Target is a rule, or a keyword if Keyword is not "".
type Target struct {
	// Pointer is the schema pointer of the schema that has it.
	Pointer string
	Rule    int
	Keyword string
	// Name is the field that is required.
	Name string
}

// errorTypes are the types of the errors of keywords.
var errorTypes = map[string]field.ErrorType{
	"type": field.ErrorTypeTypeInvalid, "enum": field.ErrorTypeNotSupported, "required": field.ErrorTypeRequired,
	"maxLength": field.ErrorTypeTooLong, "maxItems": field.ErrorTypeTooMany, "maxProperties": field.ErrorTypeTooMany,
	"uniqueItems": field.ErrorTypeDuplicate,
}

// matches reports whether an error is that of the target.
func (t *Target) matches(e *validation.Error) bool {
	if t.Keyword == "" {
		return e.Rule == t.Rule && e.SchemaPointer == t.Pointer && e.Step == validation.StepRules
	}
	if e.Rule >= 0 || e.SchemaPointer != t.Pointer || e.Step != validation.StepSchema {
		return false
	}
	want, ok := errorTypes[t.Keyword]
	if !ok {
		want = field.ErrorTypeInvalid
	}
	return e.Type == want && (t.Name == "" || strings.HasSuffix(e.Field, t.Name)) && strings.Contains(e.Detail, keywordTexts[t.Keyword])
}

// keywordTexts are in the details of errors of the type Invalid, by which the server tells
// keywords apart.
var keywordTexts = map[string]string{
	"pattern": "should match", "minLength": "should be at least", "minItems": "should have at least", "minProperties": "should have at least",
	"minimum": "should be greater than", "maximum": "should be less than", "multipleOf": "should be a multiple of", "format": "must be of type",
}

// Targets returns the rules and keywords of a schema in the order of its locations. The
// rules of a schema come before its keywords.
func Targets(root *schema.Node) []Target { return targets(nil, root, "") }

func targets(out []Target, n *schema.Node, pointer string) []Target {
	for i := range n.Rules() {
		out = append(out, Target{Pointer: pointer, Rule: i})
	}
	l := n.Limits()
	for _, keyword := range []struct {
		name string
		set  bool
	}{
		{"enum", len(l.Enum) > 0}, {"pattern", l.Pattern != ""}, {"minimum", l.Minimum.Set}, {"maximum", l.Maximum.Set}, {"multipleOf", l.MultipleOf.Set},
		{"minLength", l.MinLength.Set && l.MinLength.N > 0}, {"maxLength", l.MaxLength.Set}, {"minItems", l.MinItems.Set && l.MinItems.N > 0},
		{"maxItems", l.MaxItems.Set}, {"minProperties", l.MinProperties.Set && l.MinProperties.N > 0}, {"maxProperties", l.MaxProperties.Set},
	} {
		if keyword.set {
			out = append(out, Target{Pointer: pointer, Rule: -1, Keyword: keyword.name})
		}
	}
	for _, name := range l.Required {
		out = append(out, Target{Pointer: pointer, Rule: -1, Keyword: "required", Name: name})
	}
	for name, child := range n.Properties() {
		out = targets(out, child, pointer+"/properties/"+schema.EscapePointer(name))
	}
	if items := n.Items(); items != nil {
		out = targets(out, items, pointer+"/items")
	}
	if values, _ := n.AdditionalProperties(); values != nil {
		out = targets(out, values, pointer+"/additionalProperties")
	}
	return out
}

// rule returns the rule of a target.
func (t *Target) rule(root *schema.Node) (schema.Rule, bool) {
	l, ok := schemapath.At(root, t.Pointer)
	if !ok || l.Node == nil || t.Keyword != "" || t.Rule < 0 || t.Rule >= len(l.Node.Rules()) {
		return schema.Rule{}, false
	}
	return l.Node.Rules()[t.Rule], true
}

// literals returns what the values of the target are compared with.
func (t *Target) literals(root *schema.Node) *literals {
	if r, ok := t.rule(root); ok {
		return literalsOf(r.Rule)
	}
	out := &literals{names: map[string]bool{t.Name: true}}
	l, ok := schemapath.At(root, t.Pointer)
	if !ok {
		return out
	}
	limits := l.Limits()
	for _, c := range []schema.Count{limits.MinLength, limits.MaxLength, limits.MinItems, limits.MaxItems, limits.MinProperties, limits.MaxProperties} {
		if c.Set {
			out.numbers = append(out.numbers, c.N)
		}
	}
	for _, b := range []schema.Bound{limits.Minimum, limits.Maximum} {
		if b.Set && b.Value > -1e18 && b.Value < 1e18 {
			out.numbers = append(out.numbers, int64(b.Value), int64(b.Value)-1, int64(b.Value)+1)
		}
	}
	return out
}

// Break returns a case whose only errors are those of the target, as small as possible.
// It returns an [*Unreachable] if it finds none, and the error of the judge.
func (s *Space) Break(ctx context.Context, rng *rand.Rand, t Target) (*Case, error) {
	x := &search{Space: s, rng: rng, lit: &literals{}}
	saw := &trace{}
	steps := pathstack.Tokens(t.Pointer)
	if steps == nil {
		steps = []string{}
	}
	status := s.head.HasStatus && len(steps) > 1 && steps[1] == "status"
	r, isRule := t.rule(s.root)
	read := literalsOf(r.Rule)
	readsStatus := s.head.HasStatus && len(steps) == 0 && read.names["status"]
	for try := range breakTries {
		update := isRule && read.usesOld && (!r.OptionalOldSelf || try%2 == 0)
		c, err := x.start(ctx, &t, steps, status || readsStatus, update)
		if readsStatus && try%2 == 0 && c != nil && c.Old != nil && read.usesOld {
			c.Status = false // a change of the rest, with the status of the old object
		}
		if err != nil && !isUnreachable(err) {
			return nil, err
		}
		if c == nil {
			continue
		}
		if c.Old == nil && try%2 == 1 {
			x.lit = t.literals(s.root)
			x.populate(s.rootSite(c.Object), steps)
		}
		found, err := x.find(ctx, *c, &goal{target: &t, present: steps}, breakSteps, saw)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return x.clearest(ctx, found, &goal{target: &t, present: steps, isFalse: isRule})
		}
		if isRule && constantTrue(r.Rule) {
			break
		}
	}
	return nil, &Unreachable{saw.cause(isRule && constantTrue(r.Rule))}
}

// drifts is how many changes the start of a search gets, of which some stay.
const drifts = 30

// start returns a case without errors that has the value of the target. It is an update
// for a rule that has an old value.
func (s *search) start(ctx context.Context, t *Target, steps []string, status, usesOld bool) (*Case, error) {
	obj, err := s.Admitted(ctx, s.rng)
	if err != nil {
		return nil, err
	}
	c := Case{Object: obj, Status: status}
	if status {
		if c.Old, err = s.stored(ctx, Case{Object: obj}); err != nil {
			return nil, err
		}
		c.Object = clone(c.Old)
	}
	g := &goal{present: steps}
	found, err := s.find(ctx, c, g, admitSteps, nil)
	if err != nil || found == nil {
		return nil, err
	}
	if usesOld {
		if found, err = s.drift(ctx, found, t, g); err != nil {
			return nil, err
		}
	}
	if !usesOld {
		return &found.Case, nil
	}
	old, err := s.stored(ctx, found.Case)
	if err != nil {
		return nil, err
	}
	return &Case{Object: clone(old), Old: old, Status: status}, nil
}

// drift changes values that the rule of the target reads, as long as the object meets the
// goal. An old object gets what a rule asks it for only so.
func (s *search) drift(ctx context.Context, now *state, t *Target, g *goal) (*state, error) {
	for i := range drifts {
		next := now.Case
		next.Object = clone(now.Object)
		s.lit = t.literals(s.root)
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
	within := pick(s, at)
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
	case t.present:
		return "no object that breaks it was found"
	}
	return "no admitted object has the value"
}

func constantTrue(rule string) bool { return slices.Equal(strings.Fields(rule), []string{"true"}) }

// clearest returns a smaller case than one that breaks a target. If it can, it returns one
// whose rule is false: an object without the fields that the rule reads is smaller, but
// such a rule ends with an error.
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

// clearSteps is for about how many requests a false rule is searched beside one that ends
// with an error.
const clearSteps = 300

// endsWithError reports whether the rule of an error could not be evaluated to the end.
func endsWithError(e *validation.Error) bool { return strings.Contains(e.Detail, " evaluating rule: ") }

// smallest returns a smaller case that meets the goal.
func (s *search) smallest(ctx context.Context, c Case, g *goal) *Case {
	out := minimize.Object(ctx, c, func(c Case) map[string]any { return c.Object }, func(candidate map[string]any) (Case, bool) {
		smaller := Case{Object: candidate, Old: c.Old, Status: c.Status}
		now, err := s.judged(ctx, smaller, g, nil)
		return smaller, err == nil && now.cost == 0
	})
	return &out
}
