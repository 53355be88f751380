package celrules

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/validation/cel"
)

// A step leads from a schema to one below it.
type step struct {
	name          string // of a property
	items, values bool
}

// A ruleLocation is a rule in a schema.
type ruleLocation struct {
	path []step
	rule int
}

// ruleLocations lists the rules of a schema and below.
func ruleLocations(props *apiextensionsv1.JSONSchemaProps, path []step) []ruleLocation {
	var list []ruleLocation
	for i := range props.XValidations {
		list = append(list, ruleLocation{path: path, rule: i})
	}
	below := func(p *apiextensionsv1.JSONSchemaProps, s step) {
		list = append(list, ruleLocations(p, append(slices.Clip(path), s))...)
	}
	if props.Items != nil && props.Items.Schema != nil {
		below(props.Items.Schema, step{items: true})
	}
	for _, name := range slices.Sorted(maps.Keys(props.Properties)) {
		p := props.Properties[name]
		below(&p, step{name: name})
	}
	if a := props.AdditionalProperties; a != nil && a.Schema != nil {
		below(a.Schema, step{values: true})
	}
	return list
}

// alone returns a schema with only the rule at the given path, and only the schemas on
// that path and below. The random order in which upstream visits fields then has no
// effect.
func alone(props *apiextensionsv1.JSONSchemaProps, path []step, rule int, keys []string) *apiextensionsv1.JSONSchemaProps {
	if len(path) == 0 {
		out := props.DeepCopy()
		stripRules(out)
		out.XValidations = apiextensionsv1.ValidationRules{props.XValidations[rule]}
		return out
	}
	out := *props
	out.XValidations, out.Properties = nil, map[string]apiextensionsv1.JSONSchemaProps{}
	for _, key := range keys { // of elements of a list that is a map
		if p, ok := props.Properties[key]; ok {
			stripRules(&p)
			out.Properties[key] = p
		}
	}
	switch s := path[0]; {
	case s.items:
		out.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: alone(props.Items.Schema, path[1:], rule, props.XListMapKeys)}
	case s.values:
		out.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: alone(props.AdditionalProperties.Schema, path[1:], rule, nil)}
	default:
		p := props.Properties[s.name]
		out.Properties[s.name] = *alone(&p, path[1:], rule, nil)
	}
	return &out
}

func stripRules(p *apiextensionsv1.JSONSchemaProps) {
	p.XValidations = nil
	if p.Items != nil && p.Items.Schema != nil {
		p.Items = p.Items.DeepCopy()
		stripRules(p.Items.Schema)
	}
	if p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
		p.AdditionalProperties = p.AdditionalProperties.DeepCopy()
		stripRules(p.AdditionalProperties.Schema)
	}
	p.Properties = maps.Clone(p.Properties)
	for name, child := range p.Properties {
		stripRules(&child)
		p.Properties[name] = child
	}
}

// TestBudgets compares all sides with the cost of a rule, one unit less and one unit
// more as the budget of an object and as the limit of a call. It tests every rule of the
// corpus alone, and all rules of a version together.
func TestBudgets(t *testing.T) {
	list := versions(t)
	c := newTally(t, "budgets", "three sides")
	var idle atomic.Int64
	nth, inputs := 5, 2
	if testing.Short() {
		nth, inputs = 50, 1
	}
	if *full {
		nth, inputs = 1, 6
	}
	parallel(len(list), func(i int) {
		v := list[i]
		pool := v.pool()
		v.allTogether(c, pool, inputs)
		for k, p := range ruleLocations(v.props, nil) {
			if (i+k)%nth != 0 {
				continue
			}
			c.rules.Add(1)
			if !v.byItself(t, c, p, pool, inputs) {
				idle.Add(1)
			}
		}
	})
	c.report()
	fmt.Printf("cel budgets: %d of the rules had no object to run on\n", idle.Load())
}

// pool returns objects to choose from.
func (v *version) pool() []*input {
	var list []*input
	v.each(24, func(in *input, _ string) { list = append(list, in) })
	return list
}

// byItself tries bounds on one rule. It reports whether an object of the pool makes the
// rule run.
func (v *version) byItself(t *testing.T, c *tally, p ruleLocation, pool []*input, inputs int) bool {
	props := alone(v.props, p.path, p.rule, nil)
	name := fmt.Sprintf("%s %v rule %d", v.name(), p.path, p.rule)
	n, s := bothSchemas(t, name, props)
	sub := subjectOf(t, name, n, s, celconfig.PerCallLimit)
	if sub == nil {
		return false
	}
	rng := source("budget", name)
	if !slices.ContainsFunc(pool, func(in *input) bool { return evaluations(sub.node, in.obj, oldOf(in)) > 0 }) {
		pool = made(rng, props)
	}
	seen := map[uint64]bool{}
	tried := 0
	for _, in := range pool {
		count := evaluations(sub.node, in.obj, oldOf(in))
		if count == 0 || tried == inputs {
			continue
		}
		cost := sub.fast.Eval(in.context(), in.obj, cel.Old(in.old)).Cost
		if cost == 0 || seen[cost] {
			continue
		}
		seen[cost] = true
		tried++
		sub.bounds(c, rng, in, count)
		first := sub.firstCall(in, cost)
		for limit := max(first, 1) - 1; limit <= first+1; limit++ {
			limited := subjectOf(t, fmt.Sprintf("%s, at most %d a call", name, limit), n, s, limit)
			limited.bounds(c, rng, in, count)
		}
	}
	return tried > 0
}

// made returns generated objects for a schema without other objects.
func made(rng *rand.Rand, props *apiextensionsv1.JSONSchemaProps) []*input {
	g := generate.New(generate.Target{Group: "example.com", Version: "v1", Kind: "A", Namespaced: true, Schema: props})
	var list []*input
	for i := range 100 {
		if o := g.Object(rng, generate.Class(i%4)); o != nil {
			list = append(list, &input{obj: o, budget: budget}, &input{obj: o, old: testkit.Mutate(rng, o), budget: budget})
		}
	}
	return list
}

// bounds compares with budgets around the cost of the input.
func (s *subject) bounds(c *tally, rng *rand.Rand, in *input, count int) {
	cost := budget - c.three(s, in, "without a bound", count).left()
	for _, units := range []int64{cost - 1, cost, cost + 1, rng.Int64N(cost + 1), 0} {
		if units >= 0 {
			c.three(s, &input{obj: in.obj, old: in.old, budget: units}, "bounded", 1)
		}
	}
}

func (a answer) left() int64 { return budget - a.spent }

// firstCall returns the cost of the first evaluation: the least budget that does not
// end in it.
func (s *subject) firstCall(in *input, cost uint64) uint64 {
	ends := func(units uint64) string {
		res := s.reference.Eval(in.context(), in.obj, cel.Old(in.old), cel.Budget(units))
		for _, e := range res.Errors {
			if strings.HasPrefix(e.Detail, "validation failed due to running out of cost budget") {
				return e.Pointer
			}
		}
		return "nowhere"
	}
	at := ends(0)
	low, high := uint64(1), cost
	for low < high {
		if middle := (low + high) / 2; ends(middle) == at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// allTogether tries budgets on all rules of a version.
func (v *version) allTogether(c *tally, pool []*input, inputs int) {
	rng := source("budgets", v.name())
	for range 2 * inputs {
		in := pool[rng.IntN(len(pool))]
		v.bounds(c, rng, in, evaluations(v.node, in.obj, oldOf(in)))
		changed := &input{obj: in.obj, old: testkit.Mutate(rng, in.obj), budget: budget}
		v.bounds(c, rng, changed, evaluations(v.node, in.obj, changed.old))
	}
}
