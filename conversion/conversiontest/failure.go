package conversiontest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A Kind says how a round trip changed an object or why it failed.
type Kind string

// The kinds of failures.
const (
	// Lost means that the round trip removed a value.
	Lost Kind = "Lost"
	// Changed means that the round trip replaced a value.
	Changed Kind = "Changed"
	// Added means that the round trip added a value.
	Added Kind = "Added"
	// NotConverted means that the conversion to the other version failed.
	NotConverted Kind = "NotConverted"
	// NotConvertedBack means that the conversion back failed.
	NotConvertedBack Kind = "NotConvertedBack"
)

// A Failure is an object that does not survive a round trip: the conversion to another version and
// back.
type Failure struct {
	From, To string // versions
	Kind     Kind
	// Count is how many objects failed with the same cause: the same kind, and the same path (except
	// for indexes) or error (except for quoted texts and numbers). Only [Tester.RoundTrip] sets it.
	Count int
	// Path is a difference between Object and ConvertedBack. It is nil if a conversion failed.
	Path schema.Path
	// Before and After are the values at Path. An absent value is nil.
	Before, After any
	// Object is the object before the round trip. Converted is at version To, and ConvertedBack is the
	// result. An object that was not converted is nil.
	Object, Converted, ConvertedBack *unstructured.Unstructured
	// Err is the error of the failed conversion, or nil if both succeeded.
	Err error
}

// Error returns a line with the difference or error, followed by each object as a line of JSON.
func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s and back: ", f.From, f.To)
	switch f.Kind {
	case NotConverted:
		fmt.Fprintf(&b, "not converted: %v", f.Err)
	case NotConvertedBack:
		fmt.Fprintf(&b, "not converted back: %v", f.Err)
	case Lost:
		fmt.Fprintf(&b, "%s is lost; it was %s", f.Path, jsonText(f.Before))
	case Added:
		fmt.Fprintf(&b, "%s is added: %s", f.Path, jsonText(f.After))
	default:
		after, before := jsonText(f.After), jsonText(f.Before)
		if a, b := typeName(f.After), typeName(f.Before); a != b {
			after, before = after+" ("+a+")", before+" ("+b+")"
		}
		fmt.Fprintf(&b, "%s is %s; it was %s", f.Path, after, before)
	}
	for _, o := range []struct {
		name string
		obj  *unstructured.Unstructured
	}{{"object", f.Object}, {"converted", f.Converted}, {"converted back", f.ConvertedBack}} {
		if o.obj != nil {
			fmt.Fprintf(&b, "\n%s: %s", o.name, jsonText(o.obj.Object))
		}
	}
	return b.String()
}

// Unwrap returns Err.
func (f *Failure) Unwrap() error { return f.Err }

// typeName returns the type of a value by JSON Schema, or its Go type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case int64:
		return "integer"
	case float64:
		return "number"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	default:
		return fmt.Sprintf("%T", v)
	}
}

func jsonText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

type run struct {
	route   *route
	byCause map[cause]*Failure
	omitted map[cause]bool
}

// MaxFailures is how many failures a [Report] lists at most.
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

// failures returns the failures with minimal objects, sorted by path, kind and error.
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

// minimize returns the same failure of a smaller object, from which nothing more can be removed.
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

// A cause is what the failures of one group have in common. Its path has no indexes.
type cause struct {
	path string
	kind Kind
	text string // the error's text
}

func (f *Failure) cause() cause {
	c := cause{path: generic(f.Path), kind: f.Kind}
	if f.Err != nil {
		c.text = variable.ReplaceAllString(f.Err.Error(), "#")
	}
	return c
}

// variable matches the parts of an error that may differ between objects.
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
