package conversiontest

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/minimize"
	"github.com/crdkit/crdkit/schema"
)

// minimize returns the failure of a smaller object. Every further removal makes
// the object survive, fail elsewhere, or be refused.
func (r *route) minimize(ctx context.Context, f *Failure) *Failure {
	return minimize.Object(ctx, f, objectOf, func(candidate map[string]any) (*Failure, bool) {
		obj, err := r.admit(ctx, &unstructured.Unstructured{Object: candidate})
		if err != nil || obj == nil {
			return nil, false
		}
		g := r.roundTrip(ctx, obj)
		return g, g != nil && sameFailure(f, g)
	})
}

func objectOf(f *Failure) map[string]any { return f.Object.Object }

// sameFailure reports whether two failures have the same kind and path. All
// elements of a list count as one, because they move when others are removed.
func sameFailure(f, g *Failure) bool {
	return f.Kind == g.Kind && generic(f.Path) == generic(g.Path)
}

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
