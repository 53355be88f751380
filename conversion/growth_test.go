package conversion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

func manyObjects(n, values int) []*unstructured.Unstructured {
	objs := make([]*unstructured.Unstructured, n)
	for i := range objs {
		list := make([]any, values)
		for j := range list {
			list[j] = map[string]any{"name": fmt.Sprint("item-", j), "value": int64(j)}
		}
		objs[i] = &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "a.b/v2", "kind": "K", "metadata": map[string]any{"name": fmt.Sprint("object-", i)}, "spec": map[string]any{"list": list},
		}}
	}
	return objs
}

func responseOf(objs []*unstructured.Unstructured) string {
	text := beginResponse("v1", "u")
	for i, obj := range objs {
		if i > 0 {
			text = append(text, ',')
		}
		text, _ = appendJSON(text, obj.Object, false)
	}
	return string(endResponse(text))
}

// decodeAll decodes a response with its objects.
func decodeAll(text string, n int) error {
	r, err := decodeResponse(text, "v1", n, 1<<40)
	if err != nil {
		return err
	}
	for _, text := range r.objects {
		if _, err := object(text); err != nil {
			return err
		}
	}
	return nil
}

// TestGrowth runs work of size n and 8n. Allocations and allocated bytes must not grow
// by more than 12 times.
func TestGrowth(t *testing.T) {
	const most, n = 12, 400
	decode := func(objects, values int) func() {
		text := responseOf(manyObjects(objects, values))
		return func() {
			if err := decodeAll(text, objects); err != nil {
				t.Error(err)
			}
		}
	}
	text := func(text string, objects int) func() {
		return func() { _ = decodeAll(text, objects) }
	}
	review := func(objects string) string {
		return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u","result":{"status":"Success"},"convertedObjects":[` + objects + `]}}`
	}
	rows := []struct {
		name string
		work func(n int) func()
	}{
		{"decode, objects", func(n int) func() { return decode(n, 4) }},
		{"decode, size of an object", func(n int) func() { return decode(1, 8*n) }},
		{"decode, members of a map", func(n int) func() {
			var b strings.Builder
			for i := range 8 * n {
				fmt.Fprintf(&b, `,"member-%d":%d`, i, i)
			}
			return text(review(`{"kind":"K"`+b.String()+`}`), 1)
		}},
		{"decode, depth", func(n int) func() {
			n *= 2
			return text(review(`{"kind":"K","a":`+strings.Repeat("[", n)+strings.Repeat("]", n)+`}`), 1)
		}},
		{"decode, depth of large lists", func(n int) func() {
			n /= 4
			return text(review(`{"kind":"K","a":`+strings.Repeat(`["`+strings.Repeat("x", 2000)+`",`, n)+"1"+strings.Repeat("]", n)+`}`), 1)
		}},
		{"decode, length of a string", func(n int) func() { return text(review(`{"kind":"K","a":"`+strings.Repeat(`x\n`, 100*n)+`"}`), 1) }},
		{"decode, objects that nobody asked for", func(n int) func() { return text(review(strings.Repeat(`{"kind":"K"},`, 100*n)+"{}"), 1) }},
		{"decode, objects that are wrong", func(n int) func() { return text(review(strings.Repeat("5,", n)+"5"), n) }},
		{"decode, objects of the request", func(n int) func() {
			return text(`{"request":{"objects":[`+strings.Repeat("{},", 100*n)+`{}]},`+review("")[1:], 1)
		}},
		{"encode, objects", func(n int) func() {
			objs := manyObjects(n, 4)
			return func() { responseOf(objs) }
		}},
		{"encode, size of an object", func(n int) func() {
			objs := manyObjects(1, 8*n)
			return func() { responseOf(objs) }
		}},
		{"rules, wrong labels", wrongLabels},
		{"handler, failures", func(n int) func() {
			return func() {
				var f failures
				for i := range n {
					f.add(i, &unstructured.Unstructured{Object: map[string]any{"kind": "K"}}, errors.New(strings.Repeat("x", 100)))
				}
				if f.String() == "" {
					t.Error("no text")
				}
			}
		}},
		{"none, objects", func(n int) func() {
			objs := manyObjects(n, 1)
			crd := &apiextensionsv1.CustomResourceDefinition{}
			crd.Spec.Group, crd.Spec.Versions = "a.b", []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1"}, {Name: "v2"}}
			return func() {
				if _, err := None(crd).Convert(context.Background(), objs, "v1"); err != nil {
					t.Error(err)
				}
			}
		}},
	}
	for _, row := range rows {
		smallCount, smallBytes := work(row.work(n))
		largeCount, largeBytes := work(row.work(8 * n))
		counts, bytes := float64(largeCount)/float64(max(smallCount, 1)), float64(largeBytes)/float64(max(smallBytes, 1))
		t.Logf("%-40s allocations x %.1f, bytes x %.1f", row.name, counts, bytes)
		if !testkit.RaceDetector && (counts > most || bytes > most) { // with it, pools forget at random
			t.Errorf("%s: allocations grow from %d to %d and bytes from %d to %d", row.name, smallCount, largeCount, smallBytes, largeBytes)
		}
	}
}

// wrongLabels returns the check of an object with n changed labels that are wrong.
func wrongLabels(n int) func() {
	labels := map[string]any{}
	for i := range n {
		labels[fmt.Sprint("not valid! ", i)] = "x"
	}
	b := &batch{to: schema.GroupVersion{Group: "a.b", Version: "v1"}}
	return func() {
		sent := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "a.b/v2", "kind": "K", "metadata": map[string]any{}}}
		got := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "a.b/v1", "kind": "K", "metadata": map[string]any{"labels": labels}}}
		_, err := b.accept(sent, got)
		_ = err.Error()
	}
}

// work returns the allocations of f and their bytes: the fewest of three runs, because
// a garbage collection empties the pools of buffers.
func work(f func()) (count, bytes uint64) {
	f() // first uses
	count, bytes = math.MaxUint64, math.MaxUint64
	for range 3 {
		var begin, end runtime.MemStats
		runtime.ReadMemStats(&begin)
		f()
		runtime.ReadMemStats(&end)
		count, bytes = min(count, end.Mallocs-begin.Mallocs), min(bytes, end.TotalAlloc-begin.TotalAlloc)
	}
	return count, bytes
}
