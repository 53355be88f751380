package celrules

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// The limits of fuzzing stop nested loops early.
const (
	fuzzBudget  = 50_000
	fuzzPerCall = 5_000
)

// FuzzRule puts an arbitrary rule on an arbitrary schema. Nothing may panic or
// run forever. The compile errors must be those of upstream. If the rule
// compiles, all sides must have the same result for an arbitrary object.
func FuzzRule(f *testing.F) {
	for i, s := range synthetics(f) {
		if len(s.props.XValidations) != 1 || s.slow || i%20 != 0 {
			continue
		}
		props := s.props.DeepCopy()
		props.XValidations = nil
		text, err := json.Marshal(props)
		if err != nil {
			f.Fatal(err)
		}
		r := s.props.XValidations[0]
		for _, in := range s.inputs[:min(1, len(s.inputs))] {
			f.Add(text, r.Rule, r.MessageExpression, r.FieldPath, r.OptionalOldSelf != nil && *r.OptionalOldSelf, testkit.Encode(in.obj), in.old != nil, uint64(0))
			f.Add(text, r.Rule, r.MessageExpression, r.FieldPath, false, testkit.Encode(in.obj), false, uint64(i))
		}
	}
	fuzz.Run(f, func(t *testing.T, text []byte, rule, message, fieldPath string, optional bool, object []byte, update bool, breaks uint64) {
		var props apiextensionsv1.JSONSchemaProps
		if len(text) > 4000 || len(rule) > 400 || len(message) > 400 || json.Unmarshal(text, &props) != nil {
			return
		}
		if breaks > 0 { // changes that a fuzzer without knowledge of CEL would not find
			rng := rand.New(rand.NewPCG(breaks, 0))
			for range 1 + rng.IntN(3) {
				rule = mutate(rng, rule)
			}
		}
		props.XValidations = append(props.XValidations, apiextensionsv1.ValidationRule{Rule: rule, MessageExpression: message, FieldPath: fieldPath})
		if optional {
			props.XValidations[len(props.XValidations)-1].OptionalOldSelf = &optional
		}
		n, s, ok := fuzzSchemas(&props)
		if !ok {
			return
		}
		compareCompiling(t, "fuzz", &props, n, s)
		sub := fuzzSubject(t, n, s)
		if sub == nil {
			return
		}
		c := newTally(t, "fuzz", "")
		if in := fuzzInput(object, nil); in != nil {
			c.three(sub, in, "created", 1)
			if update {
				in.old = in.obj
				c.three(sub, in, "unchanged", 1)
			}
		}
	})
}

// fuzzSchemas returns both forms of a schema. It reports false if the server
// would refuse the schema without its rules.
func fuzzSchemas(props *apiextensionsv1.JSONSchemaProps) (*schema.Node, *structuralschema.Structural, bool) {
	n, errs := schema.Compile(props, schema.MaxDepth(30), schema.MaxNodes(300))
	if len(errs) > 0 || n == nil {
		return nil, nil, false
	}
	s, err := structural(props)
	if err != nil || len(structuralschema.ValidateStructural(nil, s)) > 0 {
		return nil, nil, false
	}
	return n, s, true
}

// fuzzSubject is subjectOf, but returns nil if upstream panics.
func fuzzSubject(t *testing.T, n *schema.Node, s *structuralschema.Structural) (sub *subject) {
	t.Helper()
	panicked := upstream.Catch(func() upstream.Outcome {
		sub = subjectOf(t, "fuzz", n, s, fuzzPerCall)
		return upstream.Outcome{}
	}).Panic
	if panicked == "" {
		return sub
	}
	// Upstream may panic because of a fieldPath. Our sides must not.
	for _, opts := range [][]cel.Option{{celcost.Given{Stored: true}}, {celcost.Given{Stored: true}, testopt.Reference{}}} {
		_, _ = cel.Compile(n, opts...)
	}
	return nil
}

func fuzzInput(object, old []byte) *input {
	obj, err := testkit.DecodeJSON(object)
	m, ok := obj.(map[string]any)
	if err != nil || !ok || len(object) > 4000 || len(old) > 4000 {
		return nil
	}
	in := &input{obj: m, budget: fuzzBudget}
	if v, err := testkit.DecodeJSON(old); err == nil {
		in.old, _ = v.(map[string]any)
	}
	return in
}

// FuzzObject runs the synthetic rules on arbitrary objects with arbitrary
// budgets.
func FuzzObject(f *testing.F) {
	list := slices.DeleteFunc(synthetics(f), func(s *synthetic) bool { return s.slow || len(s.inputs) == 0 })
	seen := map[string]bool{}
	for i, s := range list {
		group, _, _ := strings.Cut(s.name, ": ")
		if seen[group] {
			continue
		}
		seen[group] = true
		for _, in := range s.inputs {
			f.Add(i, testkit.Encode(in.obj), testkit.Encode(in.old), uint16(0), false)
		}
	}
	subjects := make([]*subject, len(list))
	made := make([]sync.Once, len(list))
	fuzz.Run(f, func(t *testing.T, i int, object, old []byte, tight uint16, cancel bool) {
		in := fuzzInput(object, old)
		if in == nil || i < 0 || i >= len(list) {
			return
		}
		made[i].Do(func() {
			n, s := bothSchemas(t, list[i].name, list[i].props)
			subjects[i] = subjectOf(t, list[i].name, n, s, fuzzPerCall)
		})
		if subjects[i] == nil {
			return
		}
		if in.cancel = cancel; tight > 0 {
			in.budget = int64(tight)
		}
		newTally(t, "fuzz", "").three(subjects[i], in, "fuzzed", 1)
	})
}
