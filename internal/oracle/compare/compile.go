package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// The operations compile and compile-create measure definitions. The first ends when
// the definition can serve a request. The second also serves the first request, which
// initializes lazily compiled parts.

// compiles reports whether the case is the one of its definition.
func compiles(c *testCase) bool {
	return !c.unknown && !c.rules && !slices.Contains([]string{"HTTPRoute large", "Prometheus large"}, c.name)
}

func prepareCompile(c *testCase) (*pair, error) {
	if !compiles(c) {
		return nil, nil
	}
	if _, err := crdkit.Compile(c.crd); err != nil {
		return nil, err
	}
	return &pair{
		upstream: func(any) { _, _ = upstream.Serve(c.crd) },
		ours:     func(any) { _, _ = crdkit.Compile(c.crd) },
	}, nil
}

func prepareCompileCreate(c *testCase) (*pair, error) {
	if !compiles(c) {
		return nil, nil
	}
	raw := testkit.Encode(c.object)
	up := func() []byte {
		d, err := upstream.Serve(c.crd)
		if err != nil {
			return nil
		}
		stored, err := json.Marshal(d.Version(c.up.Name).Create(upstream.Body{Data: raw, Fields: "Warn"}).Object)
		if err != nil {
			return nil
		}
		return stored
	}
	ours := func() []byte {
		d, err := crdkit.Compile(c.crd)
		if err != nil {
			return nil
		}
		stored, _, err := testkit.Must(d.Version(c.ours.Name())).CreateJSON(context.Background(), raw, crdkit.Warn)
		if err != nil {
			return nil
		}
		return stored
	}
	if a, b := up(), ours(); a == nil || !bytes.Equal(a, b) {
		return nil, errDiffer
	}
	return &pair{
		upstream: func(any) { up() },
		ours:     func(any) { ours() },
	}, nil
}
