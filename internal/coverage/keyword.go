package coverage

import (
	"cmp"
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

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
