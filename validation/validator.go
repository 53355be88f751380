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

// A Validator checks objects of one schema: types and values, the elements of
// lists of type set and map, and embedded resources.
//
// It is immutable and safe for concurrent use. Errors may refer to parts of objects. Only
// [New] makes one: the methods of a nil Validator panic.
type Validator struct {
	root      *leafcheck.Node
	status    *leafcheck.Node // of the property status, nil if it is not declared
	correlate *correlate.Schema
	embedded  *objectmeta.Embedded

	wrong       *Error // an option is wrong; collectOnly is true then
	collectOnly bool   // collect errors for every verdict
	listsApart  bool   // root.Valid does not check all lists; see leafcheck.Compiler.ListsOverlap
}

// A Result has the errors of an updated object.
type Result struct {
	// Errors are the reasons to refuse the update, sorted; nil if it is valid.
	Errors ErrorList
	// Ratcheted are the forgiven errors, sorted: of unchanged values, and of lists of type
	// set and map if the old object had some. The server does not report them.
	Ratcheted ErrorList
	// Omitted is how many reasons are not in Errors because of [MaxErrors]. One may count
	// several times.
	Omitted int

	omittedBlock bool   // one of the omitted errors blocks rules
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

// Valid reports whether [Validator.Validate] finds no error in obj. It stops at
// the first error. It does not allocate if obj is valid, unless a list of type
// set or map has more than 16 elements or compares objects or lists, a string has
// a format other than byte, date, date-time and hostname, or [regexp] matches a pattern.
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

// Validate returns the errors of obj as a new object, sorted; nil if it is valid.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation.
func (v *Validator) Validate(obj map[string]any) ErrorList {
	return v.ValidateCreate(obj).Errors
}

// ValidateCreate is [Validator.Validate] with options. Nothing is ratcheted.
func (v *Validator) ValidateCreate(obj map[string]any, opts ...CallOption) Result {
	return v.validate(obj, nil, correlate.Pair{}, opts)
}

// ValidateUpdate returns the errors of obj as a replacement of old.
//
// Errors of a value are forgiven if the value did not change. Its old value is the value in
// the same location of old: under the same name, or under the same keys of a list of type
// map. An object with undeclared fields counts as changed. Errors of the kind and the
// apiVersion of the object are not forgiven. Nothing in a branch of allOf, anyOf, oneOf or
// not has an old value. Errors of lists of type set and map are forgiven if old had any
// such error. Errors of embedded resources are not forgiven.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting.
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

// ValidateStatus returns the errors of obj as a replacement of old through the
// status subresource. It checks the values of the status only, and forgives
// errors as [Validator.ValidateUpdate] does. It checks lists of type set and
// map in the whole object. It does not check embedded resources.
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
// The start of their fields is the value.
//
// For defaults the server checks every format on values of any type. For type boolean
// and format byte, for example, it reports a number as not of type byte, and admits a
// string that has the format. Values of any type are int-or-string. Elements of lists of
// type set and map are not compared, and embedded resources are not checked.
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

// addValues adds errors of values in obj, and forgiven ones if p is not zero. r has not
// begun.
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

// addLists adds errors of sets and map lists, forgiven if old, which may be nil, had any.
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
		e := res.limit.over(len(errs), p.Err.Type)
		if e == nil {
			e = NewError(p.Err, StepEmbedded, p.Pointer, p.SchemaPointer)
		}
		errs = append(errs, e)
	})
	res.add(errs)
}

// statusStack returns the stack of a walk that starts at the status.
func statusStack() pathstack.Stack {
	return pathstack.Stack{Start: pathstack.Start{Field: "status", Pointer: "/status", SchemaPointer: "/properties/status"}}
}

// add adds the errors of a check within the limit, and counts the others.
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

// forgive adds forgiven errors within the limit.
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

// An Option changes what a [Validator] checks. Without options it checks what
// kube-apiserver 1.37 does. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct {
	minor int
	wrong *Error // the error for an option with a wrong value
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// KubernetesVersion makes a validator check the formats that the server of a version
// checks, such as "1.33" or "1.33.4". A server knows the formats of the minor version
// before its own: k8s-short-name and k8s-long-name, which 1.34 added, from 1.35 on. An
// empty version means 1.37. With any other text than a version from 1.29 to
// 1.37, every method of the validator only returns an error about the option.
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

// A CallOption changes one call of a method of a [Validator], such as
// [Validator.ValidateCreate]. A nil CallOption changes nothing.
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

// MaxErrors limits each list of the result to n errors. The others are counted, see
// [Result.Omitted]. Which errors are in the lists depends on the objects only. By default,
// and if n is not positive, the lists have all errors.
func MaxErrors(n int) CallOption { return maxErrorsOption(n) }
