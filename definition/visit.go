package definition

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/pathstack"
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

// A visitor walks a schema and all schemas below it, under any keyword. Named schemas come
// in random order. It can walk several schemas, one after another.
type visitor struct {
	at    pathstack.SchemaStack                       // the location of the current schema
	enter func(*apiextensionsv1.JSONSchemaProps) bool // reports whether to go below the schema
	leave func(*apiextensionsv1.JSONSchemaProps)      // called after what is below; may be nil

	copies   copies
	location *pathstack.Chain // of at; made at the first use
}

// here returns the location of the current schema, as it is when a path or a pointer is
// asked for.
func (v *visitor) here() *pathstack.Chain {
	if v.location == nil {
		v.location = v.at.Here()
	}
	return v.location
}

// copies are copies of named schemas, one for each level of a walk. The walk uses a copy
// again when it has left the schema, because a schema is a large value.
type copies struct {
	all   []*apiextensionsv1.JSONSchemaProps
	level int
}

// enter returns a copy that is valid until the call of leave.
func (c *copies) enter() *apiextensionsv1.JSONSchemaProps {
	if c.level == len(c.all) {
		c.all = append(c.all, &apiextensionsv1.JSONSchemaProps{})
	}
	c.level++
	return c.all[c.level-1]
}

func (c *copies) leave() { c.level-- }

// start visits root, whose location is at.
func (v *visitor) start(root *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	v.at.Start(at)
	v.visit(root)
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
	if v.leave != nil {
		v.leave(s)
	}
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
	s := v.copies.enter()
	var name string
	for name, *s = range schemas {
		v.at.PushKey(keyword, name)
		v.visit(s)
		v.at.Pop()
	}
	v.copies.leave()
}
