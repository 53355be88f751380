package crdtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/text/document"
	"github.com/crdkit/crdkit/patch"
)

// A Response is the answer to one request. It belongs to the caller.
type Response struct {
	// Result is the verdict. It is nil for a response of [Set.Existing].
	Result *crdkit.Result
	// Object is the stored object at the request's version. If the request is refused, it is the
	// refused object: pruned and with defaults.
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
	switch {
	case r.Result == nil:
		return string(r.verb) + " " + r.what()
	case r.Admitted():
		return string(r.verb) + " " + r.verdict()
	}
	return string(r.verb) + " " + r.verdict() + ": " + r.Result.Err().Error()
}

func (r *Response) what() string {
	name := "without a name"
	if given := r.in.object.GetName(); given != "" {
		name = strconv.Quote(given)
	}
	return r.version.GroupVersionKind().Kind + " " + name
}

func (r *Response) verdict() string {
	if r.Admitted() {
		return r.what() + ": admitted"
	}
	return r.what() + ": refused"
}

// Version returns the version of the object.
func (r *Response) Version() *crdkit.Version { return r.version }

// Admitted reports whether the server accepts the request.
func (r *Response) Admitted() bool { return r.Result == nil || r.Result.Admitted() }

// Decode decodes the object into a pointer to a struct. It ends the test if the request was
// refused, or if a field of the struct has the wrong type.
func (r *Response) Decode(t testing.TB, into any) {
	t.Helper()
	if !r.Admitted() {
		t.Fatalf("crdtest: decoding a refused object: %v", r.Result.Err())
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(r.Object.Object, into); err != nil {
		t.Fatalf("crdtest: %v", err)
	}
}

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
// *unstructured.Unstructured, or a [Response]. It may leave out apiVersion and kind if only one
// version of the set fits, as after [Set.Kind]. For a struct, the name of its Go type is the kind.
// If several versions fit, the name of its package is the version.
//
// Create ends the test if obj cannot be read. An unmet expectation fails the test without ending
// it.
func (s *Set) Create(t testing.TB, obj any, want ...Expectation) *Response {
	t.Helper()
	return s.do(t, creating, nil, obj).expect(t, s, want)
}

// Update updates old to obj. old is the [Response] of an earlier request. It may also be an object
// as [Set.Create] takes it: Update then creates it, and ends the test if it is refused. If old has
// a status and the version has the status subresource, the status is updated after the creation.
// See [Set.Existing] for an old object that the server would refuse today.
func (s *Set) Update(t testing.TB, old, obj any, want ...Expectation) *Response {
	t.Helper()
	return s.do(t, updating, s.stored(t, old).Object, obj).expect(t, s, want)
}

// UpdateStatus is [Set.Update] for the status subresource. It takes only the status and some
// metadata from obj. It ends the test if the version has no status subresource.
func (s *Set) UpdateStatus(t testing.TB, old, obj any, want ...Expectation) *Response {
	t.Helper()
	return s.do(t, updatingStatus, s.stored(t, old).Object, obj).expect(t, s, want)
}

// Existing returns a response with an object that is already stored, such as an object that is
// older than a rule. As in a GET, the object is pruned and gets defaults, and is not validated.
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

// stored returns old if it is a Response, otherwise the response to a create of old.
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

// runText makes the request again with the object's text, which has the repeated keys.
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

// Patch patches old at its version and compares the answer with the expectations. old is as for
// [Set.Update]. patchType is [types.MergePatchType] or [types.JSONPatchType]; the server refuses
// other types. body is JSON or YAML as a string, []byte or [json.RawMessage], or a value that is
// encoded as JSON: a struct or a map for a merge patch, a list of operations for a JSON patch.
//
// If the patch cannot be applied, the object of the response is the old object. Patch ends the test
// if body is neither JSON nor YAML, or if it is YAML with a repeated key.
func (s *Set) Patch(t testing.TB, old any, patchType types.PatchType, body any, want ...Expectation) *Response {
	t.Helper()
	return s.patch(t, patching, s.stored(t, old), patchType, body).expect(t, s, want)
}

// PatchStatus is [Set.Patch] for the status subresource. It ends the test if the version has no
// status subresource.
func (s *Set) PatchStatus(t testing.TB, old any, patchType types.PatchType, body any, want ...Expectation) *Response {
	t.Helper()
	return s.patch(t, patchingStatus, s.stored(t, old), patchType, body).expect(t, s, want)
}

func (s *Set) patch(t testing.TB, verb verb, old *Response, patchType types.PatchType, body any) *Response {
	t.Helper()
	content, isText, err := bodyOf(body)
	if err != nil {
		t.Fatalf("crdtest: reading the patch: %v", err)
	}
	r := &Response{version: old.version, in: &input{version: old.version, object: old.Object}, old: old.Object, verb: verb}
	if text, _ := textOf(body); isText {
		r.in.text = definition.NewSource(text, definition.Position{})
	}
	if patchType == types.JSONPatchType {
		r.in.operations = pathsOf(content)
	}
	if err := s.runPatch(t.Context(), r, patchType, content); err != nil {
		t.Fatalf("crdtest: %s the %s: %v", verb, old.version.GroupVersionKind().Kind, err)
	}
	if r.Object.GroupVersionKind() == r.version.GroupVersionKind() {
		s.observe(t, r)
	}
	return r
}

// bodyOf returns the JSON of a patch, and whether body is text. Text that is JSON is returned as it
// is.
func bodyOf(body any) (content []byte, isText bool, err error) {
	text, isText := textOf(body)
	switch {
	case body == nil:
		return nil, false, errors.New("the patch is nil")
	case !isText:
		content, err = json.Marshal(body)
		return content, false, err
	case json.Valid(text):
		return text, true, nil
	}
	if err := document.CheckAliases(text); err != nil {
		return nil, true, err
	}
	content, err = yaml.YAMLToJSONStrict(text)
	return content, true, err
}

// runPatch sends a patch and sets r.Result and r.Object. If the patch is refused, r.Object is the
// patched object, or the old object if the patch cannot be applied.
func (s *Set) runPatch(ctx context.Context, r *Response, patchType types.PatchType, body []byte) error {
	do, update := patch.New(r.version).Patch, r.version.Update
	if r.verb == patchingStatus {
		do, update = patch.New(r.version).PatchStatus, r.version.UpdateStatus
	}
	answer, err := do(ctx, r.old, patchType, body, s.request...)
	if err != nil {
		return err
	}
	r.Result, r.Object = answer.Result, answer.Object
	if answer.Admitted() {
		return nil
	}
	if r.Object = answer.Patched(); r.Object == nil {
		r.Object = r.old.DeepCopy()
		return nil
	}
	if answer.Refusal == nil && r.Object.GroupVersionKind() == r.version.GroupVersionKind() {
		_, err = update(ctx, r.Object, r.old, s.request...)
	}
	return err
}

// pathsOf returns the paths of a JSON patch, with "" for operations that write nothing. It returns
// nil for other texts.
func pathsOf(body []byte) []string {
	var operations []struct{ Op, Path string }
	if json.Unmarshal(body, &operations) != nil {
		return nil // the server refuses the patch
	}
	paths := make([]string, len(operations))
	for i, o := range operations {
		if o.Op != "test" {
			paths[i] = o.Path
		}
	}
	return paths
}

// position returns the position of the value at a pointer: in the object's text, in the merge
// patch, or in the operation that wrote the value. It returns "" if the position is unknown.
func (in *input) position(pointer string) string {
	if in.operations != nil {
		var ok bool
		if pointer, ok = in.inOperation(pointer); !ok {
			return ""
		}
	}
	if p := in.text.Position(pointer); p.IsValid() {
		return p.String()
	}
	return ""
}

// inOperation takes a pointer in the patched object. It returns the pointer in the JSON patch to
// the same value.
func (in *input) inOperation(pointer string) (written string, ok bool) {
	tokens, appended := pathstack.Tokens(pointer), false
	for i, path := range in.operations {
		steps := pathstack.Tokens(path)
		if !leadsTo(steps, tokens) {
			continue
		}
		if steps[len(steps)-1] == "-" {
			if appended {
				return "", false // either operation may have appended the element
			}
			appended = true
		}
		b := fmt.Appendf(nil, "/%d/value", i)
		for _, token := range tokens[len(steps):] {
			b = pathstack.AppendToken(append(b, '/'), token)
		}
		written, ok = string(b), true
	}
	return written, ok
}

// leadsTo reports whether steps are the beginning of tokens. A last step "-" matches any index.
func leadsTo(steps, tokens []string) bool {
	if len(steps) == 0 || len(steps) > len(tokens) {
		return false
	}
	for i, step := range steps {
		if step == tokens[i] {
			continue
		}
		if _, err := strconv.Atoi(tokens[i]); err != nil || step != "-" || i < len(steps)-1 {
			return false
		}
	}
	return true
}
