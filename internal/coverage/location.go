package coverage

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
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

// addEnum adds a point for each value, and one for a value that is none of them.
func (l *location) addEnum() {
	if len(l.props.Enum) == 0 {
		return
	}
	var wanted []any
	for i, raw := range l.props.Enum {
		var want any
		if utiljson.Unmarshal(raw.Raw, &want) != nil {
			continue // Compile refuses the schema
		}
		wanted = append(wanted, want)
		p := newPoint(Enum, l.pointer+"/enum/"+strconv.Itoa(i), string(raw.Raw), "given")
		l.add(p, func(v any) int {
			if jsonval.Equal(v, want) {
				return 0
			}
			return -1
		})
	}
	l.add(newPoint(Enum, l.pointer+"/enum", "", "another value"), func(v any) int {
		for _, want := range wanted {
			if jsonval.Equal(v, want) {
				return -1
			}
		}
		return 0
	})
}

// What is compared with bounds: below, at and above are the goals.
const (
	below = iota
	at
	above
)

// addBounds adds a point for each bound of a number or a size.
func (l *location) addBounds() {
	p := l.props
	l.number("/minimum", p.Minimum)
	l.number("/maximum", p.Maximum)
	l.size("/minLength", p.MinLength, textSize)
	l.size("/maxLength", p.MaxLength, textSize)
	l.size("/minItems", p.MinItems, listSize)
	l.size("/maxItems", p.MaxItems, listSize)
	l.size("/minProperties", p.MinProperties, objectSize)
	l.size("/maxProperties", p.MaxProperties, objectSize)
}

func (l *location) number(keyword string, bound *float64) {
	if bound == nil {
		return
	}
	l.add(newPoint(Bound, l.pointer+keyword, "", "below", "at", "above"), func(v any) int {
		switch v := v.(type) {
		case int64:
			return cmp.Compare(float64(v), *bound) + at
		case float64:
			return cmp.Compare(v, *bound) + at
		}
		return -1
	})
}

// size adds a bound of a size. No size is below 0.
func (l *location) size(keyword string, bound *int64, sizeOf func(any) int64) {
	if bound == nil {
		return
	}
	p := newPoint(Bound, l.pointer+keyword, "", "below", "at", "above")
	p.Goals[below].Optional = *bound <= 0
	l.add(p, func(v any) int {
		n := sizeOf(v)
		if n < 0 {
			return -1
		}
		return cmp.Compare(n, *bound) + at
	})
}

// The sizes are -1 for values of other types.

func textSize(v any) int64 {
	if text, ok := v.(string); ok {
		return int64(utf8.RuneCountInString(text))
	}
	return -1
}

func listSize(v any) int64 {
	if list, ok := v.([]any); ok {
		return int64(len(list))
	}
	return -1
}

func objectSize(v any) int64 {
	if obj, ok := v.(map[string]any); ok {
		return int64(len(obj))
	}
	return -1
}

// addPattern adds a point for the pattern.
func (l *location) addPattern() {
	if l.props.Pattern == "" {
		return
	}
	compiled := sync.OnceValue(func() *regexp.Regexp {
		re, err := regexp.Compile(l.props.Pattern)
		if err != nil {
			return nil
		}
		return re
	})
	l.add(newPoint(Pattern, l.pointer+"/pattern", l.props.Pattern, "matched", "not matched"), func(v any) int {
		text, ok := v.(string)
		re := compiled()
		switch {
		case !ok || re == nil:
			return -1
		case re.MatchString(text):
			return 0
		}
		return 1
	})
}

// addJunctors adds a point for each branch of anyOf and oneOf, one for a value that
// these refuse, and one for not.
func (l *location) addJunctors() {
	l.branches("/anyOf", l.props.AnyOf, func(satisfied int) bool { return satisfied == 0 })
	l.branches("/oneOf", l.props.OneOf, func(satisfied int) bool { return satisfied != 1 })
	if l.props.Not != nil {
		satisfies := branchValidator(l.props.Not)
		l.add(newPoint(Branch, l.pointer+"/not", "", "not satisfied", "satisfied"), func(v any) int {
			if satisfies(v) {
				return 1
			}
			return 0
		})
	}
}

func (l *location) branches(keyword string, list []apiextensionsv1.JSONSchemaProps, refused func(satisfied int) bool) {
	if len(list) == 0 {
		return
	}
	var validators []func(any) bool
	for i := range list {
		satisfies := branchValidator(&list[i])
		validators = append(validators, satisfies)
		p := newPoint(Branch, l.pointer+keyword+"/"+strconv.Itoa(i), "", "satisfied")
		l.add(p, func(v any) int {
			if satisfies(v) {
				return 0
			}
			return -1
		})
	}
	l.add(newPoint(Branch, l.pointer+keyword, "", "refused"), func(v any) int {
		n := 0
		for _, satisfies := range validators {
			if satisfies(v) {
				n++
			}
		}
		if refused(n) {
			return 0
		}
		return -1
	})
}

// branchValidator returns what reports whether a value satisfies a branch. The branch is
// compiled at its first use.
func branchValidator(branch *apiextensionsv1.JSONSchemaProps) func(any) bool {
	const name = "value"
	compiled := sync.OnceValue(func() *validation.Validator {
		keep := true
		root := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			name: {XPreserveUnknownFields: &keep, AllOf: []apiextensionsv1.JSONSchemaProps{*branch}},
		}}
		n, errs := schema.Compile(root, schema.Unstructured(), schema.WithoutAnnotations())
		if len(errs) > 0 {
			return nil
		}
		return validation.New(n)
	})
	return func(v any) bool {
		c := compiled()
		return c != nil && c.Valid(map[string]any{name: v})
	}
}
