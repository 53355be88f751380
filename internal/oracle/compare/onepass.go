package main

import (
	"bytes"
	"fmt"

	"github.com/crdkit/crdkit/internal/crdtest"
	"github.com/crdkit/crdkit/internal/onepass"
)

// The operations here leave out what is not a matter of the schema: metadata,
// rules and the rest of a request.

// planOf returns the plan of a case.
func planOf(c *testCase) (*onepass.Plan, error) {
	cfg := onepass.Config{APIVersion: c.up.Kind.GroupVersion().String(), Kind: c.up.Kind.Kind}
	plan := onepass.Compile(c.ours.Schema(), cfg)
	if plan == nil {
		return nil, fmt.Errorf("%s: no plan", c.name)
	}
	return plan, nil
}

// steps does on upstream's side what a plan does.
func (c *testCase) steps(obj map[string]any) bool {
	c.up.Prune(obj)
	c.up.DropNulls(obj)
	c.up.Default(obj)
	return len(c.up.Schema(obj)) == 0
}

func prepareOnepass(c *testCase) (*pair, error) {
	if c.rules {
		return nil, nil
	}
	plan, err := planOf(c)
	if err != nil {
		return nil, err
	}
	a, b := crdtest.Clone(c.object), crdtest.Clone(c.object)
	_, ok := plan.Map(b, onepass.MapRequest{})
	if !c.steps(a) || !ok || !plan.Settled(b) || !bytes.Equal(crdtest.Encode(a), crdtest.Encode(b)) {
		return nil, errDiffer
	}
	return &pair{
		upstream: func(in any) { c.steps(in.(map[string]any)) },
		ours: func(in any) {
			obj := in.(map[string]any)
			if _, ok := plan.Map(obj, onepass.MapRequest{}); !ok || !plan.Settled(obj) {
				panic("refused")
			}
		},
		fresh:         func() any { return crdtest.Clone(c.object) },
		size:          weigh(c.object),
		yardstick:     func(in any) { visited = visit(in) },
		yardstickName: "bare range",
	}, nil
}
