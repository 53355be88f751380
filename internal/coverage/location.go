package coverage

import (
	"maps"
	"slices"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
)

// A location is a schema of the spine with its points. Its children are made when they
// are first visited.
type location struct {
	props   *apiextensionsv1.JSONSchemaProps
	pointer string
	set     *Point // nil for the root
	checks  []check

	children   map[string]*location // by name of the property
	items      *location
	additional *location
}

// A check observes a value at a point.
type check struct {
	point *Point
	// goal returns the index of the goal that a value meets, -1 if it meets none.
	goal func(v any) int
}

func newLocation(props *apiextensionsv1.JSONSchemaProps, pointer string) *location {
	l := &location{props: props, pointer: pointer}
	if pointer != "" {
		l.set = newPoint(Field, pointer, "", "set")
	}
	l.addRequired()
	l.addEnum()
	l.addBounds()
	l.addPattern()
	l.addJunctors()
	return l
}

// visit observes a value and those below it.
func (l *location) visit(v any) {
	if l.set != nil {
		l.set.hit(0)
	}
	if v == nil {
		return
	}
	for _, c := range l.checks {
		c.point.hit(c.goal(v))
	}
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			if below := l.child(name); below != nil {
				below.visit(child)
			}
		}
	case []any:
		if below := l.elements(); below != nil {
			for _, child := range v {
				below.visit(child)
			}
		}
	}
}

// child returns the location of a member, nil if the schema does not declare it.
func (l *location) child(name string) *location {
	if found, ok := l.children[name]; ok {
		return found
	}
	props, ok := l.props.Properties[name]
	if !ok {
		return l.entries()
	}
	if l.children == nil {
		l.children = map[string]*location{}
	}
	found := newLocation(&props, l.pointer+"/properties/"+schema.EscapePointer(name))
	l.children[name] = found
	return found
}

func (l *location) elements() *location {
	if l.items == nil && l.props.Items != nil && l.props.Items.Schema != nil {
		l.items = newLocation(l.props.Items.Schema, l.pointer+"/items")
	}
	return l.items
}

func (l *location) entries() *location {
	if l.additional == nil && l.props.AdditionalProperties != nil && l.props.AdditionalProperties.Schema != nil {
		l.additional = newLocation(l.props.AdditionalProperties.Schema, l.pointer+"/additionalProperties")
	}
	return l.additional
}

// points returns copies of the points of a location and of those below it, in the order
// of names.
func (l *location) points(out []*Point) []*Point {
	if l.set != nil {
		out = append(out, l.set.clone())
	}
	for _, c := range l.checks {
		out = append(out, c.point.clone())
	}
	for _, name := range slices.Sorted(maps.Keys(l.props.Properties)) {
		out = l.child(name).points(out)
	}
	for _, below := range []*location{l.elements(), l.entries()} {
		if below != nil {
			out = below.points(out)
		}
	}
	return out
}

func (p *Point) clone() *Point {
	q := *p
	q.Goals = slices.Clone(p.Goals)
	return &q
}

// add adds a check.
func (l *location) add(p *Point, goal func(v any) int) { l.checks = append(l.checks, check{p, goal}) }

// addRequired adds a point for each required field.
func (l *location) addRequired() {
	for i, name := range l.props.Required {
		p := newPoint(Required, l.pointer+"/required/"+strconv.Itoa(i), name, "present", "missing")
		l.add(p, func(v any) int {
			obj, ok := v.(map[string]any)
			if !ok {
				return -1
			}
			if _, ok := obj[name]; ok {
				return 0
			}
			return 1
		})
	}
}
