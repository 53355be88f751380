package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/patch"
)

// The operations of this file measure whole requests. Upstream is its handler over a
// store in memory: it decodes the stored object, and encodes the new one for the store
// and for the client. Ours decodes the live object and encodes the new one.

// A served is a case whose object is stored on both sides.
type served struct {
	*testCase
	server  *server.Server
	live    []byte
	restore func() // the object in the store of the server
}

// serve stores the object of a case, with owners if an applier is given.
func serve(c *testCase, owner *apply.Applier) (*served, error) {
	s, err := server.New(c.crd)
	if err != nil {
		return nil, err
	}
	obj := &unstructured.Unstructured{Object: storedOf(c)}
	if owner != nil {
		obj.Object["metadata"] = map[string]any{"name": obj.GetName(), "namespace": obj.GetNamespace()}
		res, err := owner.Apply(context.Background(), apply.Request{Config: obj, Manager: "deployer"})
		if err != nil || res.Err() != nil {
			return nil, nil // a configuration cannot have what the schema does not declare
		}
		obj = res.Object
	}
	obj.SetUID("c9c7c3b4-4a05-4a3f-8b70-6f3b8f9d9d3e")
	if err := s.Put(obj.Object); err != nil {
		return nil, err
	}
	stored, err := s.Stored(obj.GetNamespace(), obj.GetName())
	if err != nil || stored == nil {
		return nil, fmt.Errorf("the object is not stored: %w", err)
	}
	live, _, err := c.ours.Read(context.Background(), stored)
	if err != nil {
		return nil, err
	}
	return &served{c, s, testkit.Encode(live.Object), s.Snapshot(obj.GetNamespace(), obj.GetName())}, nil
}

// do makes the request on the stored object and returns the status.
func (s *served) do(r server.Request) int {
	s.restore()
	return s.server.Do(r).Code
}

func (s *served) request(kind types.PatchType, manager string, body []byte) server.Request {
	u := &unstructured.Unstructured{Object: s.stored}
	return server.Request{Method: http.MethodPatch, Version: s.up.Name, Namespace: u.GetNamespace(), Name: u.GetName(), Type: kind, Manager: manager, Body: body}
}

// preparePatch measures a patch that changes a label.
func preparePatch(kind types.PatchType) func(*testCase) (*pair, error) {
	bodies := map[types.PatchType]string{
		types.JSONPatchType:  `[{"op":"add","path":"/metadata/labels","value":{"changed":"yes"}}]`,
		types.MergePatchType: `{"metadata":{"labels":{"changed":"yes"}}}`,
	}
	return func(c *testCase) (*pair, error) {
		if c.rules || c.unknown {
			return nil, nil
		}
		s, err := serve(c, nil)
		if err != nil || s == nil {
			return nil, err
		}
		body, p, ctx := []byte(bodies[kind]), patch.New(c.ours), context.Background()
		r := s.request(kind, "m", body)
		up := func() int { return s.do(r) }
		ours := func() ([]byte, error) {
			out, res, err := p.PatchJSON(ctx, s.live, kind, body, crdkit.Warn)
			if err == nil {
				err = res.Err()
			}
			return out, err
		}
		out, err := ours()
		if code := up(); code != http.StatusOK || err != nil || !bytes.Contains(out, []byte(`"changed":"yes"`)) {
			return nil, fmt.Errorf("%w: %d, %s %v", errDiffer, code, out, err)
		}
		return &pair{
			upstream:      func(any) { up() },
			ours:          func(any) { _, _ = ours() },
			yardstick:     func(any) { json.Valid(s.live) },
			yardstickName: "json.Valid",
		}, nil
	}
}

// prepareApply measures an apply by a manager of the configuration that "deployer" has
// applied, changed by a function, which reports whether it can. want is the status of the
// answer.
func prepareApply(manager string, change func(config *unstructured.Unstructured) bool, want int) func(*testCase) (*pair, error) {
	return func(c *testCase) (*pair, error) {
		if c.rules || c.unknown {
			return nil, nil
		}
		applier, err := apply.New(c.ours, c.crd)
		if err != nil {
			return nil, err
		}
		s, err := serve(c, applier)
		if err != nil || s == nil {
			return nil, err
		}
		config := &unstructured.Unstructured{Object: testkit.Clone(c.stored)}
		config.Object["metadata"] = map[string]any{"name": config.GetName(), "namespace": config.GetNamespace()}
		if !change(config) {
			return nil, nil
		}
		body, ctx := testkit.Encode(config.Object), context.Background()
		r := s.request(types.ApplyYAMLPatchType, manager, body)
		ours := func() int {
			_, res, err := applier.ApplyJSON(ctx, s.live, apply.Request{Body: body, Manager: manager})
			switch {
			case err != nil:
				return 0
			case res.Refusal != nil:
				return res.Refusal.Code
			case res.Err() != nil:
				return http.StatusUnprocessableEntity
			}
			return http.StatusOK
		}
		if a, b := s.do(r), ours(); a != want || b != want {
			return nil, fmt.Errorf("%w: %d and %d, want %d", errDiffer, a, b, want)
		}
		return &pair{
			upstream:      func(any) { s.do(r) },
			ours:          func(any) { ours() },
			yardstick:     func(any) { json.Valid(s.live) },
			yardstickName: "json.Valid",
		}, nil
	}
}

func changeNothing(*unstructured.Unstructured) bool { return true }

func changeLabel(config *unstructured.Unstructured) bool {
	config.SetLabels(map[string]string{"changed": "yes"})
	return true
}

// changeFirst changes the first scalar of the spec outside of lists, which "deployer"
// owns.
func changeFirst(config *unstructured.Unstructured) bool { return changeBelow(config.Object["spec"]) }

func changeBelow(v any) bool {
	m, _ := v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		switch old := m[key].(type) {
		case bool:
			m[key] = !old
			return true
		case int64:
			m[key] = old + 1
			return true
		case string:
			m[key] = old + "x"
			return true
		case map[string]any:
			if changeBelow(old) {
				return true
			}
		}
	}
	return false
}
