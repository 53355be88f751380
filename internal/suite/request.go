package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
)

// An answer is what a server answers to a request.
type answer struct {
	object *unstructured.Unstructured // as it is stored
	result *crdkit.Result
	// ratified: an earlier comparison has accepted the result.
	ratified bool
}

func (a *answer) refused() bool { return a != nil && !a.ratified && !a.result.Admitted() }

// problem returns the problem that a request is refused, "" for none.
func (a *answer) problem(what string) string {
	if !a.refused() {
		return ""
	}
	return fmt.Sprintf("%s: %v", what, a.result.Err())
}

// compare returns the difference between an answer and what is expected, apart from the
// object.
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
		if a.ratified {
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

// update replaces a stored object, or writes its status.
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

// objectOf reads an object. The server gives a name to an object without one.
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

// label returns the name of an object in a file, with its number.
func label(i int, obj *unstructured.Unstructured) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", i, obj.GetName()))
}
