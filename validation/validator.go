package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/correlate"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// A Validator checks objects of one schema: types and values, the elements of lists of type
// set and map, and embedded resources.
//
// It never changes and is safe for concurrent use. Errors may refer to parts of objects. Make
// it with [New]: the methods of a nil Validator panic.
type Validator struct {
	root      *leafcheck.Node
	status    *leafcheck.Node // of the property status, nil if it is not declared
	correlate *correlate.Schema
	embedded  *objectmeta.Embedded

	wrong       *Error // the error for a wrong option; collectOnly is then true
	collectOnly bool   // the verdict needs the errors; the fast verdict may be wrong
	listsApart  bool   // root.Valid does not check all lists; see leafcheck.Compiler.ListsOverlap
}

// A Result has the errors of an object.
type Result struct {
	// Errors are the reasons to refuse the object, sorted; nil if it is valid.
	Errors ErrorList
	// Ratcheted are the forgiven errors, sorted, see [Validator.ValidateUpdate]. The server
	// does not report them.
	Ratcheted ErrorList
	// Omitted is the number of errors that are not in Errors because of [MaxErrors]. Equal
	// errors may be counted more than once.
	Omitted int

	omittedBlock bool   // an omitted error blocks rules
	limit        *limit // nil when the result is finished
}

// New returns a validator for objects of the schema n. It never returns nil. A
// nil n declares nothing, so every object is valid.
func New(n *schema.Node, opts ...Option) *Validator {
	cfg := configOf(opts)
	c := leafcheck.NewCompiler(leafcheck.Config{Minor: cfg.minor})
	v := &Validator{root: c.Node(n), correlate: correlate.New(n), wrong: cfg.wrong, collectOnly: cfg.wrong != nil}
	v.embedded = &objectmeta.Embedded{Schema: n}
	if n == nil {
		return v
	}
	v.status = c.Node(n.Property("status"))
	v.listsApart = c.ListsOverlap
	v.collectOnly = v.collectOnly || v.root.ReportsFromAllBranches() || v.status.ReportsFromAllBranches()
	return v
}

// Valid reports whether [Validator.Validate] finds no error in obj. It stops at the first
// error. If obj is valid, Valid does not allocate, except for
//
//   - a list of type set or map with more than 16 elements, or with objects or lists that
//     must be compared,
//   - a format other than byte, date, date-time and hostname,
//   - a pattern that needs package regexp.
func (v *Validator) Valid(obj map[string]any) bool {
	if v.collectOnly {
		return len(v.Validate(obj)) == 0
	}
	return v.valid(obj)
}

func (v *Validator) valid(obj map[string]any) bool {
	return v.root.Valid(obj) && (!v.listsApart || v.root.Distinct(obj)) && v.embedded.Valid(obj)
}

// Validate returns the errors of the new object obj, sorted, or nil if it is valid.
func (v *Validator) Validate(obj map[string]any) ErrorList {
	return v.ValidateCreate(obj).Errors
}

// ValidateCreate is [Validator.Validate] with options. Nothing is ratcheted.
func (v *Validator) ValidateCreate(obj map[string]any, opts ...CallOption) Result {
	return v.validate(obj, nil, correlate.Pair{}, opts)
}

// ValidateUpdate returns the errors of obj as a replacement of old.
//
// Errors of a value are forgiven if the value did not change. Its old value is the value at
// the same location of old: under the same name, or with the same keys in a list of type
// map. An object with undeclared fields counts as changed. A value in a branch of allOf,
// anyOf, oneOf or not has no old value.
//
// If old had an error of a list of type set or map, all errors of these lists are forgiven.
// Errors of kind and apiVersion of the object, and of embedded resources, are never
// forgiven.
func (v *Validator) ValidateUpdate(obj, old map[string]any, opts ...CallOption) Result {
	return v.validate(obj, old, v.correlate.Pair(obj, old), opts)
}

func (v *Validator) validate(obj, old map[string]any, p correlate.Pair, opts []CallOption) Result {
	if !v.collectOnly && v.valid(obj) {
		return Result{}
	}
	if v.wrong != nil {
		return Result{Errors: ErrorList{v.wrong}}
	}
	res := Result{limit: limitOf(opts)}
	res.addValues(v.root, obj, p, run{checkAll: v.collectOnly})
	v.addLists(&res, obj, old)
	v.addResources(&res, obj)
	return res.finish()
}

// ValidateStatus returns the errors of obj as a replacement of old through the status
// subresource. It checks values only in status, and lists of type set and map in the whole
// object. It does not check embedded resources. It forgives errors as
// [Validator.ValidateUpdate] does.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource.
func (v *Validator) ValidateStatus(obj, old map[string]any, opts ...CallOption) Result {
	if v.wrong != nil {
		return Result{Errors: ErrorList{v.wrong}}
	}
	res := Result{limit: limitOf(opts)}
	status, ok := obj["status"]
	if ok && v.status != nil && (v.collectOnly || !v.status.Valid(status)) {
		res.addValues(v.status, status, v.correlate.Child("status").Pair(status, old["status"]),
			run{checkAll: v.collectOnly, stack: statusStack()})
	}
	v.addLists(&res, obj, old)
	return res.finish()
}

// ValidateDefault returns the errors of value as a default of the schema n in a
// definition. Result.Errors has at most maxErrors errors, or all if maxErrors is 0.
// Their fields start at the value.
//
// The server checks defaults in another way than objects:
//
//   - It checks every format on values of any type. For type boolean and format byte,
//     for example, it reports a number as not of type byte, and admits a string that
//     has the format.
//   - A value of any type is an int-or-string.
//   - It does not compare elements of lists of type set and map.
//   - It does not check embedded resources.
func ValidateDefault(n *schema.Node, value any, maxErrors int, opts ...Option) Result {
	cfg := configOf(opts)
	if cfg.wrong != nil {
		return Result{Errors: ErrorList{cfg.wrong}}
	}
	c := leafcheck.NewCompiler(leafcheck.Config{Minor: cfg.minor, EveryFormat: true})
	root := c.Node(n)
	if root == nil || !root.ReportsFromAllBranches() && root.Valid(value) {
		return Result{}
	}
	res := Result{limit: &limit{most: maxErrors}}
	res.addValues(root, value, correlate.Pair{}, run{checkAll: root.ReportsFromAllBranches()})
	return res.finish()
}

// addValues adds the errors that r finds in obj. If p is not zero, it also adds the
// forgiven errors.
func (res *Result) addValues(n *leafcheck.Node, obj any, p correlate.Pair, r run) {
	r.limit = res.limit
	r.start(n, obj, p)
	for _, f := range r.found {
		if f.err.omitted() {
			res.omit(f.err.Type, 1+f.more)
		}
	}
	res.add(firstOfEachText(r.found))
	res.forgive(firstOfEachText(r.ratcheted))
}

// addLists adds errors of lists of type set and map. All are forgiven if old has such
// errors. old may be nil.
func (v *Validator) addLists(res *Result, obj, old map[string]any) {
	if !v.collectOnly && v.root.Distinct(obj) {
		return
	}
	r := listRun{limit: res.limit, checkAll: v.collectOnly}
	r.walk(v.root, obj)
	switch {
	case len(r.errs) == 0:
	case v.root.Distinct(old):
		res.add(r.errs)
	default:
		res.forgive(r.errs)
	}
}

func (v *Validator) addResources(res *Result, obj map[string]any) {
	var errs ErrorList
	v.embedded.EachProblem(obj, func(p objectmeta.Problem) {
		e := res.limit.placeholder(len(errs), p.Err.Type)
		if e == nil {
			e = NewError(p.Err, StepEmbedded, p.Pointer, p.SchemaPointer)
		}
		errs = append(errs, e)
	})
	res.add(errs)
}

func statusStack() pathstack.Stack {
	return pathstack.Stack{Start: pathstack.Start{Field: "status", Pointer: "/status", SchemaPointer: "/properties/status"}}
}

// add adds errors up to the limit, and counts the others as omitted.
func (res *Result) add(errs ErrorList) {
	for _, e := range errs {
		if !e.omitted() && res.limit.holds(len(res.Errors)) {
			res.Errors = append(res.Errors, e)
			continue
		}
		res.omit(e.Type, 1)
	}
}

func (res *Result) omit(kind field.ErrorType, n int) {
	res.Omitted += n
	res.omittedBlock = res.omittedBlock || blocksRules(kind)
}

func (res *Result) forgive(errs ErrorList) {
	for _, e := range errs {
		if !e.omitted() && res.limit.holds(len(res.Ratcheted)) {
			res.Ratcheted = append(res.Ratcheted, e)
		}
	}
}

func (res *Result) finish() Result {
	res.Errors.Sort()
	res.Ratcheted.Sort()
	res.limit = nil
	return *res
}

// An Option changes what a [Validator] checks. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct {
	minor int
	wrong *Error // the error for an option with a wrong value
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// KubernetesVersion makes a validator check the formats of a server version, such as "1.33"
// or "1.33.4". A server checks the formats of the previous minor version. For example, 1.34
// added k8s-short-name and k8s-long-name, and 1.35 is the first to check them.
//
// The version must be from 1.29 to 1.37. An empty text means 1.37. With any other text,
// every method of the validator only returns an error about the option.
func KubernetesVersion(version string) Option {
	return optionFunc(func(c *config) {
		v, err := kubeversion.Parse(version)
		if err != nil {
			err := field.Invalid(nil, version, "must be a version of Kubernetes "+kubeversion.Span)
			c.wrong = NewError(err, StepSchema, "", "")
			return
		}
		c.minor, c.wrong = int(v), nil
	})
}

func configOf(opts []Option) config {
	cfg := config{minor: int(kubeversion.Newest)}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&cfg)
		}
	}
	return cfg
}

// A CallOption changes one call of a method, such as [Validator.ValidateCreate]. A nil
// CallOption changes nothing.
type CallOption interface{ apply(*limit) }

func limitOf(opts []CallOption) *limit {
	l := &limit{}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(l)
		}
	}
	return l
}

type maxErrorsOption int

func (n maxErrorsOption) apply(l *limit) { l.most = int(n) }

// MaxErrors limits each list of the result to n errors. [Result.Omitted] counts the other
// errors. Equal objects give equal lists. By default, and if n is not positive, the lists
// have all errors.
func MaxErrors(n int) CallOption { return maxErrorsOption(n) }
