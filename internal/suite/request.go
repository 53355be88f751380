package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
)

type answer struct {
	object *unstructured.Unstructured // as stored
	result *crdkit.Result
	// accepted means that no request was made: result is of an earlier one.
	accepted bool
}

func (a *answer) refused() bool { return a != nil && !a.accepted && !a.result.Admitted() }

// problem returns a text if a request is refused, otherwise "".
func (a *answer) problem(what string) string {
	if !a.refused() {
		return ""
	}
	return fmt.Sprintf("%s: %v", what, a.result.Err())
}

// compare compares an answer, except for its object, with the expected one. It returns the
// difference, or "".
func (a *answer) compare(want *expectation) string {
	if want.ExpectedErrors != nil {
		var got []string
		for _, e := range a.result.Errors {
			got = append(got, e.Error())
		}
		slices.Sort(got)
		if expected := slices.Sorted(slices.Values(want.ExpectedErrors)); !slices.Equal(got, expected) {
			return fmt.Sprintf("errors %q, want %q", got, expected)
		}
	}
	if want.ExpectedErrors == nil || want.ExpectedError != "" {
		err := a.result.Err()
		if a.accepted {
			err = nil
		}
		if problem := compareVerdict(err, want.ExpectedError); problem != "" {
			return problem
		}
	}
	if want.ExpectedWarnings != nil && !slices.Equal(a.result.Warnings, want.ExpectedWarnings) {
		return fmt.Sprintf("warnings %q, want %q", a.result.Warnings, want.ExpectedWarnings)
	}
	return ""
}

func (s *Suites) create(ctx context.Context, d *Definition, obj *unstructured.Unstructured) (*answer, error) {
	v, err := d.version(obj)
	if err != nil {
		return nil, err
	}
	obj = obj.DeepCopy()
	result, err := v.Create(ctx, obj)
	if err != nil {
		return nil, err
	}
	return &answer{object: obj, result: result}, s.observe(ctx, d, v, Request{Object: obj, Result: result})
}

func (s *Suites) update(ctx context.Context, d *Definition, obj, stored *unstructured.Unstructured, status bool) (*answer, error) {
	v, err := d.version(obj)
	if err != nil {
		return nil, err
	}
	old, _, err := v.Read(ctx, stored)
	if err != nil {
		return nil, err
	}
	obj = obj.DeepCopy()
	obj.SetName(old.GetName())
	do := v.Update
	if status {
		do = v.UpdateStatus
	}
	result, err := do(ctx, obj, old)
	if err != nil {
		return nil, err
	}
	return &answer{object: obj, result: result}, s.observe(ctx, d, v, Request{Object: obj, Old: old, Result: result})
}

func (s *Suites) observe(ctx context.Context, d *Definition, v *crdkit.Version, r Request) error {
	if s.observer == nil || d.isPatched {
		return nil
	}
	return s.observer(ctx, d, v, r)
}

func (d *Definition) version(obj *unstructured.Unstructured) (*crdkit.Version, error) {
	def, err := d.compile()
	if err != nil {
		return nil, err
	}
	return def.VersionFor(obj)
}

// objectOf reads an object. If the object has no name, it gets one.
func objectOf(text string) (*unstructured.Unstructured, error) {
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	content := map[string]any{}
	if err := utiljson.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	if content == nil {
		return nil, errors.New("an object is missing")
	}
	obj := &unstructured.Unstructured{Object: content}
	if _, ok := content["metadata"].(map[string]any); !ok {
		content["metadata"] = map[string]any{}
	}
	if obj.GetName() == "" && obj.GetGenerateName() == "" {
		obj.SetName("test")
	}
	return obj, nil
}

func label(i int, obj *unstructured.Unstructured) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", i, obj.GetName()))
}

// compareVerdict returns the difference between an error and the recorded text, or "".
func compareVerdict(err error, want string) string {
	switch {
	case want == "" && err == nil:
		return ""
	case want == "":
		return fmt.Sprintf("refused: %v", err)
	case err == nil:
		return fmt.Sprintf("admitted, want %q", want)
	case strings.Contains(err.Error(), want):
		return ""
	}
	got := withoutValues(err.Error())
	// crdkit sorts errors, so their order may differ from the record.
	for _, part := range strings.Split(want, ", <nil>") {
		part = strings.ReplaceAll(strings.TrimSuffix(part, "]"), "is invalid: [", "is invalid: ")
		before, rest, isInvalid := strings.Cut(part, "is invalid: ")
		if !isInvalid {
			rest = before
		}
		if !strings.Contains(got, withoutValues(rest)) || isInvalid && !strings.Contains(got, "is invalid: ") {
			return fmt.Sprintf("refused with %q, want %q", err, want)
		}
	}
	return ""
}

var shown = regexp.MustCompile(`(Invalid value|Duplicate value|Unsupported value): (map\[string\]interface \{\}\{[^}]*\}?|\{[^}]*\}|"(?:[^"\\]|\\.)*"|-?[0-9][-0-9.e+]*|true|false|null)(: )?`)

// typeFirst matches a type at the start of a text. Some errors have it in place of the value.
var typeFirst = regexp.MustCompile(`^"(string|object|array|integer)": `)

func withoutValues(text string) string {
	text = typeFirst.ReplaceAllString(text, "")
	return strings.TrimSpace(shown.ReplaceAllString(text, "$1: "))
}

// compareObject returns the difference between a stored object and the expected one. If none is
// expected, it uses the object of the request. In metadata it only compares the fields that a
// client sets.
func compareObject(obj *unstructured.Unstructured, expected, request string) (string, error) {
	if strings.TrimSpace(expected) == "" {
		expected = request
	}
	want, err := objectOf(expected)
	if err != nil {
		return "", fmt.Errorf("the expected object: %w", err)
	}
	diff, err := differences(comparable(want.Object), comparable(obj.Object))
	if diff == "" {
		return "", err
	}
	return "object (-want +got):" + diff, err
}

func differences(want, got map[string]any) (string, error) {
	var b strings.Builder
	for _, d := range jsondiff.Of(want, got) {
		before, err := json.Marshal(d.Before)
		if err != nil {
			return "", err
		}
		after, err := json.Marshal(d.After)
		if err != nil {
			return "", err
		}
		if d.Kind != jsondiff.Added {
			fmt.Fprintf(&b, "\n- %s: %s", d.Path, before)
		}
		if d.Kind != jsondiff.Removed {
			fmt.Fprintf(&b, "\n+ %s: %s", d.Path, after)
		}
	}
	return b.String(), nil
}

var clientMetadata = []string{"labels", "annotations", "finalizers", "ownerReferences"}

func comparable(obj map[string]any) map[string]any {
	out := maps.Clone(obj)
	meta, _ := obj["metadata"].(map[string]any)
	kept := map[string]any{}
	for name, value := range meta {
		if slices.Contains(clientMetadata, name) {
			kept[name] = value
		}
	}
	out["metadata"] = kept
	return out
}
