package validation

import (
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

// A Validator checks objects of one schema: types and values, the elements of
// lists of type set and map, and embedded resources.
//
// It never changes and is safe for concurrent use. It neither changes nor keeps
// the objects that it checks; errors may refer to parts of them. Only [New]
// makes one: the methods of a nil Validator panic.
type Validator struct {
	root      *leafcheck.Node
	status    *leafcheck.Node // of the property status, nil if it is not declared
	correlate *correlate.Schema
	embedded  *objectmeta.Embedded

	wrong       *Error // an option is wrong; collectOnly is true then
	collectOnly bool   // collect errors for every verdict
	listsApart  bool   // root.Valid does not check all lists; see leafcheck.Node.ListsOverlap
}

// A Result has the errors of an updated object.
type Result struct {
	// Errors are the reasons to refuse the update, sorted; nil if it is valid.
	Errors ErrorList
	// Ratcheted are the forgiven errors, sorted: errors of values that did not
	// change, and errors of lists of type set and map if the old object had
	// such errors too. The server does not report them.
	Ratcheted ErrorList
}

// New returns a validator for objects of the schema n. It never returns nil. A
// nil n declares nothing, so every object is valid.
func New(n *schema.Node, opts ...Option) *Validator {
	cfg := configOf(opts)
	c := leafcheck.NewCompiler(leafcheck.Config{Minor: cfg.minor, Reference: cfg.reference, EveryFormat: cfg.everyFormat})
	v := &Validator{root: c.Node(n), correlate: correlate.New(n), wrong: cfg.wrong, collectOnly: cfg.reference || cfg.wrong != nil}
	var metaOpts []objectmeta.Option
	if cfg.reference {
		metaOpts = append(metaOpts, objectmeta.Reference())
	}
	v.embedded = objectmeta.NewEmbedded(n, metaOpts...)
	if n == nil {
		return v
	}
	v.status = c.Node(n.Property("status"))
	v.listsApart = v.root.ListsOverlap()
	v.collectOnly = v.collectOnly || v.root.ReportsFromAllBranches() || v.status.ReportsFromAllBranches()
	return v
}

// Valid reports whether [Validator.Validate] finds no error in obj. It stops at
// the first error. It does not allocate if obj is valid, unless a list of type
// set or map has more than 256 elements or a pattern is too large for an
// automaton.
func (v *Validator) Valid(obj map[string]any) bool {
	if v.collectOnly {
		return len(v.Validate(obj)) == 0
	}
	return v.valid(obj)
}

// valid is the fast verdict.
func (v *Validator) valid(obj map[string]any) bool {
	return v.root.Valid(obj) && (!v.listsApart || v.root.Distinct(obj)) && v.embedded.Valid(obj)
}

// Validate returns the errors of obj as a new object, sorted; nil if it is
// valid.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation.
func (v *Validator) Validate(obj map[string]any) ErrorList {
	if !v.collectOnly && v.valid(obj) {
		return nil
	}
	if v.wrong != nil {
		return ErrorList{v.wrong}
	}
	errs, _ := v.values(obj, correlate.Pair{})
	errs = append(errs, v.lists(obj)...)
	errs = append(errs, v.resources(obj)...)
	errs.Sort()
	return errs
}

// ValidateUpdate returns the errors of obj as a replacement of old.
//
// Errors of a value are forgiven if the value did not change. Its old value is
// the value in the same location of old: under the same name, or under the same
// keys of a list of type map. An object with undeclared fields counts as
// changed, and so does nearly every object as a whole, for that reason. Errors
// of the kind and the apiVersion of the object are not forgiven. Errors of
// lists of type set and map are forgiven if old had any such error. Errors of
// embedded resources are not forgiven.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting.
func (v *Validator) ValidateUpdate(obj, old map[string]any) Result {
	if !v.collectOnly && v.valid(obj) {
		return Result{}
	}
	if v.wrong != nil {
		return Result{Errors: ErrorList{v.wrong}}
	}
	var res Result
	res.Errors, res.Ratcheted = v.values(obj, v.correlate.Pair(obj, old))
	res.addLists(v.lists(obj), v.root, old)
	res.Errors = append(res.Errors, v.resources(obj)...)
	res.Errors.Sort()
	res.Ratcheted.Sort()
	return res
}

// ValidateStatus returns the errors of obj as a replacement of old through the
// status subresource. It checks the values of the status only, and forgives
// errors as [Validator.ValidateUpdate] does. It checks lists of type set and
// map in the whole object. It does not check embedded resources.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource.
func (v *Validator) ValidateStatus(obj, old map[string]any) Result {
	if v.wrong != nil {
		return Result{Errors: ErrorList{v.wrong}}
	}
	var res Result
	status, ok := obj["status"]
	if ok && v.status != nil && (v.collectOnly || !v.status.Valid(status)) {
		r := run{checkAll: v.collectOnly, stack: statusStack()}
		r.start(v.status, status, v.correlate.Child("status").Pair(status, old["status"]))
		res.Errors, res.Ratcheted = firstOfEachText(r.found), firstOfEachText(r.ratcheted)
	}
	res.addLists(v.lists(obj), v.root, old)
	res.Errors.Sort()
	res.Ratcheted.Sort()
	return res
}

// values returns the errors of values, and the forgiven errors if p is not
// zero.
func (v *Validator) values(obj map[string]any, p correlate.Pair) (errs, ratcheted ErrorList) {
	r := run{checkAll: v.collectOnly}
	r.start(v.root, obj, p)
	return firstOfEachText(r.found), firstOfEachText(r.ratcheted)
}

// lists returns the errors of lists of type set and map.
func (v *Validator) lists(obj map[string]any) ErrorList {
	if !v.collectOnly && v.root.Distinct(obj) {
		return nil
	}
	var r listRun
	r.walk(v.root, obj)
	return r.errs
}

// addLists adds errors of lists, as forgiven if old had any.
func (res *Result) addLists(errs ErrorList, root *leafcheck.Node, old map[string]any) {
	switch {
	case len(errs) == 0:
	case root.Distinct(old):
		res.Errors = append(res.Errors, errs...)
	default:
		res.Ratcheted = append(res.Ratcheted, errs...)
	}
}

// resources returns the errors of embedded resources.
func (v *Validator) resources(obj map[string]any) ErrorList {
	var errs ErrorList
	for _, p := range v.embedded.Validate(obj) {
		errs = append(errs, NewError(p.Err, StepEmbedded, p.Pointer, p.SchemaPointer))
	}
	return errs
}
