package crdtest

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdkit/crdkit"
)

// A Response is the answer to one request. It belongs to the caller.
type Response struct {
	// Result is the verdict, nil for a response of [Set.Existing].
	Result *crdkit.Result
	// Object is the object as stored, at the request's version, or as refused: pruned and
	// with defaults.
	Object *unstructured.Unstructured

	version *crdkit.Version
	in      *input
	old     *unstructured.Unstructured
	verb    verb
}

// String returns the request, the verdict and the errors, such as
//
//	create CronTab "a": refused: CronTab.example.com "a" is invalid: spec: Required value
func (r *Response) String() string {
	what := fmt.Sprintf("%s %s %s", r.verb, r.version.GroupVersionKind().Kind, nameOf(r))
	switch {
	case r.Result == nil:
		return what
	case r.Admitted():
		return what + ": admitted"
	}
	return what + ": refused: " + r.Result.Err().Error()
}

// Version returns the version of the object.
func (r *Response) Version() *crdkit.Version { return r.version }

// Admitted reports whether the server accepts the request.
func (r *Response) Admitted() bool { return r.Result == nil || r.Result.Admitted() }

// Decode decodes the object into a pointer to a struct. It ends the test if the request
// was refused or if the struct has a field of another type.
func (r *Response) Decode(t testing.TB, into any) {
	t.Helper()
	if !r.Admitted() {
		t.Fatalf("crdtest: decoding a refused object: %v", r.Result.Err())
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(r.Object.Object, into); err != nil {
		t.Fatalf("crdtest: %v", err)
	}
}

// A verb is the kind of a request.
type verb string

const (
	creating       verb = "create"
	updating       verb = "update"
	updatingStatus verb = "update status of"
	patching       verb = "patch"
	patchingStatus verb = "patch status of"
	existing       verb = "existing" // no request
)

// Create creates an object and compares the answer with the expectations. Without
// expectations, the server must admit the object. It does not change obj.
//
// obj is YAML or JSON as a string, []byte or [json.RawMessage], a struct, a map, an
// *unstructured.Unstructured, or a [Response]. It may leave out apiVersion and kind if
// only one version of the set fits: that with the name and package of the Go type, or
// that of [Set.Kind].
//
// Create ends the test if obj cannot be read. An unmet expectation fails the test and
// does not end it.
func (s *Set) Create(t testing.TB, obj any, want ...Expectation) *Response {
	t.Helper()
	r := s.do(t, creating, nil, obj)
	r.expect(t, s, want)
	return r
}

// Update updates old to obj. old is the [Response] of an earlier request, or an object
// as [Set.Create] takes it, which Update creates first; it ends the test if that is
// refused. If old has a status and the version has the status subresource, the status is
// updated after the creation. See [Set.Existing] for an old object that the server would
// refuse now.
func (s *Set) Update(t testing.TB, old, obj any, want ...Expectation) *Response {
	t.Helper()
	r := s.do(t, updating, s.stored(t, old).Object, obj)
	r.expect(t, s, want)
	return r
}

// UpdateStatus is [Set.Update] for the status subresource. Only status and some metadata
// of obj count. It ends the test if the version has no status subresource.
func (s *Set) UpdateStatus(t testing.TB, old, obj any, want ...Expectation) *Response {
	t.Helper()
	r := s.do(t, updatingStatus, s.stored(t, old).Object, obj)
	r.expect(t, s, want)
	return r
}

// Existing returns the response that has an object which is stored already, such as one
// from before a rule existed. It is pruned and gets defaults as in a GET, and is not
// validated.
func (s *Set) Existing(t testing.TB, obj any) *Response {
	t.Helper()
	in, err := s.input(obj)
	if err != nil {
		t.Fatalf("crdtest: reading the object: %v", err)
	}
	read, _, err := in.version.Read(t.Context(), in.object)
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	return &Response{Object: read, version: in.version, in: in, verb: existing}
}

// input reads an object, which may also be a response.
func (s *Set) input(obj any) (*input, error) {
	if r, ok := obj.(*Response); ok && r != nil {
		return &input{version: r.version, object: r.Object.DeepCopy()}, nil
	}
	return s.read(obj)
}

// stored returns the response that has the old object of an update or a patch.
func (s *Set) stored(t testing.TB, old any) *Response {
	t.Helper()
	if r, ok := old.(*Response); ok && r != nil {
		if !r.Admitted() {
			t.Fatalf("crdtest: the old object was refused: %v", r.Result.Err())
		}
		return r
	}
	created := s.do(t, creating, nil, old)
	if !created.Admitted() {
		t.Fatalf("crdtest: creating the old object:\n%s", newVerdict(s, created).report(t.Context()))
	}
	status, ok := created.in.object.Object["status"]
	if !ok || !created.version.HasStatus() {
		return created
	}
	withStatus := created.Object.DeepCopy()
	withStatus.Object["status"] = runtime.DeepCopyJSONValue(status)
	updated := s.do(t, updatingStatus, created.Object, withStatus)
	if !updated.Admitted() {
		t.Fatalf("crdtest: setting the status of the old object:\n%s", newVerdict(s, updated).report(t.Context()))
	}
	return updated
}

// do makes a request.
func (s *Set) do(t testing.TB, verb verb, old *unstructured.Unstructured, obj any) *Response {
	t.Helper()
	in, err := s.input(obj)
	if err != nil {
		t.Fatalf("crdtest: reading the object: %v", err)
	}
	r := &Response{version: in.version, in: in, old: old, verb: verb, Object: in.object.DeepCopy()}
	if err := s.run(t, r); err != nil {
		t.Fatalf("crdtest: %s the %s: %v", verb, in.version.GroupVersionKind().Kind, err)
	}
	s.observe(t, r)
	return r
}

// run makes the request of a response.
func (s *Set) run(t testing.TB, r *Response) (err error) {
	ctx, v := t.Context(), r.version
	switch r.verb {
	case creating:
		r.Result, err = v.Create(ctx, r.Object, s.request...)
	case updating:
		r.Result, err = v.Update(ctx, r.Object, r.old, s.request...)
	default:
		r.Result, err = v.UpdateStatus(ctx, r.Object, r.old, s.request...)
	}
	if err != nil || r.in.ambiguous == nil {
		return err
	}
	return s.runText(t, r)
}

// runText makes the request again with the text of the object, for what only the text has.
func (s *Set) runText(t testing.TB, r *Response) (err error) {
	ctx, v, opts := t.Context(), r.version, []crdkit.JSONOption{crdkit.YAML()}
	for _, o := range s.request {
		opts = append(opts, o)
	}
	var old []byte
	if r.old != nil {
		if old, err = r.old.MarshalJSON(); err != nil {
			return fmt.Errorf("encoding the old object: %w", err)
		}
	}
	switch r.verb {
	case creating:
		_, r.Result, err = v.CreateJSON(ctx, r.in.ambiguous, opts...)
	case updating:
		_, r.Result, err = v.UpdateJSON(ctx, r.in.ambiguous, old, opts...)
	default:
		_, r.Result, err = v.UpdateStatusJSON(ctx, r.in.ambiguous, old, opts...)
	}
	return err
}
