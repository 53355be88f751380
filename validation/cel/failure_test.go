package cel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// TestErrorLocations compares the locations that a run writes with the field
// paths of the server and the pointers of package schema.
func TestErrorLocations(t *testing.T) {
	names := []string{"spec", "", "a.b", "a/b", "m~n", "[0]", "ä"}
	var steps []schema.Step
	for _, name := range names {
		steps = append(steps, schema.Field(name), schema.Key(name))
	}
	steps = append(steps, schema.Index(0), schema.Index(1234))
	paths := []schema.Path{nil}
	for _, a := range steps {
		paths = append(paths, schema.Path{a})
		for _, b := range steps {
			paths = append(paths, schema.Path{a, b}, schema.Path{b, schema.Field("x"), a})
		}
	}
	for _, path := range paths {
		for _, below := range []schema.Path{nil, {schema.Field("c")}, {schema.Field("c"), schema.Key("d/e")}} {
			r, rule := &run{path: stackOf(path)}, &rule{path: below, pathText: below.String()}
			err := r.errorAt(0, &field.Error{}, rule)
			got := []string{err.Field, err.Pointer, err.SchemaPointer}
			want := []string{serverPath(path, rule.pathText).String(), path.Pointer() + below.Pointer(), schemaPointer(path)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%#v and %q: -want +got\n%s", path, rule.pathText, diff)
			}
		}
	}
}

func stackOf(path schema.Path) (s pathstack.Stack) {
	for _, step := range path {
		name, _ := step.Name()
		switch i, isIndex := step.Index(); {
		case isIndex:
			s.Push(pathstack.Item, "", i)
		case step == schema.Field(name):
			s.Push(pathstack.Property, name, 0)
		default:
			s.Push(pathstack.Entry, name, 0)
		}
	}
	return s
}

func serverPath(path schema.Path, below string) *field.Path {
	var p *field.Path
	for _, s := range path {
		name, named := s.Name()
		switch i, isIndex := s.Index(); {
		case isIndex:
			p = p.Index(i)
		case named && s == schema.Field(name):
			p = p.Child(name)
		default:
			p = p.Key(name)
		}
	}
	if below != "" {
		p = p.Child(below)
	}
	return p
}

func schemaPointer(path schema.Path) string {
	text := ""
	for _, s := range path {
		name, named := s.Name()
		switch {
		case !named:
			text += "/items"
		case s == schema.Field(name):
			text += "/properties/" + schema.EscapePointer(name)
		default:
			text += "/additionalProperties"
		}
	}
	return text
}
