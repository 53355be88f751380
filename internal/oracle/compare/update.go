package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/validation/cel"
)

// The operations of this file measure updates from the texts of both objects to the
// stored text. Upstream copies the old object from a map, which is less work than in a
// server: a server decodes it from the store.

// prepareReplace measures an update that changes a label. If wrong is true, one value
// of the object is wrong. If report is true, the update reports its changes.
func prepareReplace(wrong, report bool) func(*testCase) (*pair, error) {
	return func(c *testCase) (*pair, error) {
		if c.rules || c.unknown {
			return nil, nil
		}
		old := storedOf(c)
		if wrong && !spoilOne(c, old) {
			return nil, nil // of this kind nothing can be wrong alone
		}
		return replacePair(c, old, report)
	}
}

// prepareReplaceRules is prepareReplace for samples that were chosen for their rules, if
// one of these refers to the old object.
func prepareReplaceRules(c *testCase) (*pair, error) {
	var reads fieldaccess.Program
	if _, errs := cel.Compile(c.ours.Schema(), &reads); !c.rules || len(errs) > 0 || !reads.NeedsOld {
		return nil, nil
	}
	return replacePair(c, storedOf(c), false)
}

// storedOf returns the object of a case as a server has it in its store: with what a server
// sets and with the manager of its fields.
func storedOf(c *testCase) map[string]any {
	old := testkit.Clone(c.stored)
	metadata := old["metadata"].(map[string]any)
	metadata["uid"], metadata["resourceVersion"], metadata["creationTimestamp"] = "c9c7c3b4-4a05-4a3f-8b70-6f3b8f9d9d3e", "7", "2026-01-02T03:04:05Z"
	metadata["managedFields"] = []any{map[string]any{
		"apiVersion": old["apiVersion"], "fieldsType": "FieldsV1", "fieldsV1": fieldsOf(map[string]any{"spec": old["spec"]}),
		"manager": "kubectl-client-side-apply", "operation": "Update", "time": "2026-01-02T03:04:05Z",
	}}
	return old
}

// fieldsOf returns the field set of an object. The elements of its lists are known by their
// names, if they have names.
func fieldsOf(obj map[string]any) map[string]any {
	fields := map[string]any{}
	for name, v := range obj {
		below := map[string]any{}
		switch v := v.(type) {
		case map[string]any:
			below = fieldsOf(v)
		case []any:
			for _, e := range v {
				if e, ok := e.(map[string]any); ok && e["name"] != nil {
					key := map[string]any{"name": e["name"]}
					below["k:"+string(testkit.Encode(key))] = fieldsOf(e)
				}
			}
		}
		fields["f:"+name] = below
	}
	return fields
}

// prepareReplaceMany is prepareReplace for objects with many wrong values: all members
// of some name.
func prepareReplaceMany(c *testCase) (*pair, error) {
	if c.rules || c.unknown {
		return nil, nil
	}
	old := storedOf(c)
	names := map[string]int{}
	eachMember(old["spec"], func(_ map[string]any, name string) { names[name]++ })
	byCount := func(a, b string) int { return cmp.Or(names[b]-names[a], cmp.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(names), byCount) {
		for _, wrong := range []any{"~ ~", int64(1) << 40} {
			spoiled := testkit.Clone(old)
			eachMember(spoiled["spec"], func(m map[string]any, other string) {
				if other == name && reflect.TypeOf(m[other]) == reflect.TypeOf(wrong) {
					m[other] = wrong
				}
			})
			const many = 4
			if len(c.up.Schema(spoiled)) >= many && accepted(c, spoiled) {
				return replacePair(c, spoiled, false)
			}
		}
	}
	return nil, nil
}

// eachMember calls do with each member of each object in v.
func eachMember(v any, do func(m map[string]any, name string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			eachMember(value, do)
			do(v, name)
		}
	case []any:
		for _, e := range v {
			eachMember(e, do)
		}
	}
}

// accepted reports whether upstream accepts an object as a replacement of itself.
func accepted(c *testCase, obj map[string]any) bool {
	out := c.up.Update(upstream.Body{Data: testkit.Encode(obj), Fields: "Warn"}, obj)
	return len(out.Errors) == 0 && out.Refusal == ""
}

func replacePair(c *testCase, old map[string]any, report bool) (*pair, error) {
	next := testkit.Clone(old)
	next["metadata"].(map[string]any)["labels"] = map[string]any{"changed": "yes"}
	opts := []crdkit.JSONOption{crdkit.Warn}
	if report {
		opts = append(opts, crdkit.ReportChanges())
	}
	return updatePair(next, old, c.up.Update, c.ours.UpdateJSON, opts...)
}

// prepareReplaceStatus measures an update of the status, as controllers write it.
func prepareReplaceStatus(c *testCase) (*pair, error) {
	if c.rules || c.unknown {
		return nil, nil
	}
	statuses, err := embedded("statuses")
	if err != nil {
		return nil, err
	}
	old := storedOf(c)
	next := testkit.Clone(old)
	kind, _ := old["kind"].(string)
	next["status"] = statuses[kind]
	before, err := testkit.DecodeJSON(bytes.ReplaceAll(testkit.Encode(next["status"]), []byte("T03:"), []byte("T02:")))
	if err != nil {
		return nil, err
	}
	old["status"] = before
	return updatePair(next, old, c.up.UpdateStatus, c.ours.UpdateStatusJSON, crdkit.Warn)
}

// updatePair measures an update of old to next.
func updatePair(next, old map[string]any, theirs func(upstream.Body, map[string]any) upstream.Outcome,
	mine func(ctx context.Context, raw, old []byte, opts ...crdkit.JSONOption) ([]byte, *crdkit.Result, error), opts ...crdkit.JSONOption,
) (*pair, error) {
	raw, oldRaw := testkit.Encode(next), testkit.Encode(old)
	up := func() []byte {
		out := theirs(upstream.Body{Data: raw, Fields: "Warn"}, old)
		stored, err := json.Marshal(out.Object)
		if err != nil || len(out.Errors) > 0 || out.Refusal != "" {
			return nil
		}
		return stored
	}
	ctx := context.Background()
	var forgiven int
	ours := func() []byte {
		stored, res, err := mine(ctx, raw, oldRaw, opts...)
		if err != nil {
			return nil
		}
		forgiven = len(res.Ratcheted)
		return stored
	}
	if a, b := up(), ours(); a == nil || !bytes.Equal(a, b) {
		return nil, fmt.Errorf("%w: %s and %s", errDiffer, a, b)
	}
	p := &pair{
		upstream:      func(any) { up() },
		ours:          func(any) { ours() },
		yardstick:     func(any) { json.Valid(raw) },
		yardstickName: "json.Valid",
	}
	if forgiven > 0 {
		p.note = fmt.Sprintf("%d forgiven", forgiven)
	}
	return p, nil
}

// spoilOne makes one value of the object wrong, so that an update that does not change
// the value is forgiven. It reports false if no value can be made wrong.
func spoilOne(c *testCase, obj map[string]any) bool {
	return spoilBelow(obj["spec"], func() bool {
		if len(c.up.Schema(obj)) != 1 {
			return false
		}
		return accepted(c, obj)
	})
}

// spoilBelow replaces strings and integers below v until fits reports true. It reports
// whether it did; otherwise v is unchanged.
func spoilBelow(v any, fits func() bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Backward(slices.Sorted(maps.Keys(v))) {
			old := v[key]
			if spoilBelow(old, fits) {
				return true
			}
			for _, other := range wrongValues(old) {
				if v[key] = other; fits() {
					return true
				}
			}
			v[key] = old
		}
	case []any:
		for _, e := range slices.Backward(v) {
			if spoilBelow(e, fits) {
				return true
			}
		}
	}
	return false
}

func wrongValues(v any) []any {
	switch v.(type) {
	case string:
		return []any{"", "~ ~"}
	case int64:
		return []any{int64(-1), int64(1) << 40}
	}
	return nil
}
