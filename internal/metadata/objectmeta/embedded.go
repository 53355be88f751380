package objectmeta

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/metadata/objectname"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// Embedded finds the embedded resources in objects of a schema. It coerces and checks their
// apiVersion, kind and metadata. Only Schema must be set. A nil Schema declares no resources.
type Embedded struct {
	Schema *schema.Node
	// IsResource makes the object itself an embedded resource, for the check of defaults.
	IsResource bool
	// At is the location of the object in errors, by default the root. Limit records the pointers
	// of errors of [Embedded.Coerce]. At and Limit do not affect the paths of unknown fields and
	// the pointers of problems.
	At    *pathstack.Chain
	Limit *errorlimit.Limit
}

func (e *Embedded) isResource() bool { return e.IsResource || e.Schema.EmbeddedResource() }

// Coerce decodes and restores the metadata of every embedded resource in obj, in place. It checks
// that apiVersion and kind are strings. If something is wrong, it returns the first error in the
// order of names, outer resources first. obj may then be partly changed. With [Options.DropInvalid]
// it drops an apiVersion or kind that is not a string, and keeps metadata that cannot be decoded.
//
// The paths of unknown fields are sorted by their strings. A value that is not an object stays
// unchanged.
func (e *Embedded) Coerce(obj any, o Options) ([]schema.Path, *field.Error) {
	if every(e.Schema, e.isResource(), obj, canonicalResource) {
		return nil, nil
	}
	c := coercion{of: e, options: o}
	return c.run(obj)
}

type coercion struct {
	of      *Embedded
	options Options
	unknown []schema.Path
}

func (c *coercion) run(obj any) ([]schema.Path, *field.Error) {
	w := walk{visit: c.visit}
	err := w.walk(c.of.Schema, c.of.isResource(), obj)
	if len(c.unknown) > 1 {
		sort.SliceStable(c.unknown, func(i, j int) bool { return c.unknown[i].String() < c.unknown[j].String() })
	}
	return c.unknown, err
}

func (c *coercion) visit(w *walk, n *schema.Node, m map[string]any) *field.Error {
	invalid := func(name, detail string) *field.Error {
		err := field.Invalid(fieldPath(c.of.At.Path(), w.path).Child(name), m[name], detail)
		return c.of.Limit.AtPointer(c.of.At.Pointer()+w.path.Pointer()+"/"+name, err)
	}
	for _, name := range [...]string{"apiVersion", "kind"} {
		v, found := m[name]
		if _, ok := v.(string); ok || !found {
			continue
		}
		if !c.options.DropInvalid {
			return invalid(name, "must be a string")
		}
		delete(m, name)
	}
	// The walk still changes embedded resources in the old metadata. So Restore must write a copy.
	inside, _, _ := child(n, "metadata")
	d, unknown, err := decodeMetadata(m, c.options, inside.Facts().Has(schema.HasEmbedded))
	switch {
	case err == nil:
		d.Restore(m)
	case !c.options.DropInvalid:
		return invalid("metadata", err.Error())
	}
	for _, p := range unknown {
		c.unknown = append(c.unknown, slices.Concat(w.path, p))
	}
	return nil
}

// canonicalResource reports whether a coercion would leave a resource unchanged and report nothing.
func canonicalResource(m map[string]any) bool {
	for _, name := range [...]string{"apiVersion", "kind"} {
		if v, ok := m[name]; ok {
			if _, ok := v.(string); !ok {
				return false
			}
		}
	}
	raw, ok := m["metadata"]
	return !ok || checkMap(raw, (*Meta).OmitsNothing)
}

func checkMap(raw any, check func(*Meta) bool) bool {
	m := New()
	defer m.Release()
	return m.read(input{v: raw}) >= 0 && check(m)
}

// every reports whether check returns true for all embedded resources in v, a value of n. If
// resource is true, v is an embedded resource itself. every does not allocate.
func every(n *schema.Node, resource bool, v any, check func(map[string]any) bool) bool {
	if !resource && !n.Facts().Has(schema.HasEmbedded) {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		if resource && !check(v) {
			return false
		}
		for name, e := range v {
			below, _, _ := child(n, name)
			if !every(below, below.EmbeddedResource(), e, check) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !every(n.Items(), n.Items().EmbeddedResource(), e, check) {
				return false
			}
		}
	}
	return true
}

func child(n *schema.Node, name string) (below *schema.Node, declared, ok bool) {
	if p := n.Property(name); p != nil {
		return p, true, true
	}
	additional, _ := n.AdditionalProperties()
	return additional, false, additional != nil
}

// A walk visits all embedded resources, in the order of names and indexes, up to the first error.
type walk struct {
	visit         func(w *walk, n *schema.Node, m map[string]any) *field.Error
	path          schema.Path // path of the resource
	schemaPointer string
}

// walk visits v, a value of n. resource says whether v is an embedded resource.
func (w *walk) walk(n *schema.Node, resource bool, v any) *field.Error {
	if !resource && !n.Facts().Has(schema.HasEmbedded) {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		members := v
		if resource {
			members = maps.Clone(v) // members that a visit removes or replaces are walked, too
			if err := w.visit(w, n, v); err != nil {
				return err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			below, declared, ok := child(n, name)
			if !ok {
				continue
			}
			step, keyword := schema.Key(name), "/additionalProperties"
			if declared {
				step, keyword = fieldStep(name), "/properties/"+schema.EscapePointer(name)
			}
			if err := w.below(below, step, keyword, members[name]); err != nil {
				return err
			}
		}
	case []any:
		for i, e := range v {
			if err := w.below(n.Items(), schema.Index(i), "/items", e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) below(n *schema.Node, step schema.Step, keyword string, v any) *field.Error {
	schemaPointer := w.schemaPointer
	w.path, w.schemaPointer = append(w.path, step), schemaPointer+keyword
	err := w.walk(n, n.EmbeddedResource(), v)
	w.path, w.schemaPointer = w.path[:len(w.path)-1], schemaPointer
	return err
}

// fieldStep returns the step to a property. The server writes an empty name in brackets.
func fieldStep(name string) schema.Step {
	if name == "" {
		return schema.Key("")
	}
	return schema.Field(name)
}

// fieldPath returns the field path of p below base. A nil base means the root.
func fieldPath(base *field.Path, p schema.Path) *field.Path {
	for _, s := range p {
		name, named := s.Name()
		i, indexed := s.Index()
		switch {
		case indexed:
			base = base.Index(i)
		case named && s == schema.Field(name):
			base = base.Child(name)
		default:
			base = base.Key(name)
		}
	}
	return base
}

// Valid reports whether [Embedded.Validate] finds no problem. It rarely allocates.
func (e *Embedded) Valid(obj any) bool { return every(e.Schema, e.isResource(), obj, validResource) }

// Validate returns the problems of embedded resources in obj, sorted by field, type and detail. It
// returns nil if there are none. The rules for new objects apply, with two exceptions: metadata may
// be absent, and a name may be empty or any path segment.
func (e *Embedded) Validate(obj any) []Problem {
	if e.Valid(obj) {
		return nil
	}
	return e.walkProblems(obj)
}

func (e *Embedded) walkProblems(obj any) []Problem {
	var problems []Problem
	e.walkInvalid(obj, func(p Problem) { problems = append(problems, p) })
	slices.SortStableFunc(problems, compareProblems)
	return problems
}

// EachProblem calls f with the problems of [Embedded.Validate], ordered by names and indexes.
func (e *Embedded) EachProblem(obj any, f func(Problem)) {
	if !e.Valid(obj) {
		e.walkInvalid(obj, f)
	}
}

func (e *Embedded) walkInvalid(obj any, f func(Problem)) {
	w := walk{visit: func(w *walk, _ *schema.Node, m map[string]any) *field.Error {
		path := fieldPath(e.At.Path(), w.path)
		errs := resourceErrors(path, m)
		metadata, _ := m["metadata"].(map[string]any)
		l := newLocator(metadata, path.Child("metadata").String(), w.path.Pointer())
		for _, err := range errs {
			f(Problem{Err: err, Pointer: l.pointer(err), SchemaPointer: w.schemaPointer})
		}
		return nil
	}}
	w.walk(e.Schema, e.isResource(), obj)
}

func validResource(m map[string]any) bool {
	return fastValidResource(m) || len(resourceErrors(nil, m)) == 0
}

// fastValidResource returns true only for a resource without problems. If it returns false, the
// rules of apimachinery decide.
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

func resourceErrors(path *field.Path, m map[string]any) field.ErrorList {
	errs := typeErrors(path, m, "apiVersion", func(s string) string {
		if _, err := runtimeschema.ParseGroupVersion(s); err != nil {
			return err.Error()
		}
		return ""
	})
	errs = append(errs, typeErrors(path, m, "kind", func(s string) string {
		if msgs := utilvalidation.IsDNS1035Label(strings.ToLower(s)); len(msgs) > 0 {
			return "may have mixed case, but should otherwise match: " + strings.Join(msgs, ",")
		}
		return ""
	})...)
	return append(errs, embeddedMetaErrors(path.Child("metadata"), m)...)
}

// typeErrors checks m[key], where key is apiVersion or kind. detail returns what is wrong with a
// string that is not empty, "" if it is valid.
func typeErrors(path *field.Path, m map[string]any, key string, detail func(string) string) field.ErrorList {
	v, found := m[key]
	if !found {
		return field.ErrorList{field.Required(path.Child(key), "")}
	}
	why := "must be a string"
	if s, ok := v.(string); ok {
		if why = "must not be empty"; s != "" {
			why = detail(s)
		}
	}
	if why == "" {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child(key), v, why)}
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
		meta.Name = "fakename" // the rules require a name, which embedded resources need not have
	}
	return newObjectErrors(meta, path, meta.Namespace != "", pathSegmentMessages)
}

func pathSegmentMessages(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}
