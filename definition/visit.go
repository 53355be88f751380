package definition

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// A check walks the schema of a version once in each of its phases:
//
//  1. facts.go finds what the other phases must know of all schemas, and the warnings.
//  2. Package schema checks the structure and compiles the schema.
//  3. check_defaults.go checks the defaults of the compiled schema.
//  4. walk.go checks what the server demands of every schema.
//  5. Package validation/cel checks the rules of the compiled schema.
//  6. notes.go adds the notes.
//
// Each walk has its location, and tells the pointer of an error to the limit of errors when
// it makes the error.

// A visitor walks a schema and all schemas below it, under any keyword, for the one phase
// that is not nil. Named schemas come in random order. It can walk several schemas, one after
// another.
//
// A phase must not keep a schema: named schemas are copies that the visitor uses again. The
// phases are fields, not an interface, so that these large copies stay on the stack.
type visitor struct {
	at       pathstack.SchemaStack // the location of the current schema
	location *pathstack.Chain      // of at; made at the first use

	survey *survey
	walk   *walk
	notes  *schemaNotes
}

// here returns the location of the current schema, as it is when a path or a pointer is
// asked for.
func (v *visitor) here() *pathstack.Chain {
	if v.location == nil {
		v.location = v.at.Here()
	}
	return v.location
}

func (v *visitor) start(root *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	v.at.Start(at)
	v.visit(root)
}

func (v *visitor) enter(s *apiextensionsv1.JSONSchemaProps) bool {
	switch {
	case v.survey != nil:
		return v.survey.note(s)
	case v.walk != nil:
		return v.walk.check(s)
	default:
		return v.notes.note(s)
	}
}

// leave is called after everything below the schema was visited.
func (v *visitor) leave(s *apiextensionsv1.JSONSchemaProps) {
	switch {
	case v.walk != nil:
		v.walk.done(s)
	case v.notes != nil:
		v.notes.done()
	}
}

func (v *visitor) visit(s *apiextensionsv1.JSONSchemaProps) {
	if !v.enter(s) {
		return
	}
	if s.Items != nil {
		v.one("items", s.Items.Schema)
		v.list("items", s.Items.JSONSchemas)
	}
	v.list("allOf", s.AllOf)
	v.list("anyOf", s.AnyOf)
	v.list("oneOf", s.OneOf)
	v.one("not", s.Not)
	v.named("properties", s.Properties)
	v.named("patternProperties", s.PatternProperties)
	v.named("definitions", s.Definitions)
	v.either("additionalProperties", s.AdditionalProperties)
	v.either("additionalItems", s.AdditionalItems)
	for name, d := range s.Dependencies {
		if d.Schema != nil {
			v.at.PushKey("dependencies", name)
			v.visit(d.Schema)
			v.at.Pop()
		}
	}
	v.leave(s)
}

func (v *visitor) one(keyword string, s *apiextensionsv1.JSONSchemaProps) {
	if s != nil {
		v.at.Push(keyword)
		v.visit(s)
		v.at.Pop()
	}
}

func (v *visitor) either(keyword string, s *apiextensionsv1.JSONSchemaPropsOrBool) {
	if s != nil {
		v.one(keyword, s.Schema)
	}
}

func (v *visitor) list(keyword string, schemas []apiextensionsv1.JSONSchemaProps) {
	for i := range schemas {
		v.at.PushIndex(keyword, i)
		v.visit(&schemas[i])
		v.at.Pop()
	}
}

func (v *visitor) named(keyword string, schemas map[string]apiextensionsv1.JSONSchemaProps) {
	if len(schemas) == 0 {
		return
	}
	var s apiextensionsv1.JSONSchemaProps // one for all
	var name string
	for name, s = range schemas {
		v.at.PushKey(keyword, name)
		v.visit(&s)
		v.at.Pop()
	}
}
