package definition

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// The server validates defaults against another projection of the schema than it
// uses for objects. There, int-or-string is not a type, and formats that the server
// otherwise ignores are kept ([validation.EveryFormat]): the error for a value that is
// neither a string nor of the declared type names the format.

// heldName is the field that holds a value that is not a whole object.
const heldName = "default"

// holding returns the schema of an object with the single field heldName.
func holding(s apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	return &apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{heldName: s},
	}
}

// projected returns the errors of a default as a value of its schema.
func (c *defaultChecker) projected(d *defaultValue) field.ErrorList {
	s, value, path := d.props, d.value, d.path
	if hasIntOrString(s) {
		s = s.DeepCopy()
		untype(s)
	}
	wrapped, errs := schema.Compile(holding(*s), schema.WithoutAnnotations(), c.watch)
	if len(errs) > 0 {
		return relocate(errs, "", path)
	}
	opts := []validation.Option{validation.EveryFormat()}
	if c.reference {
		opts = append(opts, testopt.Reference{})
	}
	found := validation.New(wrapped, opts...).ValidateCreate(map[string]any{heldName: value}, validation.MaxErrors(c.limit.Most()))
	c.limit.Omit(found.Omitted)
	var out field.ErrorList
	var names *prefixIndex // of the properties, for the first error
	for _, err := range found.Errors {
		if c.watch.Ended() {
			return nil
		}
		if err.Step == validation.StepSchema {
			moved := *err.FieldError()
			moved.Field = defaultField(moved.Field, path)
			if names == nil {
				names = newPrefixIndex(s.Properties)
			}
			moved.Detail = withoutHeld(moved.Detail, names)
			out = append(out, &moved)
		}
	}
	return out
}

// hasIntOrString reports whether s or a schema below it has x-kubernetes-int-or-string. A
// structural schema cannot have it within allOf, anyOf, oneOf and not.
func hasIntOrString(s *apiextensionsv1.JSONSchemaProps) bool {
	if s.XIntOrString {
		return true
	}
	has := false
	eachPart(s, func(part *apiextensionsv1.JSONSchemaProps) { has = has || hasIntOrString(part) })
	return has
}

// untype removes x-kubernetes-int-or-string from s and below, so that any type is valid.
// It sets x-kubernetes-preserve-unknown-fields, without which a schema without a type is
// not structural; that does not affect validation.
func untype(s *apiextensionsv1.JSONSchemaProps) {
	if s.XIntOrString {
		preserve := true
		s.XIntOrString, s.XPreserveUnknownFields = false, &preserve
	}
	for name, part := range s.Properties {
		untype(&part)
		s.Properties[name] = part
	}
	eachOtherPart(s, untype)
}

// eachPart calls do for the schemas directly below s, except those of allOf, anyOf, oneOf
// and not. do must not change them.
func eachPart(s *apiextensionsv1.JSONSchemaProps, do func(*apiextensionsv1.JSONSchemaProps)) {
	for _, p := range s.Properties {
		do(&p)
	}
	eachOtherPart(s, do)
}

// eachOtherPart is eachPart without the properties. do may change the schemas.
func eachOtherPart(s *apiextensionsv1.JSONSchemaProps, do func(*apiextensionsv1.JSONSchemaProps)) {
	if s.Items != nil && s.Items.Schema != nil {
		do(s.Items.Schema)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		do(a.Schema)
	}
}

// defaultField returns the field of an error about a default, given the field of the
// error about the object that holds it. The server writes a dot before list elements.
func defaultField(location string, path *field.Path) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(location, heldName), ".")
	if rest == "" || location == noField {
		return path.String()
	}
	return path.Child(rest).String()
}

// withoutHeld removes the name of the held value from the start of a text, where it may
// be quoted. In texts about maps a dot follows the name. properties are the names of the
// properties of the value.
func withoutHeld(detail string, properties *prefixIndex) string {
	quote := ""
	if strings.HasPrefix(detail, `"`) {
		quote, detail = `"`, detail[1:]
	}
	const factor, typed = "factor MultipleOf declared for ", " value must be of type "
	before := ""
	switch {
	case strings.HasPrefix(detail, factor):
		before, detail = factor, detail[len(factor):]
	case strings.HasPrefix(detail, "Checked"+typed), strings.HasPrefix(detail, "MultipleOf"+typed),
		strings.HasPrefix(detail, "Minimum boundary"+typed), strings.HasPrefix(detail, "Maximum boundary"+typed):
		if i := strings.Index(detail, " in "+heldName); i >= 0 {
			i += len(" in ")
			before, detail = detail[:i], detail[i:]
		}
	}
	rest, ok := strings.CutPrefix(detail, heldName)
	if !ok {
		return quote + before + detail
	}
	if name, ok := strings.CutPrefix(rest, "."); ok && startsWithName(properties, name) {
		rest = name
	}
	return quote + before + rest
}

// startsWithName reports whether text starts with one of the names.
func startsWithName(names *prefixIndex, text string) bool {
	_, ok := names.longest(text, func(rest string) bool {
		return rest == "" || strings.IndexByte(` ."[`, rest[0]) >= 0
	})
	return ok
}

// noField is how the server writes a nil path.
const noField = "<nil>"

// relocate turns errors about an object into errors about the value at path. The value is
// the field at of the object, or the object itself if at is "".
func relocate(errs field.ErrorList, at string, path *field.Path) field.ErrorList {
	for i, err := range errs {
		moved := *err
		rest := strings.TrimPrefix(err.Field, at)
		switch {
		case rest == "" || err.Field == noField:
			moved.Field = path.String()
		case rest[0] == '.' || rest[0] == '[':
			moved.Field = path.String() + rest
		default:
			moved.Field = path.Child(rest).String()
		}
		errs[i] = &moved
	}
	return errs
}
