package crdkit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestPollsOfRequests: the parts of a request that copy, report and encode n values poll
// the context too. times is how often the request does something with each value.
func TestPollsOfRequests(t *testing.T) {
	const n = 2000
	v := storageOf(t, manySteps)
	decoded := func(raw []byte) *unstructured.Unstructured {
		object, err := testkit.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		return &unstructured.Unstructured{Object: object}
	}
	var unknown strings.Builder
	for i := range n {
		fmt.Fprintf(&unknown, `,"f%d":1`, i)
	}
	strange := fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"}%s}`, unknown.String())
	defaults := decoded(many("defaults", `{}`, n))
	withoutRules := storageOf(t, strings.Replace(manySteps, `,"x-kubernetes-validations":[{"rule":"self > 5"}]`, "", 1))
	wrong := []byte(strings.Replace(string(many("types", "1", n)), `"types":`, `"patterns":["A"],"types":`, 1))
	for _, tt := range []struct {
		name  string
		times int
		do    func(ctx context.Context) error
	}{
		{"read", 8, func(ctx context.Context) error {
			_, _, err := v.Read(ctx, defaults, crdkit.ReportChanges())
			return err
		}},
		{"strict", 5, func(ctx context.Context) error { _, err := v.Create(ctx, decoded(strange), crdkit.Strict); return err }},
		{"forgiven", 3, func(ctx context.Context) error { _, _, err := withoutRules.UpdateJSON(ctx, wrong, wrong); return err }},
		{"YAML", 4, func(ctx context.Context) error {
			_, _, err := v.CreateJSON(ctx, []byte("apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: ns}\ntypes:\n"+strings.Repeat("- a\n", n)), crdkit.YAML())
			return err
		}},
	} {
		ctx := testkit.EndingContext(1 << 30)
		if err := tt.do(ctx); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if all, want := ctx.Polls(), tt.times*n/interrupt.Interval; all < want {
			t.Errorf("%s: %d polls, want at least %d", tt.name, all, want)
		} else {
			t.Logf("%s: %d polls, %d", tt.name, all, all*interrupt.Interval/n)
		}
		if err := tt.do(testkit.EndingContext(1)); err != context.Canceled {
			t.Errorf("%s: after one poll: %v", tt.name, err)
		}
	}
}
