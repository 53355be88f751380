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

// Valid reports whether [Embedded.Validate] finds no problem. Mostly it does not allocate.
func (e *Embedded) Valid(obj any) bool { return every(e.Schema, e.isResource(), obj, validResource) }

// Validate returns the problems of embedded resources in obj, sorted by field, type and
// detail, nil for none. The rules are those for new objects, but metadata may be absent,
// and a name need only be a path segment, if there is one.
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

// EachProblem calls f with the problems of [Embedded.Validate], by names and indexes.
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

// validResource reports whether an embedded resource has no problems.
func validResource(m map[string]any) bool {
	return fastValidResource(m) || len(resourceErrors(nil, m)) == 0
}

// fastValidResource reports whether a resource has no problems; if false, the rules decide.
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

// resourceErrors returns the errors of apiVersion, kind and metadata of one resource.
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

// typeErrors returns the error of apiVersion or kind. detail judges a string that is not
// empty.
func typeErrors(path *field.Path, m map[string]any, name string, detail func(string) string) field.ErrorList {
	v, found := m[name]
	if !found {
		return field.ErrorList{field.Required(path.Child(name), "")}
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
	return field.ErrorList{field.Invalid(path.Child(name), v, why)}
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
