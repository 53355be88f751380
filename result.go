package crdkit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	crdschema "github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A Result is the verdict on one request: [Result.Err] is nil if the server admits the
// object. It belongs to the caller.
type Result struct {
	// Errors are the errors in the server's answer 422 Invalid, sorted by field, type and detail.
	// An error is repeated if the server repeats it.
	Errors validation.ErrorList
	// Omitted is the number of errors that are not in Errors because of [MaxErrors]. The same error
	// may count several times.
	Omitted int
	// Refusal is set if the server refuses the request before validation. There are no Errors then.
	Refusal *Refusal
	// Warnings are the warning headers of the response, in the server's order.
	Warnings []string
	// Ratcheted are the errors that the server forgives in an update, because the values did not
	// change.
	Ratcheted validation.ErrorList
	// Changes are the server's changes of the object, in the order of its steps. They are only
	// recorded with [ReportChanges].
	Changes []Change
	// Cost is the cost of the rules in CEL cost units. The budget is 10,000,000.
	Cost uint64

	about *subject // nil if the request is admitted
}

// A subject is the object that the answer to a request names.
type subject struct {
	kind schema.GroupKind
	name string
}

// A Refusal is one error with which the server ends a request, such as a conflict.
type Refusal struct {
	Code    int    // HTTP status, such as 400
	Reason  string // as metav1.StatusReason, such as BadRequest or Conflict
	Message string // the server's words
	// Details are the complaints that Message joins, such as `unknown field "spec.replica"`.
	Details []string

	resource string // plural name; only set for a conflict
	answer   error  // of RefusalOf
}

// Admitted reports whether the server accepts the request.
func (r *Result) Admitted() bool { return len(r.Errors) == 0 && r.Refusal == nil }

// Err is the verdict. It returns nil if the server accepts the request, and the answer of
// the server otherwise: an *apierrors.StatusError with the server's message. The message
// counts the errors that are omitted.
func (r *Result) Err() error {
	if r.Admitted() {
		return nil
	}
	about := cmp.Or(r.about, &subject{})
	if r.Refusal != nil {
		return r.Refusal.status(schema.GroupResource{Group: about.kind.Group, Resource: r.Refusal.resource}, about.name)
	}
	return errorlist.Invalid(about.kind, about.name, r.Errors.Field(), r.Omitted)
}

// Status returns the body with which the server answers a request that it refuses. It returns
// nil if the server accepts the request.
func (r *Result) Status() *metav1.Status {
	answer, ok := r.Err().(apierrors.APIStatus)
	if !ok {
		return nil
	}
	found := answer.Status()
	status := found.DeepCopy()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return status
}

// RefusalOf returns the answer of the server to a request that fails with err. If err is or
// wraps an *apierrors.StatusError, the answer has that status. Otherwise it is 500 with the
// text of err. RefusalOf returns nil if err is nil.
func RefusalOf(err error) *Refusal {
	if err == nil {
		return nil
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if ok && status == nil {
		err, ok = errors.New("crdkit: the error is a nil *StatusError"), false
	}
	if !ok {
		status = &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error(),
		}}
	}
	s := status.ErrStatus
	return &Refusal{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message, answer: status}
}

func (r *Refusal) status(resource schema.GroupResource, name string) error {
	if r.answer != nil {
		return r.answer
	}
	switch r.Code {
	case http.StatusConflict:
		err := apierrors.NewConflict(resource, name, nil)
		err.ErrStatus.Message = r.Message
		return err
	case http.StatusRequestEntityTooLarge:
		err := apierrors.NewRequestEntityTooLargeError("")
		err.ErrStatus.Message = r.Message
		return err
	default:
		return apierrors.NewBadRequest(r.Message)
	}
}

// An Op is what the server did to a value of an object.
type Op string

const (
	// Pruned: a field that the schema does not declare was removed.
	Pruned Op = "pruned"
	// NullDropped: a null was removed where the schema does not admit it.
	NullDropped Op = "null-dropped"
	// Defaulted: a default was set.
	Defaulted Op = "defaulted"
	// Coerced: metadata, also of an embedded resource, was brought into the server's form.
	Coerced Op = "coerced"
	// Reset: a field that a request cannot set, such as status, was overwritten.
	Reset Op = "reset"
)

// A Change is one thing that the server changed in an object.
type Change struct {
	Op   Op
	Path crdschema.Path
}

// String returns the change in the form "pruned spec.replica".
func (c Change) String() string { return fmt.Sprintf("%s %s", c.Op, c.Path) }

// change records changes of the object, if the caller asked for it.
func (r *request) change(op Op, paths ...crdschema.Path) {
	if !r.report {
		return
	}
	r.result.Changes = slices.Grow(r.result.Changes, len(paths))
	for _, p := range paths {
		r.result.Changes = append(r.result.Changes, Change{Op: op, Path: p})
	}
}

// reset records that the server overwrote a field. names is the path of the field.
func (r *request) reset(names ...string) {
	if !r.report {
		return
	}
	var path crdschema.Path
	for _, name := range names {
		path = append(path, crdschema.Field(name))
	}
	r.change(Reset, path)
}

func (r *request) changeMetadata(f func()) {
	if !r.report {
		f()
		return
	}
	r.meta.Write(r.obj.Object)
	before, _ := jsonval.Clone(r.obj.Object["metadata"]).(map[string]any)
	f()
	r.meta.Write(r.obj.Object)
	after, _ := r.obj.Object["metadata"].(map[string]any)
	for _, name := range sortedKeys(before, after) {
		if !jsonval.Equal(before[name], after[name]) {
			r.reset("metadata", name)
		}
	}
}

func sortedKeys(a, b map[string]any) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}
