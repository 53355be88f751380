package crdkit

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// The server checks defaults against another projection of the schema than
// objects. In it, int-or-string is no type, so that only what else the schema
// says of the value counts, and formats that the server otherwise ignores are
// kept: a value that is no string and not of the declared type is told that it
// should have been of the format.

// heldName is the field under which a value is put that is no object.
const heldName = "default"

// holding returns the schema of an object with the one field heldName.
func holding(s apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	return &apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{heldName: s},
	}
}

// projected returns what is wrong with a default as a value of its schema.
func projected(s *apiextensionsv1.JSONSchemaProps, n *schema.Node, value any, path *field.Path, plain bool) field.ErrorList {
	if fits(n, value) {
		return nil
	}
	var p projection
	if p.needed(s) || oddlyFormatted(s) {
		s = s.DeepCopy()
		retype(s, value)
		p.rewrite(s)
	}
	wrapped, errs := schema.Compile(holding(*s), schema.WithoutAnnotations())
	if len(errs) > 0 {
		return relocate(errs, "", path)
	}
	var opts []validation.Option
	if plain {
		opts = append(opts, validation.PlainOnly())
	}
	found := validation.New(wrapped, opts...).Validate(map[string]any{heldName: value})
	var out field.ErrorList
	for _, err := range found {
		if err.Step == validation.StepSchema {
			moved := *err.FieldError()
			moved.Field = valuePlace(moved.Field, path)
			moved.Detail = p.restore(withoutHeld(moved.Detail, s))
			out = append(out, &moved)
		}
	}
	return out
}

// fits reports whether a value is of the type that the schema declares and the
// schema says nothing else, as most schemas of scalars with a default do.
func fits(n *schema.Node, value any) bool {
	limits := n.Limits()
	if limits.Format != "" || limits.Pattern != "" || limits.Minimum.Set || limits.Maximum.Set || limits.MultipleOf.Set ||
		limits.MinLength.Set || limits.MaxLength.Set || limits.Enum != nil || n.Facts().Has(schema.HasJunctors) {
		return false
	}
	switch value.(type) {
	case string:
		return n.Kind() == schema.KindString
	case bool:
		return n.Kind() == schema.KindBoolean
	case int64:
		return n.Kind() == schema.KindInteger
	}
	return false
}

// oddlyFormatted reports whether s has a format that the type is not known for.
func oddlyFormatted(s *apiextensionsv1.JSONSchemaProps) bool {
	switch s.Type {
	case "", "string", "integer", "number":
		return false
	}
	return s.Format != ""
}

// retype gives s a type with which its format has the effect on the value that
// it has for the server: a string or a list is right whatever the type, and
// anything else that is not of the type is told the format.
func retype(s *apiextensionsv1.JSONSchemaProps, value any) {
	if !oddlyFormatted(s) {
		return
	}
	switch value.(type) {
	case string, []any:
		s.Type = "string"
	case bool:
		untype(s, "boolean")
	case map[string]any:
		untype(s, "object")
	case int64:
		// The format of the value itself will do, so that it is the type that
		// is not right.
		if s.Format == "int64" {
			s.Format = ""
			return
		}
		untype(s, "")
	default:
		untype(s, "")
	}
}

// untype takes the type away unless it is right.
func untype(s *apiextensionsv1.JSONSchemaProps, right string) {
	if s.Type == right {
		s.Format = ""
		return
	}
	preserve := true
	s.Type, s.XPreserveUnknownFields = "", &preserve
}

// A projection rewrites a schema, so that checking values against it comes to
// what checking them against the server's projection comes to.
type projection struct {
	// formats are those that the server usually ignores, by what stands for
	// them: for strings a spelling of the format password, which all strings
	// have, and for numbers a format that all of the type have.
	formats map[string]string
	seen    map[string]string
}

// needed reports whether rewriting changes anything.
func (p *projection) needed(s *apiextensionsv1.JSONSchemaProps) bool {
	if s.XIntOrString || p.foreign(s) {
		return true
	}
	needed := false
	eachPart(s, func(part *apiextensionsv1.JSONSchemaProps) { needed = needed || p.needed(part) })
	return needed
}

func (p *projection) foreign(s *apiextensionsv1.JSONSchemaProps) bool {
	switch s.Type {
	case "", "string", "integer", "number":
		return s.Format != "" && !format.Supported(s.Type, s.Format, format.DefaultMinor)
	}
	return false
}

// rewrite changes s in place. A schema without a type is structural only if it
// preserves unknown fields; values are checked alike either way.
func (p *projection) rewrite(s *apiextensionsv1.JSONSchemaProps) {
	foreign := p.foreign(s)
	if s.XIntOrString {
		preserve := true
		s.XIntOrString, s.XPreserveUnknownFields = false, &preserve
	}
	if foreign {
		s.Format = p.standIn(s.Type, s.Format)
	}
	for name, part := range s.Properties {
		p.rewrite(&part)
		s.Properties[name] = part
	}
	eachOtherPart(s, p.rewrite)
}

// standIn returns what stands for a format. A dash in a name does not count, so
// each format has a spelling of its own.
func (p *projection) standIn(typ, name string) string {
	if p.formats == nil {
		p.formats, p.seen = map[string]string{}, map[string]string{}
	}
	key := name
	switch typ {
	case "integer":
		p.formats["int64"] = name
		return "int64"
	case "number":
		p.formats["double"] = name
		return "double"
	}
	if stand, ok := p.seen[key]; ok {
		return stand
	}
	stand := "p" + strings.Repeat("-", len(p.seen)+1) + "assword"
	p.seen[key], p.formats[stand] = stand, name
	return stand
}

// restore puts the formats back that a text names.
func (p *projection) restore(detail string) string {
	const of = "must be of type "
	before, after, found := strings.Cut(detail, of)
	if !found {
		return detail
	}
	name, rest, _ := strings.Cut(after, ":")
	if was, ok := p.formats[name]; ok {
		return before + of + was + ":" + rest
	}
	return detail
}

// eachPart calls do for the schemas that values are checked against directly
// below s, which do must not change.
func eachPart(s *apiextensionsv1.JSONSchemaProps, do func(*apiextensionsv1.JSONSchemaProps)) {
	for _, p := range s.Properties {
		do(&p)
	}
	eachOtherPart(s, do)
}

// eachOtherPart is eachPart without the properties. What do changes is changed
// in s.
func eachOtherPart(s *apiextensionsv1.JSONSchemaProps, do func(*apiextensionsv1.JSONSchemaProps)) {
	if s.Items != nil && s.Items.Schema != nil {
		do(s.Items.Schema)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		do(a.Schema)
	}
	for _, list := range [...][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			do(&list[i])
		}
	}
	if s.Not != nil {
		do(s.Not)
	}
}

// valuePlace returns the place in a default of what the error about the object
// that holds it has as its place. Elements of lists have a dot before them.
func valuePlace(place string, path *field.Path) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(place, heldName), ".")
	if rest == "" || place == noPlace {
		return path.String()
	}
	return path.Child(rest).String()
}

// withoutHeld takes the name of the held value from the front of a text, where
// it may be quoted. The fields of a map have a dot before them there, which
// those of a struct have not.
func withoutHeld(detail string, s *apiextensionsv1.JSONSchemaProps) string {
	quote := ""
	if strings.HasPrefix(detail, `"`) {
		quote, detail = `"`, detail[1:]
	}
	const factor, typed = "factor MultipleOf declared for ", " value must be of type "
	before := ""
	switch {
	case strings.HasPrefix(detail, factor):
		before, detail = factor, detail[len(factor):]
	case strings.HasPrefix(detail, "Checked"+typed), strings.HasPrefix(detail, "MultipleOf"+typed):
		if i := strings.Index(detail, " in "+heldName); i >= 0 {
			i += len(" in ")
			before, detail = detail[:i], detail[i:]
		}
	}
	rest, ok := strings.CutPrefix(detail, heldName)
	if !ok {
		return quote + before + detail
	}
	if name, ok := strings.CutPrefix(rest, "."); ok && declares(s, name) {
		rest = name
	}
	return quote + before + rest
}

// declares reports whether a text begins with the name of a property.
func declares(s *apiextensionsv1.JSONSchemaProps, text string) bool {
	for name := range s.Properties {
		if rest, ok := strings.CutPrefix(text, name); ok && (rest == "" || strings.ContainsRune(` ."[`, rune(rest[0]))) {
			return true
		}
	}
	return false
}

// noPlace is how the server writes no path at all.
const noPlace = "<nil>"

// relocate makes errors about an object, in which the value is at a field, or
// is the object if that is "", errors about the value at path.
func relocate(errs field.ErrorList, at string, path *field.Path) field.ErrorList {
	for i, err := range errs {
		moved := *err
		rest := strings.TrimPrefix(err.Field, at)
		switch {
		case rest == "" || err.Field == noPlace:
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
