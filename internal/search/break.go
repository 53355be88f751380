package search

import (
	"cmp"
	"context"
	"errors"
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

// Break returns a case that breaks only the target, with a small object. If it finds none, it
// returns an [*Unreachable]. It returns errors of the judge.
func (s *Space) Break(ctx context.Context, rng *rand.Rand, t Target) (*Case, error) {
	x := s.search(rng, maxWork)
	seen := &trace{}
	r, isRule := schemapath.Rule(s.root, t.SchemaPointer, t.Rule)
	isRule = isRule && t.Keyword == ""
	if _, exists := schemapath.At(s.root, t.SchemaPointer); !isRule && (t.Keyword == "" || !exists) {
		return nil, &Unreachable{"the version has no such rule or keyword"}
	}
	steps, levels := t.location()
	if slices.ContainsFunc(levels, func(l level) bool { return l.keyword == "not" && !l.isTarget }) {
		return nil, &Unreachable{"it is within not, of which the server reports no keyword"}
	}
	status := s.head.HasStatus && len(steps) > 1 && steps[1] == "status"
	constant := isRule && strings.TrimSpace(r.Rule) == "true"
	read := t.literals(s.root)
	if isRule {
		read = literalsOf(r.Rule)
	}
	readsStatus := isRule && s.head.HasStatus && len(steps) == 0 && read.names["status"]
	for try := range breakTries {
		update := isRule && read.usesOld && (!r.OptionalOldSelf || try%2 == 0)
		c, err := x.start(ctx, steps, read, status || readsStatus, update)
		if readsStatus && try%2 == 0 && c != nil && c.Old != nil && read.usesOld {
			c.Status = false // an update that keeps the old status
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
		g := &goal{breaks: t.matches, read: read, levels: levels, present: steps, trace: seen}
		found, err := x.find(ctx, *c, g, breakSteps)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return x.clearest(ctx, found.Case, g, isRule)
		}
		if constant {
			break
		}
	}
	return nil, &Unreachable{seen.cause(constant)}
}

// Sought is what a judge returns for a case that [Space.Seek] looks for.
var Sought = &validation.Error{Rule: -1}

// A Quest tells [Space.Seek] where to look. The judge decides whether a case is found.
type Quest struct {
	Pointer string // the schema pointer of a value that the object has
	Rule    string // a rule on that value, or ""; the search tries its fields and constants
	Start   Case   // the first case to change; its object may be nil
	Limit   int    // of work
}

// Seek returns a case for which the judge returns [Sought], with a small object. If it finds none,
// it returns an [*Unreachable]. It returns errors of the judge.
func (s *Space) Seek(ctx context.Context, rng *rand.Rand, q Quest) (*Case, error) {
	x := s.search(rng, q.Limit)
	steps, _ := (&Target{SchemaPointer: q.Pointer}).location()
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
		found, err := x.find(ctx, *c, g, breakSteps)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return x.smallest(ctx, found.Case, g), nil
		}
	}
}

// variations is how many times vary tries to change the start of a search.
const variations = 30

// start returns a case without errors that has a value at steps. If usesOld is true, the case is an
// update.
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
	found, err := s.find(ctx, c, g, admitSteps)
	if err != nil || found == nil {
		return nil, err
	}
	if !usesOld {
		return &found.Case, nil
	}
	if found, err = s.vary(ctx, found, g); err != nil {
		return nil, err
	}
	old, _, _, err := s.ask(ctx, found.Case)
	if err != nil {
		return nil, err
	}
	return &Case{Object: clone(old), Old: old, Status: status}, nil
}

// vary changes values that the rule reads. It keeps a change if the object still meets the goal.
func (s *search) vary(ctx context.Context, now *state, g *goal) (*state, error) {
	for i := range variations {
		next := now.Case
		next.Object = clone(now.Object)
		s.lit = g.read
		if i%5 == 4 {
			s.populate(s.rootSite(next.Object), g.present)
		} else {
			s.editAt(s.rootSite(next.Object), g.present)
		}
		judged, err := s.find(ctx, next, g, variations)
		if err != nil {
			return nil, err
		}
		if judged != nil {
			now = judged
		}
	}
	return now, nil
}

// populate sets most of the fields that the rule reads.
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

func (t *trace) cause(constant bool) string {
	switch {
	case constant:
		return "the rule is always true"
	case t.broken:
		var texts []string
		for _, e := range t.with {
			texts = append(texts, e.Error())
		}
		return "it breaks only with others: " + strings.Join(texts, "; ")
	case t.around:
		return "the server reports other branches whenever it breaks"
	case t.present:
		return "no object that breaks it was found"
	}
	return "no admitted object has the value"
}

// clearest returns a smaller case that breaks the target. If it can, it returns a case in which the
// rule is false and does not end with an error.
func (s *search) clearest(ctx context.Context, c Case, g *goal, isRule bool) (*Case, error) {
	g.isFalse = isRule
	found, err := s.find(ctx, c, g, clearSteps)
	if err != nil {
		return nil, err
	}
	if found != nil {
		return s.smallest(ctx, found.Case, g), nil
	}
	g.isFalse = false
	return s.smallest(ctx, c, g), nil
}

// clearSteps is how many requests clearest makes to find a false rule.
const clearSteps = 300

func endsWithError(e *validation.Error) bool { return strings.Contains(e.Detail, " evaluating rule: ") }

func (s *search) smallest(ctx context.Context, c Case, g *goal) *Case {
	out := Minimize(ctx, c, func(c Case) map[string]any { return c.Object }, func(candidate map[string]any) (Case, bool) {
		smaller := Case{Object: candidate, Old: c.Old, Status: c.Status}
		now, err := s.judged(ctx, smaller, g)
		return smaller, err == nil && now.cost == 0
	})
	return &out
}

// A Target is a rule, or a keyword if Keyword is not "".
type Target struct {
	SchemaPointer string // of the schema with the rule or keyword
	Rule          int
	Expression    string // of the rule, for messages only
	Keyword       string
	Name          string // the required field, for required
}

var errorTypes = map[string]field.ErrorType{
	"type": field.ErrorTypeTypeInvalid, "enum": field.ErrorTypeNotSupported, "required": field.ErrorTypeRequired,
	"maxLength": field.ErrorTypeTooLong, "maxItems": field.ErrorTypeTooMany, "maxProperties": field.ErrorTypeTooMany,
	"uniqueItems": field.ErrorTypeDuplicate,
}

// keywordTexts are parts of the details of Invalid errors. They tell keywords apart.
var keywordTexts = map[string]string{
	"pattern": "should match", "minLength": "should be at least", "minItems": "should have at least", "minProperties": "should have at least",
	"minimum": "should be greater than", "maximum": "should be less than", "multipleOf": "should be a multiple of", "format": "must be of type",
	"anyOf": "schema (anyOf)", "oneOf": "schema (oneOf)", "allOf": "schemas (allOf)", "not": "schema (not)",
}

func (t *Target) matches(e *validation.Error) bool {
	if t.Keyword == "" {
		return e.Rule == t.Rule && e.SchemaPointer == t.SchemaPointer && e.Step == validation.StepRules
	}
	if e.Rule >= 0 || e.SchemaPointer != t.SchemaPointer || e.Step != validation.StepSchema {
		return false
	}
	want, ok := errorTypes[t.Keyword]
	if !ok {
		want = field.ErrorTypeInvalid
	}
	return e.Type == want && (t.Name == "" || strings.HasSuffix(e.Field, t.Name)) && strings.Contains(e.Detail, keywordTexts[t.Keyword])
}

// A junctor is anyOf, oneOf, allOf or not. A level is a junctor that is the target or contains it.
type level struct {
	pointer, keyword string
	isTarget         bool
}

// location returns the steps to a target, except the junctors. It returns the junctors as levels,
// from the outside in.
func (t *Target) location() (steps []string, levels []level) {
	steps = []string{}
	pointer := ""
	for tokens := pathstack.Tokens(t.SchemaPointer); len(tokens) > 0; {
		n := 1 // how many tokens the step has
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
		levels = append(levels, level{t.SchemaPointer, t.Keyword, true})
	}
	return steps, levels
}

var junctors = [...]string{"anyOf", "oneOf", "allOf", "not"}

// implied reports whether breaking the target causes e. It does if e is about a junctor in levels,
// or about another branch of an anyOf or oneOf, because all branches must fail.
func implied(levels []level, e *validation.Error) bool {
	if e.Step != validation.StepSchema {
		return false
	}
	for _, l := range levels {
		if e.SchemaPointer == l.pointer && strings.Contains(e.Detail, keywordTexts[l.keyword]) {
			return true
		}
		// If a branch of allOf fails, the other branches need not fail.
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
	for i, r := range n.Rules() {
		out = append(out, Target{SchemaPointer: pointer, Rule: i, Expression: r.Rule})
	}
	add := func(keyword, name string) {
		out = append(out, Target{SchemaPointer: pointer, Rule: -1, Keyword: keyword, Name: name})
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
			add(keyword.name, "")
		}
	}
	for _, name := range l.Required {
		add("required", name)
	}
	for _, keyword := range junctors {
		branches := branchesOf(n, keyword)
		if len(branches) > 0 {
			add(keyword, "")
		}
		for i, b := range branches {
			at := pointer + "/" + keyword
			if keyword != "not" {
				at += "/" + strconv.Itoa(i)
			}
			out = targets(out, b, at)
		}
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

// branchesOf returns the branches of a junctor as nodes, which have no rules.
func branchesOf(n *schema.Node, keyword string) []*schema.Node {
	list := []*schema.Branch{n.Not()}
	switch keyword {
	case "anyOf":
		list = n.AnyOf()
	case "oneOf":
		list = n.OneOf()
	case "allOf":
		list = n.AllOf()
	}
	var out []*schema.Node
	for _, b := range list {
		if b != nil {
			out = append(out, (*schema.Node)(b))
		}
	}
	return out
}
