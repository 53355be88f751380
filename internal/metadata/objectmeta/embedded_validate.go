package objectmeta

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/metadata/objectname"
	"github.com/crdkit/crdkit/schema"
)

// Valid reports whether [Embedded.Validate] finds no problem. It does not
// allocate if the fast checks accept all embedded resources.
func (e *Embedded) Valid(obj any) bool {
	if e.root == nil {
		return true
	}
	if e.reference {
		return len(e.Validate(obj)) == 0
	}
	return e.root.every(obj, validResource)
}

// Validate returns the problems of the apiVersion, kind and metadata of the
// embedded resources in obj, sorted by field, type and detail; nil if there are
// none. It decodes the metadata as [Decode] does and applies the rules for new
// objects, with three exceptions: the metadata may be absent, it needs no name,
// and a name only needs to be a valid path segment.
func (e *Embedded) Validate(obj any) []Problem {
	if e.accepts(obj) {
		return nil
	}
	var problems []Problem
	e.EachProblem(obj, func(p Problem) { problems = append(problems, p) })
	slices.SortStableFunc(problems, compareProblems)
	return problems
}

// accepts reports whether obj has no problems. False means that the walk must decide.
func (e *Embedded) accepts(obj any) bool {
	return e.root == nil || !e.reference && e.root.every(obj, validResource)
}

// EachProblem calls f with the problems that [Embedded.Validate] returns, in increasing
// order of names and indexes.
func (e *Embedded) EachProblem(obj any, f func(Problem)) {
	if e.accepts(obj) {
		return
	}
	c := checking{base: e.path, found: f}
	c.walk(e.root, obj)
}

// validResource reports whether an embedded resource has no problems.
func validResource(m map[string]any) bool {
	return fastValidResource(m) || len(resourceErrors(nil, m)) == 0
}

// checking is the state of one call.
type checking struct {
	base          *field.Path
	path          schema.Path
	schemaPointer string // of the current schema
	found         func(Problem)
}

func (c *checking) walk(n *node, v any) {
	switch v := v.(type) {
	case map[string]any:
		if n.embedded {
			c.resource(v)
		}
		for _, name := range n.members(v) {
			e, ok := v[name]
			if !ok {
				continue
			}
			child, step := n.child(name)
			switch {
			case child == nil:
			case n.undeclared(name):
				c.walkBelow(child, step, "/additionalProperties", e)
			default:
				c.walkBelow(child, step, "/properties/"+schema.EscapePointer(name), e)
			}
		}
	case []any:
		if n.items == nil {
			return
		}
		for i, e := range v {
			c.walkBelow(n.items, schema.Index(i), "/items", e)
		}
	}
}

func (c *checking) walkBelow(n *node, step schema.Step, keyword string, v any) {
	schemaPointer := c.schemaPointer
	c.path, c.schemaPointer = append(c.path, step), schemaPointer+keyword
	c.walk(n, v)
	c.path, c.schemaPointer = c.path[:len(c.path)-1], schemaPointer
}

func (c *checking) resource(m map[string]any) {
	path := fieldPath(c.base, c.path)
	errs := resourceErrors(path, m)
	if len(errs) == 0 {
		return
	}
	metadata, _ := m["metadata"].(map[string]any)
	l := newLocator(metadata, path.Child("metadata").String(), c.path.Pointer())
	for _, err := range errs {
		c.found(Problem{Err: err, Pointer: l.pointer(err), SchemaPointer: c.schemaPointer})
	}
}

// resourceErrors returns the errors of apiVersion, kind and metadata of one
// embedded resource.
func resourceErrors(path *field.Path, m map[string]any) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, apiVersionErrors(path.Child("apiVersion"), m)...)
	errs = append(errs, kindErrors(path.Child("kind"), m)...)
	return append(errs, embeddedMetaErrors(path.Child("metadata"), m)...)
}

func apiVersionErrors(path *field.Path, m map[string]any) field.ErrorList {
	v, found := m["apiVersion"]
	if !found {
		return field.ErrorList{field.Required(path, "")}
	}
	s, ok := v.(string)
	if !ok {
		return field.ErrorList{field.Invalid(path, v, "must be a string")}
	}
	if s == "" {
		return field.ErrorList{field.Invalid(path, s, "must not be empty")}
	}
	if _, err := runtimeschema.ParseGroupVersion(s); err != nil {
		return field.ErrorList{field.Invalid(path, s, err.Error())}
	}
	return nil
}

func kindErrors(path *field.Path, m map[string]any) field.ErrorList {
	v, found := m["kind"]
	if !found {
		return field.ErrorList{field.Required(path, "")}
	}
	s, ok := v.(string)
	if !ok {
		return field.ErrorList{field.Invalid(path, v, "must be a string")}
	}
	if s == "" {
		return field.ErrorList{field.Invalid(path, s, "must not be empty")}
	}
	if msgs := utilvalidation.IsDNS1035Label(strings.ToLower(s)); len(msgs) > 0 {
		return field.ErrorList{field.Invalid(path, s, "may have mixed case, but should otherwise match: "+strings.Join(msgs, ","))}
	}
	return nil
}

func embeddedMetaErrors(path *field.Path, m map[string]any) field.ErrorList {
	raw, found := m["metadata"]
	if !found {
		return nil
	}
	meta, _, err := decode(raw, Options{})
	if err != nil {
		return field.ErrorList{field.Invalid(path, raw, err.Error())}
	}
	if meta.Name == "" {
		meta.Name = "fakename" // the rules require a name, but embedded resources need none
	}
	return newObjectErrors(meta, path, meta.Namespace != "", pathSegmentMessages)
}

func pathSegmentMessages(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// FastValidResource reports whether [Embedded.Coerce] leaves the embedded
// resource m as it is and [Embedded.Validate] finds no problem in it. False
// means that these must decide. It does not allocate.
func FastValidResource(m map[string]any) bool { return canonicalResource(m) && fastValidResource(m) }

// fastValidResource reports whether an embedded resource has no problems. False
// means that the rules must decide.
func fastValidResource(m map[string]any) bool {
	apiVersion, ok := m["apiVersion"].(string)
	if !ok || apiVersion == "" || strings.Count(apiVersion, "/") > 1 {
		return false
	}
	if kind, ok := m["kind"].(string); !ok || !objectname.IsKind(kind) {
		return false
	}
	raw, found := m["metadata"]
	return !found || checkMap(raw, (*Meta).validEmbedded)
}
