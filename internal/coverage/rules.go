package coverage

import (
	"context"
	"fmt"
	"math"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/celbranch"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// The goals of rules and terms.
const (
	isTrue = iota
	isFalse
	failed
)

// observed is the message of an observer, by which its error is told from that of an
// evaluation that ends with an error.
const observed = "observed"

// A ruleSet observes the rules of a version.
type ruleSet struct {
	program *cel.Program
	points  []*Point
	// observers are those at each schema pointer, in the order of the rules that stand
	// for them.
	observers map[string][]observer
	// unread are the rules whose terms are not all observed.
	unread []string
}

// An observer is a goal of a rule, or of one of its terms.
type observer struct {
	rule *observedRule
	term int // celbranch.Whole for the rule
	goal int
}

// An observedRule is a rule with its point and those of its terms.
type observedRule struct {
	*celbranch.Rule
	point *Point
	terms []*Point
}

// hit counts what was observed and what it implies.
func (o *observer) hit() {
	if o.term == celbranch.Whole {
		o.rule.point.hit(o.goal)
		return
	}
	o.rule.Implied(o.term, o.goal == isTrue, func(i int, result bool) {
		goal := isFalse
		if result {
			goal = isTrue
		}
		if i == celbranch.Whole {
			o.rule.point.hit(goal)
			return
		}
		o.rule.terms[i].hit(goal)
	})
}

// newRuleSet compiles the observers of the rules in a schema. It returns nil if there are
// no rules.
func newRuleSet(props *apiextensionsv1.JSONSchemaProps) (*ruleSet, error) {
	s := &ruleSet{observers: map[string][]observer{}}
	root := s.replace(props.DeepCopy(), "")
	if len(s.points) == 0 {
		return nil, nil
	}
	n, errs := schema.Compile(root, schema.Unstructured(), schema.WithoutAnnotations())
	if len(errs) > 0 {
		return nil, fmt.Errorf("coverage: compiling the observers of rules: %w", errs.ToAggregate())
	}
	if s.program, errs = cel.Compile(n, cel.AtFirstUse()); len(errs) > 0 {
		return nil, fmt.Errorf("coverage: compiling the observers of rules: %w", errs.ToAggregate())
	}
	return s, nil
}

// replace replaces the rules of a schema by their observers.
func (s *ruleSet) replace(p *apiextensionsv1.JSONSchemaProps, pointer string) *apiextensionsv1.JSONSchemaProps {
	var rules apiextensionsv1.ValidationRules
	for i := range p.XValidations {
		rules = append(rules, s.observe(&p.XValidations[i], pointer, i)...)
	}
	p.XValidations, p.Default = rules, nil
	for name, child := range p.Properties {
		p.Properties[name] = *s.replace(&child, pointer+"/properties/"+schema.EscapePointer(name))
	}
	if p.Items != nil && p.Items.Schema != nil {
		s.replace(p.Items.Schema, pointer+"/items")
	}
	if p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
		s.replace(p.AdditionalProperties.Schema, pointer+"/additionalProperties")
	}
	return p
}

// observe returns the observers of a rule.
func (s *ruleSet) observe(r *apiextensionsv1.ValidationRule, pointer string, i int) (out apiextensionsv1.ValidationRules) {
	add := func(o celbranch.Observer, to observer) {
		if o.Text == "" {
			return
		}
		out = append(out, apiextensionsv1.ValidationRule{Rule: o.Text, Message: observed, OptionalOldSelf: r.OptionalOldSelf})
		s.observers[pointer] = append(s.observers[pointer], to)
	}
	at := pointer + "/x-kubernetes-validations/" + strconv.Itoa(i) + "/rule"
	whole := newPoint(Rule, at, r.Rule, "true", "false", "error")
	whole.Goals[failed].Optional = true
	s.points = append(s.points, whole)
	rule := &observedRule{Rule: celbranch.Split(r.Rule), point: whole}
	add(rule.True, observer{rule, celbranch.Whole, isTrue})
	add(rule.False, observer{rule, celbranch.Whole, isFalse})
	if !rule.Complete {
		s.unread = append(s.unread, at)
	}
	for i, t := range rule.Terms {
		p := newPoint(Term, at, r.Rule[t.Start:t.End], "true", "false")
		p.Start, p.End = t.Start, t.End
		s.points, rule.terms = append(s.points, p), append(rule.terms, p)
		add(t.True, observer{rule, i, isTrue})
		add(t.False, observer{rule, i, isFalse})
	}
	return out
}

// visit evaluates the observers for an object.
func (s *ruleSet) visit(ctx context.Context, obj, old map[string]any) {
	opts := []cel.EvalOption{cel.Budget(math.MaxInt64)}
	if old != nil {
		opts = append(opts, cel.Old(old))
	}
	result := s.program.Eval(ctx, obj, opts...)
	for _, e := range append(result.Errors, result.Ratcheted...) {
		list := s.observers[e.SchemaPointer]
		if e.Rule < 0 || e.Rule >= len(list) {
			continue
		}
		switch o := &list[e.Rule]; {
		case e.Detail == observed:
			o.hit()
		case o.term == celbranch.Whole && o.goal == isFalse:
			o.rule.point.hit(failed)
		}
	}
}
