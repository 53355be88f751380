package conversiontest

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A run collects the failures of a round trip of many objects.
type run struct {
	route   *route
	byCause map[cause]*Failure
	omitted map[cause]bool
}

// MaxFailures is the maximal number of failures that a [Report] lists.
const MaxFailures = 50

// add counts the failures of one object. It keeps the first failure of each cause.
func (r *run) add(failures []*Failure) {
	seen := map[cause]bool{}
	for _, f := range failures {
		c := f.cause()
		if seen[c] {
			continue
		}
		seen[c] = true
		switch first := r.byCause[c]; {
		case first != nil:
			first.Count++
		case len(r.byCause) < MaxFailures:
			f.Count = 1
			r.byCause[c] = f
		default:
			r.omitted[c] = true
		}
	}
}

// failures returns the failures with minimal objects, in increasing order of path, then
// kind and error.
func (r *run) failures(ctx context.Context) []*Failure {
	var found []*Failure
	for _, f := range r.byCause {
		found = append(found, f)
	}
	slices.SortFunc(found, func(f, g *Failure) int {
		a, b := f.cause(), g.cause()
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.kind, b.kind), cmp.Compare(a.text, b.text))
	})
	for i, f := range found {
		found[i] = r.route.minimize(ctx, f)
		found[i].Count = f.Count
	}
	return found
}

// minimize returns the failure of a smaller object. Every further removal makes
// the object survive, fail elsewhere, or be refused.
func (r *route) minimize(ctx context.Context, f *Failure) *Failure {
	want := f.cause()
	return search.Minimize(ctx, f, objectOf, func(candidate map[string]any) (*Failure, bool) {
		obj, err := r.admit(ctx, &unstructured.Unstructured{Object: candidate})
		if err != nil || obj == nil {
			return nil, false
		}
		for _, g := range r.roundTrip(ctx, obj) {
			if g.cause() == want {
				return g, true
			}
		}
		return nil, false
	})
}

func objectOf(f *Failure) map[string]any { return f.Object.Object }

// A cause is what failures of one group have in common. All elements of a list count as
// one, because they move when others are removed.
type cause struct {
	path string
	kind Kind
	text string // of the error
}

func (f *Failure) cause() cause {
	c := cause{path: generic(f.Path), kind: f.Kind}
	if f.Err != nil {
		c.text = variable.ReplaceAllString(f.Err.Error(), "#")
	}
	return c
}

// variable is what differs between the errors of two objects.
var variable = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9]+`)

func generic(path schema.Path) string {
	var b strings.Builder
	for _, step := range path {
		if name, ok := step.Name(); ok {
			b.WriteString("/" + schema.EscapePointer(name))
		} else {
			b.WriteString("/#")
		}
	}
	return b.String()
}
