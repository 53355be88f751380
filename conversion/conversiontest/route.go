package conversiontest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

type route struct {
	def      *crdkit.Definition
	from, to *version
	compare  *comparison
}

// object generates an object, or returns nil if the server refuses it. If edge is true, the object
// has values at the limits of the schema. About every second object lacks some members.
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

// admit creates an object, or returns nil if the server refuses it.
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

// roundTrip converts an object to the other version and back. It returns a failure for each
// difference.
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

// clone is like obj.DeepCopy, which panics on Go types that no decoder makes.
func clone(obj *unstructured.Unstructured) *unstructured.Unstructured {
	object, _ := jsonval.Clone(obj.Object).(map[string]any)
	return &unstructured.Unstructured{Object: object}
}

// convert converts an object as the server does when it reads from storage, but without defaults.
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

// A comparison says which differences between objects count.
type comparison struct {
	emptyIsAbsent bool
	ignored       [][]string // the tokens of each pointer
}

func newComparison(emptyIsAbsent bool, ignored []string) (comparison, error) {
	c := comparison{emptyIsAbsent: emptyIsAbsent}
	for _, pointer := range ignored {
		if !strings.HasPrefix(pointer, "/") {
			return c, fmt.Errorf("%q is no JSON pointer, which begins with a slash", pointer)
		}
		c.ignored = append(c.ignored, pathstack.Tokens(pointer))
	}
	return c, nil
}

// differences returns the differences of a round trip that count. It does not change the objects.
func (c *comparison) differences(before, after map[string]any) []jsondiff.Difference {
	diffs := jsondiff.Of(c.relevant(before), c.relevant(after))
	return slices.DeleteFunc(diffs, func(d jsondiff.Difference) bool {
		return d.Kind == jsondiff.Replaced && sameJSON(d.Before, d.After)
	})
}

func (c *comparison) relevant(obj map[string]any) map[string]any {
	if !c.emptyIsAbsent && len(c.ignored) == 0 {
		return obj
	}
	copied, _ := jsonval.Clone(obj).(map[string]any)
	for _, steps := range c.ignored {
		ignore(copied, steps)
	}
	if c.emptyIsAbsent {
		dropEmpty(copied)
	}
	return copied
}

// ignore removes the value at a pointer from v. An element becomes null, so that the others keep
// their indexes.
func ignore(v any, steps []string) {
	step, last := steps[0], len(steps) == 1
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			switch {
			case step != name && step != anyStep:
			case last:
				delete(v, name)
			default:
				ignore(child, steps[1:])
			}
		}
	case []any:
		for i, child := range v {
			switch {
			case step != fmt.Sprint(i) && step != anyStep:
			case last:
				v[i] = nil
			default:
				ignore(child, steps[1:])
			}
		}
	}
}

const anyStep = "*"

// dropEmpty removes empty fields, but not elements. It reports whether v is then empty.
func dropEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		for name, child := range v {
			if dropEmpty(child) {
				delete(v, name)
			}
		}
		return len(v) == 0
	case []any:
		for _, child := range v {
			dropEmpty(child)
		}
		return len(v) == 0
	default:
		return false
	}
}

// sameJSON reports whether two values are the same in JSON. For example, 1.0 is the same as 1.
func sameJSON(a, b any) bool {
	return jsonText(jsonval.Wire(jsonval.Clone(a))) == jsonText(jsonval.Wire(jsonval.Clone(b)))
}
