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

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A location is a schema with its points.
type location struct {
	props   *apiextensionsv1.JSONSchemaProps
	pointer string
	set     *Point // nil for the root
	checks  []check

	children          map[string]*location // by name of the property
	items, additional *location
}

// A check finds out which goal of a point a value meets.
type check struct {
	point *Point
	// goal returns the index of the goal that a value meets, or the constant unmet.
	goal func(v any) int
}

const unmet = -1

func newLocation(props *apiextensionsv1.JSONSchemaProps, pointer string) *location {
	l := &location{props: props, pointer: pointer, children: make(map[string]*location, len(props.Properties))}
	if pointer != "" {
		l.set = newPoint(Field, pointer, "", "set")
	}
	l.addRequired()
	l.addEnum()
	l.addBounds()
	l.addPattern()
	l.branches("/anyOf", props.AnyOf, func(satisfied int) bool { return satisfied == 0 })
	l.branches("/oneOf", props.OneOf, func(satisfied int) bool { return satisfied != 1 })
	if props.Not != nil {
		satisfies := branchValidator(props.Not)
		l.add(newPoint(Branch, pointer+"/not", "", "not satisfied", "satisfied"), func(v any) int { return goalIf(!satisfies(v), 1) })
	}
	for name, child := range props.Properties {
		l.children[name] = newLocation(&child, pointer+"/properties/"+schema.EscapePointer(name))
	}
	if props.Items != nil && props.Items.Schema != nil {
		l.items = newLocation(props.Items.Schema, pointer+"/items")
	}
	if props.AdditionalProperties != nil && props.AdditionalProperties.Schema != nil {
		l.additional = newLocation(props.AdditionalProperties.Schema, pointer+"/additionalProperties")
	}
	return l
}

// visit observes a value and all values below it. A nil location has no points.
func (l *location) visit(v any) {
	if l == nil {
		return
	}
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
			if declared := l.children[name]; declared != nil {
				declared.visit(child)
			} else {
				l.additional.visit(child)
			}
		}
	case []any:
		for _, child := range v {
			l.items.visit(child)
		}
	}
}

// points appends copies of the points of l and of all locations below it.
func (l *location) points(out []*Point) []*Point {
	if l == nil {
		return out
	}
	if l.set != nil {
		out = append(out, l.set.clone())
	}
	for _, c := range l.checks {
		out = append(out, c.point.clone())
	}
	for _, name := range slices.Sorted(maps.Keys(l.children)) {
		out = l.children[name].points(out)
	}
	return l.additional.points(l.items.points(out))
}

func (p *Point) clone() *Point {
	q := *p
	q.Goals = slices.Clone(p.Goals)
	return &q
}

func (l *location) add(p *Point, goal func(v any) int) { l.checks = append(l.checks, check{p, goal}) }

func goalIf(cond bool, otherwise int) int {
	if cond {
		return 0
	}
	return otherwise
}

func (l *location) addRequired() {
	for i, name := range l.props.Required {
		l.add(newPoint(Required, l.pointer+"/required/"+strconv.Itoa(i), name, "present", "missing"), func(v any) int {
			obj, ok := v.(map[string]any)
			if !ok {
				return unmet
			}
			_, ok = obj[name]
			return goalIf(ok, 1)
		})
	}
}

// addEnum adds a point for each value of an enum, and a point for all other values.
func (l *location) addEnum() {
	var wanted []any
	for i, raw := range l.props.Enum {
		var want any
		if utiljson.Unmarshal(raw.Raw, &want) != nil {
			continue // Compile refuses the schema
		}
		wanted = append(wanted, want)
		l.add(newPoint(Enum, l.pointer+"/enum/"+strconv.Itoa(i), string(raw.Raw), "given"), func(v any) int {
			return goalIf(jsonval.Equal(v, want), unmet)
		})
	}
	if len(l.props.Enum) > 0 {
		l.add(newPoint(Enum, l.pointer+"/enum", "", "another value"), func(v any) int {
			return goalIf(!slices.ContainsFunc(wanted, func(want any) bool { return jsonval.Equal(v, want) }), unmet)
		})
	}
}

const (
	below = iota
	at
	above
)

// addBounds adds a point for each bound of a number or a size. No size is below 0, so for a
// bound of 0 the goal "below" is optional.
func (l *location) addBounds() {
	p := l.props
	l.number("/minimum", p.Minimum)
	l.number("/maximum", p.Maximum)
	for _, b := range []struct {
		keyword string
		bound   *int64
		sizeOf  func(any) int
	}{
		{"/minLength", p.MinLength, textSize}, {"/maxLength", p.MaxLength, textSize},
		{"/minItems", p.MinItems, listSize}, {"/maxItems", p.MaxItems, listSize},
		{"/minProperties", p.MinProperties, objectSize}, {"/maxProperties", p.MaxProperties, objectSize},
	} {
		if b.bound == nil {
			continue
		}
		point := newPoint(Bound, l.pointer+b.keyword, "", "below", "at", "above")
		point.Goals[below].Optional = *b.bound <= 0
		l.add(point, func(v any) int {
			n := b.sizeOf(v)
			if n < 0 {
				return unmet
			}
			return cmp.Compare(int64(n), *b.bound) + at
		})
	}
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
		return unmet
	})
}

// Each size is -1 for a value of another type.

func textSize(v any) int {
	if text, ok := v.(string); ok {
		return utf8.RuneCountInString(text)
	}
	return -1
}

func listSize(v any) int {
	if list, ok := v.([]any); ok {
		return len(list)
	}
	return -1
}

func objectSize(v any) int {
	if obj, ok := v.(map[string]any); ok {
		return len(obj)
	}
	return -1
}

func (l *location) addPattern() {
	if l.props.Pattern == "" {
		return
	}
	compiled := sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(l.props.Pattern) })
	l.add(newPoint(Pattern, l.pointer+"/pattern", l.props.Pattern, "matched", "not matched"), func(v any) int {
		text, ok := v.(string)
		if re, err := compiled(); ok && err == nil {
			return goalIf(re.MatchString(text), 1)
		}
		return unmet
	})
}

func (l *location) branches(keyword string, list []apiextensionsv1.JSONSchemaProps, refused func(satisfied int) bool) {
	if len(list) == 0 {
		return
	}
	var validators []func(any) bool
	for i := range list {
		satisfies := branchValidator(&list[i])
		validators = append(validators, satisfies)
		l.add(newPoint(Branch, l.pointer+keyword+"/"+strconv.Itoa(i), "", "satisfied"), func(v any) int { return goalIf(satisfies(v), unmet) })
	}
	l.add(newPoint(Branch, l.pointer+keyword, "", "refused"), func(v any) int {
		n := 0
		for _, satisfies := range validators {
			if satisfies(v) {
				n++
			}
		}
		return goalIf(refused(n), unmet)
	})
}

// branchValidator returns a function that reports whether a value satisfies a branch. The branch is
// compiled at the first call.
func branchValidator(branch *apiextensionsv1.JSONSchemaProps) func(any) bool {
	const name = "value"
	compiled := sync.OnceValue(func() *validation.Validator {
		keep := true
		root := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			name: {XPreserveUnknownFields: &keep, AllOf: []apiextensionsv1.JSONSchemaProps{*branch}},
		}}
		n, errs := schema.Compile(root, schemaopt.Unstructured{}, schemaopt.WithoutAnnotations{})
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
