package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// prepareRefuse measures a whole create of an invalid object, from the text to all
// errors.
func prepareRefuse(c *testCase) (*pair, error) {
	if c.rules || c.unknown {
		return nil, nil
	}
	ctx := context.Background()
	raw := testkit.Encode(damage(c.stored, 12))
	body := upstream.Body{Data: raw, Fields: "Warn"}
	stored, result, err := c.ours.CreateJSON(ctx, raw, crdkit.Warn)
	if stored != nil || result == nil {
		return nil, fmt.Errorf("a broken %s is taken: %w", c.name, err)
	}
	out := c.up.Create(body)
	if len(out.Errors) == 0 || !upstream.SameErrors(out.Errors, result.Errors.Field()) {
		return nil, errDiffer
	}
	return &pair{
		upstream:      func(any) { c.up.Create(body) },
		ours:          func(any) { _, _, _ = c.ours.CreateJSON(ctx, raw, crdkit.Warn) },
		note:          fmt.Sprintf("%d errors", len(out.Errors)),
		yardstick:     func(any) { json.Valid(raw) },
		yardstickName: "json.Valid",
	}, nil
}
