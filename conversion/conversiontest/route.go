package conversiontest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

type route struct {
	def      *crdkit.Definition
	from, to *version
	compare  *comparison
}

// object generates an object that the server admits, at limits if edge is true, nil if
// refused. Every second one lacks some members.
func (r *route) object(ctx context.Context, rng *rand.Rand, edge bool) (*unstructured.Unstructured, error) {
	full := &unstructured.Unstructured{Object: r.from.objects.Object(rng, edge)}
	if rng.IntN(2) == 0 {
		if obj, err := r.admit(ctx, withoutSomeMembers(rng, full)); obj != nil || err != nil {
			return obj, err
		}
	}
	return r.admit(ctx, full)
}

// withoutSomeMembers returns an object without one to three of its parts.
func withoutSomeMembers(rng *rand.Rand, full *unstructured.Unstructured) *unstructured.Unstructured {
	obj := full.DeepCopy()
	for range 1 + rng.IntN(3) {
		all := search.Parts(obj.Object)
		if len(all) == 0 {
			break
		}
		search.Remove(obj.Object, all[rng.IntN(len(all))])
	}
	return obj
}

// admit creates an object. It returns nil if the server refuses it.
func (r *route) admit(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	result, err := r.from.Create(ctx, obj)
	if err != nil {
		return nil, err
	}
	if !result.Admitted() {
		return nil, nil
	}
	return obj, nil
}

// roundTrip converts an object there and back. It returns a failure for each difference.
func (r *route) roundTrip(ctx context.Context, obj *unstructured.Unstructured) []*Failure {
	f := Failure{From: r.from.Name(), To: r.to.Name(), Object: obj}
	if f.Converted, f.Err = r.convert(ctx, obj, r.to); f.Err != nil {
		f.Kind = NotConverted
		return []*Failure{&f}
	}
	if f.ConvertedBack, f.Err = r.convert(ctx, f.Converted, r.from); f.Err != nil {
		f.Kind = NotConvertedBack
		return []*Failure{&f}
	}
	var failures []*Failure
	for _, d := range r.compare.differences(obj.Object, f.ConvertedBack.Object) {
		g := f
		g.Path, g.Before, g.After = d.Path, d.Before, d.After
		g.Kind = map[jsondiff.Kind]Kind{jsondiff.Removed: Lost, jsondiff.Added: Added, jsondiff.Replaced: Changed}[d.Kind]
		failures = append(failures, &g)
	}
	return failures
}

// clone is obj.DeepCopy, which panics on Go types that no decoder produces.
func clone(obj *unstructured.Unstructured) *unstructured.Unstructured {
	object, _ := jsonval.Clone(obj.Object).(map[string]any)
	return &unstructured.Unstructured{Object: object}
}

// convert converts as the server does for reads from storage, without defaults.
func (r *route) convert(ctx context.Context, obj *unstructured.Unstructured, to *version) (*unstructured.Unstructured, error) {
	converted, err := r.def.Convert(ctx, []*unstructured.Unstructured{clone(obj)}, to.Name())
	if err != nil {
		return nil, err
	}
	if len(converted) != 1 || converted[0] == nil {
		return nil, fmt.Errorf("the converter returned %d objects for one", len(converted))
	}
	out := clone(converted[0])
	if want := to.GroupVersionKind(); out.GroupVersionKind() != want {
		return nil, fmt.Errorf("the converter returned a %v, want a %v", out.GroupVersionKind(), want)
	}
	if to.pruner != nil {
		to.pruner.Prune(out.Object)
		to.defaulter.DropNulls(out.Object)
	}
	return out, nil
}
