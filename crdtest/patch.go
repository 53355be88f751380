package crdtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/text/document"
	"github.com/crdkit/crdkit/patch"
)

// Patch patches old at its version and compares the answer with the expectations. old is
// as for [Set.Update]. patchType is [types.MergePatchType] or [types.JSONPatchType]; the
// server refuses others. body is JSON or YAML as a string, []byte or [json.RawMessage],
// or a value that is encoded as JSON: a struct or a map for a merge patch, a list of
// operations for a JSON patch. A struct patches all fields that its JSON has, so its other
// fields need omitempty or omitzero.
//
// The object of the response is the old one if the patch cannot be applied. Patch ends the
// test if body is neither JSON nor YAML, or if it is YAML with a repeated key.
func (s *Set) Patch(t testing.TB, old any, patchType types.PatchType, body any, want ...Expectation) *Response {
	t.Helper()
	r := s.patch(t, patching, s.stored(t, old), patchType, body)
	r.expect(t, s, want)
	return r
}

// PatchStatus is [Set.Patch] for the status subresource. It ends the test if the version
// has none.
func (s *Set) PatchStatus(t testing.TB, old any, patchType types.PatchType, body any, want ...Expectation) *Response {
	t.Helper()
	r := s.patch(t, patchingStatus, s.stored(t, old), patchType, body)
	r.expect(t, s, want)
	return r
}

// patch makes a PATCH request.
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
	if err := s.runPatch(t, r, patchType, content); err != nil {
		t.Fatalf("crdtest: %s the %s: %v", verb, old.version.GroupVersionKind().Kind, err)
	}
	if r.Object.GroupVersionKind() == r.version.GroupVersionKind() {
		s.observe(t, r)
	}
	return r
}

// bodyOf returns the JSON of a patch, and whether it is text. JSON stays, with repeated
// keys.
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

// runPatch makes the request of a response.
func (s *Set) runPatch(t testing.TB, r *Response, patchType types.PatchType, body []byte) error {
	do := patch.New(r.version).Patch
	if r.verb == patchingStatus {
		do = patch.New(r.version).PatchStatus
	}
	answer, err := do(t.Context(), r.old, patchType, body, s.request...)
	if err != nil {
		return err
	}
	r.Result, r.Object = answer.Result, answer.Object
	if answer.Admitted() {
		return nil
	}
	r.Object, err = s.refused(t, r, answer)
	return err
}

// refused returns the object of a refused patch as it was validated.
func (s *Set) refused(t testing.TB, r *Response, answer *patch.Result) (*unstructured.Unstructured, error) {
	patched := answer.Patched()
	if patched == nil {
		return r.old.DeepCopy(), nil
	}
	if answer.Refusal != nil || patched.GroupVersionKind() != r.version.GroupVersionKind() {
		return patched, nil // no value was validated
	}
	update := r.version.Update
	if r.verb == patchingStatus {
		update = r.version.UpdateStatus
	}
	_, err := update(t.Context(), patched, r.old, s.request...)
	return patched, err
}

// pathsOf returns the paths of a JSON patch, "" for operations that write nothing, nil for
// another text.
func pathsOf(body []byte) []string {
	var operations []struct{ Op, Path string }
	if json.Unmarshal(body, &operations) != nil {
		return nil // the server refuses it
	}
	paths := make([]string, len(operations))
	for i, o := range operations {
		if o.Op != "test" {
			paths[i] = o.Path
		}
	}
	return paths
}

// position returns the position of a pointer: in the object's text, the merge patch, or the
// operation that wrote the value, "" if unknown.
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

// inOperation returns the pointer into a JSON patch of a value that the patch wrote.
func (in *input) inOperation(pointer string) (written string, ok bool) {
	tokens, appended := pathstack.Tokens(pointer), false
	for i, path := range in.operations {
		steps := pathstack.Tokens(path)
		if !leadsTo(steps, tokens) {
			continue
		}
		if steps[len(steps)-1] == "-" {
			if appended {
				return "", false // which of the operations appended the element?
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

// leadsTo reports whether an operation's path leads to a value or around it. "-" at the end
// is a new element.
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
