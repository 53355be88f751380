package search

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
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

// keywordTexts are in the details of Invalid errors. They tell keywords apart.
var keywordTexts = map[string]string{
	"pattern": "should match", "minLength": "should be at least", "minItems": "should have at least", "minProperties": "should have at least",
	"minimum": "should be greater than", "maximum": "should be less than", "multipleOf": "should be a multiple of", "format": "must be of type",
	"anyOf": "schema (anyOf)", "oneOf": "schema (oneOf)", "allOf": "schemas (allOf)", "not": "schema (not)",
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

// A level is a junctor that is the target or is around it.
type level struct {
	pointer, keyword string
	isTarget         bool
}

// location returns the steps to a target without junctors, and the junctors from outside.
func (t *Target) location() (steps []string, levels []level) {
	steps = []string{}
	pointer := ""
	for tokens := pathstack.Tokens(t.Pointer); len(tokens) > 0; {
		n := 1 // tokens of the step
		switch keyword := tokens[0]; keyword {
		case "properties":
			n = 2
			fallthrough
		case "items", "additionalProperties":
			steps = append(steps, tokens[:min(n, len(tokens))]...)
		case "anyOf", "oneOf", "allOf":
			n = 2
			fallthrough
		case "not":
			levels = append(levels, level{pointer, keyword, false})
		}
		for _, token := range tokens[:min(n, len(tokens))] {
			pointer += "/" + schema.EscapePointer(token)
		}
		tokens = tokens[min(n, len(tokens)):]
	}
	if slices.Contains(junctors[:], t.Keyword) {
		levels = append(levels, level{t.Pointer, t.Keyword, true})
	}
	return steps, levels
}

var junctors = [...]string{"anyOf", "oneOf", "allOf", "not"}

// implied reports whether an error follows from a target in these junctors: a junctor
// fails, or another branch, without which anyOf and oneOf do not fail.
func implied(levels []level, e *validation.Error) bool {
	if e.Step != validation.StepSchema {
		return false
	}
	for _, l := range levels {
		if e.SchemaPointer == l.pointer && strings.Contains(e.Detail, keywordTexts[l.keyword]) {
			return true
		}
		// Other branches of allOf do not belong to a keyword of one.
		if (l.keyword != "allOf" || l.isTarget) && strings.HasPrefix(e.SchemaPointer, l.pointer+"/"+l.keyword+"/") {
			return true
		}
	}
	return false
}

// Targets returns rules and keywords in the order of their locations, rules first and
// branches last.
func Targets(root *schema.Node) []Target { return targets(nil, root, "") }

func targets(out []Target, n *schema.Node, pointer string) []Target {
	for i := range n.Rules() {
		out = append(out, Target{Pointer: pointer, Rule: i})
	}
	out = limitTargets(out, n.Limits(), pointer)
	out = junctorTargets(out, n, pointer)
	return childTargets(out, n, pointer, targets)
}

// A part is a schema.Node or a schema.Branch, with children of the same type.
type part[S any] interface {
	comparable
	nester
	Len() int
	Properties() iter.Seq2[string, S]
	Items() S
	AdditionalProperties() (S, bool)
}

// childTargets adds what add adds for properties, elements and entries.
func childTargets[S part[S]](out []Target, s S, pointer string, add func([]Target, S, string) []Target) []Target {
	var none S
	for name, child := range s.Properties() {
		out = add(out, child, pointer+"/properties/"+schema.EscapePointer(name))
	}
	if items := s.Items(); items != none {
		out = add(out, items, pointer+"/items")
	}
	if values, _ := s.AdditionalProperties(); values != none {
		out = add(out, values, pointer+"/additionalProperties")
	}
	return out
}

// limitTargets adds the keywords of a schema.
func limitTargets(out []Target, l schema.Limits, pointer string) []Target {
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
	return out
}

// A nester is a schema.Node or a schema.Branch.
type nester interface {
	Type() string
	Limits() schema.Limits
	AllOf() []*schema.Branch
	AnyOf() []*schema.Branch
	OneOf() []*schema.Branch
	Not() *schema.Branch
}

// junctorTargets adds the junctors of a schema, each with the keywords of its branches.
func junctorTargets(out []Target, n nester, pointer string) []Target {
	for _, keyword := range junctors {
		branches := branchesOf(n, keyword)
		if len(branches) == 0 {
			continue
		}
		out = append(out, Target{Pointer: pointer, Rule: -1, Keyword: keyword})
		for i, b := range branches {
			at := pointer + "/" + keyword
			if keyword != "not" {
				at += "/" + strconv.Itoa(i)
			}
			out = branchTargets(out, b, at)
		}
	}
	return out
}

func branchesOf(n nester, keyword string) []*schema.Branch {
	switch keyword {
	case "anyOf":
		return n.AnyOf()
	case "oneOf":
		return n.OneOf()
	case "allOf":
		return n.AllOf()
	}
	if not := n.Not(); not != nil {
		return []*schema.Branch{not}
	}
	return nil
}

// branchTargets adds the keywords of a branch.
func branchTargets(out []Target, b *schema.Branch, pointer string) []Target {
	out = limitTargets(out, b.Limits(), pointer)
	out = junctorTargets(out, b, pointer)
	return childTargets(out, b, pointer, branchTargets)
}
