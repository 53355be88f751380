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
// It never changes and is safe for concurrent use. It neither changes nor
// keeps the objects that it is given; errors may refer to parts of them.
type Validator struct {
	root      *leafcheck.Node
	status    *leafcheck.Node // of the property status, nil if it is not declared
	correlate *correlate.Schema
	embedded  *objectmeta.Embedded

	collectOnly bool // no shortcuts
	listsApart  bool // lists have to be checked apart from values
}

// A Result tells what is wrong with an updated object.
type Result struct {
	// Errors are why the update is refused, sorted; nil if it is not.
	Errors ErrorList
	// Ratcheted are errors that are forgiven, sorted: those of values that did
	// not change, and those of lists if the old object had such errors, too.
	// The server accepts them in silence.
	Ratcheted ErrorList
}

// New returns a validator for objects of the schema n. A nil n declares
// nothing: every object is valid.
func New(n *schema.Node, opts ...Option) *Validator {
	cfg := configOf(opts)
	c := leafcheck.NewCompiler(leafcheck.Config{Minor: cfg.minor, Reference: cfg.reference, EveryFormat: cfg.everyFormat})
	v := &Validator{root: c.Node(n), correlate: correlate.New(n), collectOnly: cfg.reference}
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

// Valid reports whether [Validator.Validate] finds nothing wrong with obj. It
// stops at the first error and allocates nothing if there is none, unless a
// list of type set or map has more than 256 elements or a pattern is too large
// for an automaton.
func (v *Validator) Valid(obj map[string]any) bool {
	if v.collectOnly {
		return len(v.Validate(obj)) == 0
	}
	return v.valid(obj)
}

// valid is the verdict without shortcuts being off.
func (v *Validator) valid(obj map[string]any) bool {
	return v.root.Valid(obj) && (!v.listsApart || v.root.Distinct(obj)) && v.embedded.Valid(obj)
}

// Validate returns everything that is wrong with obj as an object to create,
// sorted; nil if nothing is.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation.
func (v *Validator) Validate(obj map[string]any) ErrorList {
	if !v.collectOnly && v.valid(obj) {
		return nil
	}
	errs, _ := v.values(obj, correlate.Pair{})
	errs = append(errs, v.lists(obj)...)
	errs = append(errs, v.resources(obj)...)
	errs.Sort()
	return errs
}

// ValidateUpdate returns everything that is wrong with obj as a replacement of
// old.
//
// Errors of a value are forgiven if the value did not change: if old has it in
// the same place, under the same name or under the same keys of a list of type
// map. An object that has fields which are not declared counts as changed, and
// so does, for that reason, nearly every object as a whole. The kind and the
// apiVersion of the object are not forgiven anything. Errors of lists of type
// set and map are forgiven if old had such errors, wherever and whatever.
// Errors of embedded resources are not forgiven.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting.
func (v *Validator) ValidateUpdate(obj, old map[string]any) Result {
	if !v.collectOnly && v.valid(obj) {
		return Result{}
	}
	var res Result
	res.Errors, res.Ratcheted = v.values(obj, v.correlate.Pair(obj, old))
	res.addLists(v.lists(obj), v.root, old)
	res.Errors = append(res.Errors, v.resources(obj)...)
	res.Errors.Sort()
	res.Ratcheted.Sort()
	return res
}

// ValidateStatus returns everything that is wrong with obj as a replacement of
// old by way of the status subresource. Of values, only those of status are
// checked, and forgiven as [Validator.ValidateUpdate] does. Lists of type set
// and map are checked in the whole object. Embedded resources are not checked.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource.
func (v *Validator) ValidateStatus(obj, old map[string]any) Result {
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

// values returns the errors of values, and those that are forgiven as nothing
// changed.
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

// addLists adds errors of lists to those that count, unless old had any.
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
