package explanation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celtrace"
	"github.com/crdkit/crdkit/internal/names/nearname"
	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

const (
	maxShown = 5   // most errors, branches and names in a text
	maxText  = 300 // most Unicode characters of an error in a text
)

// enum explains a value that is not in an enum. It returns nil if no value is near.
func (x *Explainer) enum(err *validation.Error) *Explanation {
	bad, isText := err.BadValue.(string)
	l, ok := schemapath.At(x.root, err.SchemaPointer)
	if !isText || !ok {
		return nil
	}
	near, ok := nearname.Nearest(bad, func(yield func(string) bool) {
		for _, v := range l.Limits().Enum {
			if text, ok := v.(string); ok && !yield(text) {
				return
			}
		}
	})
	if !ok {
		return nil
	}
	return &Explanation{Text: fmt.Sprintf("did you mean %q?", near), Suggestion: near}
}

// located returns the schema and the value of an error. Both are nil if the error is about a
// branch, such as a branch of an anyOf, or does not belong to obj.
func (x *Explainer) located(err *validation.Error, obj *unstructured.Unstructured) (*schema.Node, any) {
	l, ok := schemapath.At(x.root, err.SchemaPointer)
	path, fits := schemapath.Value(err.SchemaPointer, err.Pointer)
	if !ok || !fits {
		return nil, nil
	}
	v, _ := path.Lookup(obj.Object)
	return l.Node, v
}

// mistyped explains a string that is written like the wanted type, or a value that lacks quotes.
func (x *Explainer) mistyped(err *validation.Error, obj *unstructured.Unstructured) *Explanation {
	n, v := x.located(err, obj)
	switch t := v.(type) {
	case string:
		if written(t, n.Kind()) {
			const advice = "remove the quotes"
			return &Explanation{Text: "the value is a string that is written like type " + n.Type() + ": " + advice, Suggestion: advice}
		}
	case int64, float64, bool:
		if n.Kind() == schema.KindString {
			const advice = "put the value into quotes"
			return &Explanation{Text: "the value is not a string: " + advice, Suggestion: advice}
		}
	}
	return nil
}

// tooMany explains that an object has too many members. It returns nil for a list.
func (x *Explainer) tooMany(err *validation.Error, obj *unstructured.Unstructured) *Explanation {
	n, v := x.located(err, obj)
	members, _ := v.(map[string]any)
	names := slices.Sorted(maps.Keys(members))
	if x.runes == 0 { // keys of maps count as values
		names = slices.DeleteFunc(names, func(name string) bool { return n.Property(name) == nil })
	}
	if len(names) == 0 {
		return nil
	}
	shown := slices.Clone(names[:min(len(names), 2*maxShown)])
	for i := range shown {
		shown[i] = celtrace.Cut(shown[i], maxText)
	}
	return &Explanation{Text: fmt.Sprintf("it has %d: %s", len(members), commas(shown, len(members)))}
}

// written reports whether a text is written like a value of a type.
func written(text string, kind schema.Kind) bool {
	if len(text) > 64 {
		return false
	}
	var err error
	switch kind {
	case schema.KindBoolean:
		return text == "true" || text == "false"
	case schema.KindInteger:
		_, err = strconv.ParseInt(text, 10, 64)
	case schema.KindNumber:
		_, err = strconv.ParseFloat(text, 64)
	default:
		return false
	}
	return err == nil
}

func (x *Explainer) branches(err *validation.Error, b validation.Branches) *Explanation {
	e := &Explanation{Branches: &b}
	pointer := func(i int) string { return err.SchemaPointer + "/" + b.Keyword + "/" + strconv.Itoa(i) }
	if len(b.Valid) > 0 {
		var list []string
		for _, i := range b.Valid[:min(len(b.Valid), maxShown)] {
			list = append(list, pointer(i)+x.requirement(pointer(i)))
		}
		e.Text = fmt.Sprintf("%d of %d branches of %s are satisfied: %s", len(b.Valid), b.Len, b.Keyword, firstOf(list, len(b.Valid)))
		return e
	}
	var list []string
	for _, missing := range b.Errors[:min(len(b.Errors), maxShown)] {
		list = append(list, x.missing(missing))
	}
	e.Text = fmt.Sprintf("the closest of %d branches is %s: %s", b.Len, pointer(b.Closest), firstOf(list, len(b.Errors)))
	return e
}

func firstOf(first []string, n int) string { return joined(first, n, "; ") }

func commas(first []string, n int) string { return joined(first, n, ", ") }

func joined(first []string, n int, separator string) string {
	if n > len(first) {
		first = append(slices.Clip(first), fmt.Sprintf("%d more", n-len(first)))
	}
	return strings.Join(first, separator)
}

// requirement returns the fields that a branch requires, in parentheses, or "".
func (x *Explainer) requirement(pointer string) string {
	l, ok := schemapath.At(x.root, pointer)
	if !ok {
		return ""
	}
	required := l.Limits().Required
	if len(required) == 0 {
		return ""
	}
	return " (requires " + celtrace.Cut(strings.Join(required, ", "), maxText) + ")"
}

func (x *Explainer) missing(err *validation.Error) string {
	switch {
	case err.Type == field.ErrorTypeRequired:
		return err.Field + " is missing"
	case x.runes > 0:
		return celtrace.Cut(err.Error(), maxText)
	case err.Type == field.ErrorTypeNotSupported:
		return celtrace.Cut(err.Field+": "+err.Detail, maxText)
	}
	return err.Field + ": " + err.Type.String()
}

const hidden = `"…"`

// HideValues returns an error of a request without the values of the object, as [WithoutValues]
// does for explanations. It does not change err, and returns nil if err is nil. The result has the
// fields of err, except:
//
//   - BadValue is [field.OmitValueType].
//   - If err.BadValue is a string, it is left out of the detail.
//   - A detail from a messageExpression, or from an error that ended a rule, is replaced by the
//     rule's message or expression.
func (x *Explainer) HideValues(err *validation.Error) *validation.Error {
	if err == nil {
		return nil
	}
	without := *err.FieldError()
	without.BadValue = field.OmitValueType{}
	if err.Step == validation.StepRules {
		without.Detail = x.detailWithoutValues(err)
	} else if value, ok := err.BadValue.(string); ok && !isTypeName(value) {
		without.Detail = strings.ReplaceAll(without.Detail, strconv.Quote(value), hidden)
	}
	out := validation.NewError(&without, err.Step, err.Pointer, err.SchemaPointer)
	out.Rule = err.Rule
	return out
}

func isTypeName(text string) bool {
	switch text {
	case "array", "boolean", "integer", "null", "number", "object", "string":
		return true
	}
	return false
}

// detailWithoutValues returns the detail of a rule's error without values of the object.
func (x *Explainer) detailWithoutValues(err *validation.Error) string {
	l, ok := schemapath.At(x.root, err.SchemaPointer)
	switch {
	case err.Rule < 0, strings.HasPrefix(err.Detail, notCompiled), strings.Contains(err.Detail, overBudget):
		return err.Detail
	case !ok || l.Node == nil || err.Rule >= len(l.Node.Rules()):
		return "a rule failed"
	}
	rule := &l.Node.Rules()[err.Rule]
	if text := failedText(rule); text == err.Detail || rule.MessageExpression != "" {
		return text
	}
	return "an error ended the rule: " + strings.TrimSpace(rule.Rule)
}

// failedText returns the server's text for a false rule, as if it had no messageExpression.
func failedText(rule *schema.Rule) string {
	if rule.Message != "" {
		return strings.TrimSpace(rule.Message)
	}
	return "failed rule: " + strings.TrimSpace(rule.Rule)
}
