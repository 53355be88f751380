package crdkit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// TestContextEndsSteps: the single steps of a request look at its context in proportion to
// the object, and the request ends at the first look that finds its end.
func TestContextEndsSteps(t *testing.T) {
	const n = 1000
	var unknown strings.Builder
	for i := range n {
		fmt.Fprintf(&unknown, `,"f%d":1`, i)
	}
	objects := map[string][]byte{
		"valid":           many("types", `"a"`, n),
		"unknown":         fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"}%s}`, unknown.String()),
		"types":           many("types", "1", n),
		"patterns":        many("patterns", `"A"`, n),
		"branches":        many("branches", "1", n),
		"pairs":           pairs(n / 2),
		"embedded":        many("embedded", `{"apiVersion":"v1"}`, n),
		"nulls":           many("nulls", `{"a":null}`, n),
		"nulls and error": many("nulls", `{"a":null,"b":1}`, n),
		"defaults":        many("defaults", `{}`, n),
		"labels":          labelled(n),
	}
	for _, opts := range [][]crdkit.Option{nil, {testopt.Reference{}}} {
		v := storageOf(t, manySteps, opts...)
		for name, raw := range objects {
			for _, fields := range []crdkit.FieldValidation{crdkit.Warn, crdkit.Strict} {
				endsEarly(t, name+" as text", n, func(ctx context.Context) error {
					_, _, err := v.CreateJSON(ctx, raw, fields)
					return err
				})
				endsEarly(t, name+" as a map", n, func(ctx context.Context) error {
					object, err := testkit.Decode(raw)
					if err != nil {
						t.Fatal(err)
					}
					_, err = v.Create(ctx, &unstructured.Unstructured{Object: object}, fields)
					return err
				})
			}
			if name == "labels" || name == "embedded" {
				continue // they need no change
			}
			endsEarly(t, name+", read", n, func(ctx context.Context) error {
				object, err := testkit.Decode(raw)
				if err != nil {
					t.Fatal(err)
				}
				_, _, err = v.Read(ctx, &unstructured.Unstructured{Object: object}, crdkit.ReportChanges())
				return err
			})
		}
	}
}

// endsEarly checks an operation on n values.
func endsEarly(t *testing.T, name string, n int, do func(context.Context) error) {
	t.Helper()
	ctx := testkit.EndingContext(1 << 30)
	if err := do(ctx); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	all := ctx.Polls()
	if want := n / 128; all < want {
		t.Errorf("%s: %d polls, want at least %d", name, all, want)
	}
	for _, after := range []int{0, 1, all / 3, all / 2, all - 2} {
		ctx := testkit.EndingContext(after)
		if err := do(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: after %d of %d polls: %v", name, after, all, err)
		}
		if more := ctx.Polls() - after; more > 4 {
			t.Errorf("%s: after %d of %d polls: %d more", name, after, all, more)
		}
	}
}

// manySteps is manyErrors with fields for all steps.
var manySteps = strings.Replace(manyErrors, `"types":`, `
	"nulls":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}},
	"defaults":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string","default":"d"}}}},
	"types":`, 1)
