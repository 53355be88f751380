package coverage

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/cel/celbranch"
	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

const (
	isTrue = iota
	isFalse
	failed
)

// observed is the message of an error if an expression is false. An expression that cannot be
// evaluated has another message.
const observed = "observed"

type ruleSet struct {
	program   *cel.Program
	points    []*Point
	locations map[string]*ruleLocation // by schema pointer
	unread    []string                 // see Version.Unread
}

// A ruleLocation has the rules of one schema, and the observers that take their place.
type ruleLocation struct {
	observers [][]observer       // by the index of their expression
	shared    map[expression]int // index in observers
	rules     []*observedRule
	evaluated []evaluations
}

// An expression is a rule that [ruleSet.observe] returns. In one location, equal expressions are
// compiled once.
type expression struct {
	text     string
	optional bool // optionalOldSelf
}

// evaluations counts how often an expression is evaluated for one object.
type evaluations struct {
	expression
	count int
}

// An observer counts how often a goal of a rule or term is met. If rule is nil, it
// increments the count in ruleLocation.evaluated[class].
type observer struct {
	rule  *observedRule
	term  int // index of the term, celbranch.Whole for the rule
	goal  int
	class int // index in ruleLocation.evaluated
}

type observedRule struct {
	*celbranch.Rule
	point *Point
	terms []*Point
	// class is an index in ruleLocation.evaluated. If an observer counts how often the rule is
	// true, class is the constant none.
	class   int
	notTrue int // how often the rule was false or an error, for one object
}

const none = -1

// hit counts an observed goal and the goals that it implies.
func (r *observedRule) hit(term, goal int) {
	r.Implied(term, goal == isTrue, func(i int, result bool) {
		goal := isFalse
		if result {
			goal = isTrue
		}
		if i == celbranch.Whole {
			r.point.hit(goal)
			return
		}
		r.terms[i].hit(goal)
	})
}

// newRuleSet compiles the observers of the rules in a schema. It returns nil if there are no rules.
func newRuleSet(props *apiextensionsv1.JSONSchemaProps) (*ruleSet, error) {
	s := &ruleSet{locations: map[string]*ruleLocation{}}
	root := s.replaced(props, "")
	if len(s.points) == 0 {
		return nil, nil
	}
	n, errs := schema.Compile(root, schemaopt.Unstructured{}, schemaopt.WithoutAnnotations{})
	if len(errs) > 0 {
		return nil, fmt.Errorf("coverage: compiling the observers of rules: %w", errs.ToAggregate())
	}
	if s.program, errs = cel.Compile(n, celcost.Given{AtFirstUse: true}); len(errs) > 0 {
		return nil, fmt.Errorf("coverage: compiling the observers of rules: %w", errs.ToAggregate())
	}
	return s, nil
}

// replaced returns a schema with observers in place of rules. Both schemas may share parts.
func (s *ruleSet) replaced(props *apiextensionsv1.JSONSchemaProps, pointer string) *apiextensionsv1.JSONSchemaProps {
	p := *props
	p.Default, p.XValidations = nil, nil
	if len(props.XValidations) > 0 {
		l := &ruleLocation{shared: map[expression]int{}}
		s.locations[pointer] = l
		for i := range props.XValidations {
			p.XValidations = append(p.XValidations, s.observe(l, &props.XValidations[i], pointer, i)...)
		}
	}
	if len(props.Properties) > 0 {
		p.Properties = make(map[string]apiextensionsv1.JSONSchemaProps, len(props.Properties))
		for _, name := range slices.Sorted(maps.Keys(props.Properties)) {
			child := props.Properties[name]
			p.Properties[name] = *s.replaced(&child, pointer+"/properties/"+schema.EscapePointer(name))
		}
	}
	if props.Items != nil && props.Items.Schema != nil {
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: s.replaced(props.Items.Schema, pointer+"/items")}
	}
	if values := props.AdditionalProperties; values != nil && values.Schema != nil {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: values.Allows, Schema: s.replaced(values.Schema, pointer+"/additionalProperties")}
	}
	return &p
}

func (s *ruleSet) observe(l *ruleLocation, r *apiextensionsv1.ValidationRule, pointer string, i int) (out apiextensionsv1.ValidationRules) {
	optional := r.OptionalOldSelf != nil && *r.OptionalOldSelf
	add := func(o celbranch.Observer, to observer) {
		if o.Text == "" {
			return
		}
		key := expression{o.Text, optional}
		i, known := l.shared[key]
		if !known {
			i = len(l.observers)
			l.shared[key] = i
			l.observers = append(l.observers, nil)
			out = append(out, apiextensionsv1.ValidationRule{Rule: o.Text, Message: observed, OptionalOldSelf: r.OptionalOldSelf})
		}
		l.observers[i] = append(l.observers[i], to)
	}
	at := pointer + "/x-kubernetes-validations/" + strconv.Itoa(i) + "/rule"
	whole := newPoint(Rule, at, r.Rule, "true", "false", "error")
	whole.Goals[failed].Optional = true
	s.points = append(s.points, whole)
	rule := &observedRule{Rule: celbranch.Split(r.Rule), point: whole, class: none}
	l.rules = append(l.rules, rule)
	if rule.True.Text == "" {
		e := expression{rule.Evaluated().Text, optional}
		rule.class = slices.IndexFunc(l.evaluated, func(known evaluations) bool { return known.expression == e })
		if rule.class < 0 {
			rule.class = len(l.evaluated)
			l.evaluated = append(l.evaluated, evaluations{expression: e})
			add(rule.Evaluated(), observer{class: rule.class})
		}
	}
	add(rule.True, observer{rule: rule, term: celbranch.Whole, goal: isTrue})
	add(rule.False, observer{rule: rule, term: celbranch.Whole, goal: isFalse})
	if !rule.Complete {
		s.unread = append(s.unread, at)
	}
	for i, t := range rule.Terms {
		p := newPoint(Term, at, r.Rule[t.Start:t.End], "true", "false")
		p.Start, p.End = t.Start, t.End
		s.points, rule.terms = append(s.points, p), append(rule.terms, p)
		add(t.True, observer{rule: rule, term: i, goal: isTrue})
		add(t.False, observer{rule: rule, term: i, goal: isFalse})
	}
	return out
}

func (s *ruleSet) visit(ctx context.Context, obj, old map[string]any) {
	opts := []cel.EvalOption{cel.Budget(math.MaxInt64)}
	if old != nil {
		opts = append(opts, cel.Old(old))
	}
	result := s.program.Eval(ctx, obj, opts...)
	for _, e := range append(result.Errors, result.Ratcheted...) {
		if l := s.locations[e.SchemaPointer]; l != nil && e.Rule >= 0 && e.Rule < len(l.observers) {
			for i := range l.observers[e.Rule] {
				l.observers[e.Rule][i].count(l, e.Detail == observed)
			}
		}
	}
	for _, l := range s.locations {
		l.countTrue()
	}
}

func (o *observer) count(l *ruleLocation, isObserved bool) {
	switch {
	case o.rule == nil && isObserved:
		l.evaluated[o.class].count++
	case o.rule == nil:
	case o.term == celbranch.Whole && o.goal == isFalse:
		o.rule.notTrue++
		if isObserved {
			o.rule.hit(o.term, o.goal)
		} else {
			o.rule.point.hit(failed)
		}
	case isObserved:
		o.rule.hit(o.term, o.goal)
	}
}

func (l *ruleLocation) countTrue() {
	for _, r := range l.rules {
		if r.class != none {
			for range l.evaluated[r.class].count - r.notTrue {
				r.hit(celbranch.Whole, isTrue)
			}
		}
		r.notTrue = 0
	}
	for i := range l.evaluated {
		l.evaluated[i].count = 0
	}
}
