package conversion_test

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// filled returns objects of about a kilobyte.
func filled(n int, apiVersion string) []*unstructured.Unstructured {
	objs := objects(n, apiVersion)
	for _, obj := range objs {
		var items []any
		for i := range 16 {
			items = append(items, map[string]any{"name": fmt.Sprint("item-", i), "value": int64(i), "enabled": true})
		}
		obj.Object["spec"] = map[string]any{"list": items}
	}
	return objs
}

// BenchmarkNone measures conversions, alone and with a deep copy of each
// result.
func BenchmarkNone(b *testing.B) {
	objs, ctx := filled(500, beta), context.Background()
	c := conversion.None(definition(""))
	b.Run("case=shared", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Convert(ctx, objs, "v1"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("case=copied", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, err := c.Convert(ctx, objs, "v1")
			if err != nil {
				b.Fatal(err)
			}
			for _, obj := range out {
				_ = obj.DeepCopy()
			}
		}
	})
}

func BenchmarkWebhook(b *testing.B) {
	a := newAuthority(b)
	s := a.start(b, conversion.Handler(renaming))
	for _, n := range []int{1, 500} {
		objs, ctx := filled(n, beta), context.Background()
		c := client(b, calling(s.URL, a.bundle()))
		b.Run(fmt.Sprint("objects=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Convert(ctx, objs, "v1"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
