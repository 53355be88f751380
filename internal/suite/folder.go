package suite

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/text/manifest"
)

// Files that belong together have names with these ends.
const (
	errorSuffix       = ".yaml.err"
	updateErrorSuffix = ".yaml.tx_err"
	preSuffix         = ".pre.yaml"
	postSuffix        = ".post.yaml"
)

func isText(name string) bool {
	return strings.HasSuffix(name, errorSuffix) || strings.HasSuffix(name, updateErrorSuffix)
}

// errorMember is a member of objects. Its value is a part of the expected error.
const errorMember = "_err"

func (s *Suites) addFolder(ctx context.Context, name string, refused bool) error {
	objects, err := s.objects(ctx, name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(objects, (*manifest.Object).IsDefinition) {
		if err := s.addDefinitions(ctx, name); err != nil {
			return err
		}
	}
	for i, o := range objects {
		if o.IsDefinition() {
			continue
		}
		obj, err := objectOf(string(o.Text))
		if err != nil {
			return err
		}
		text, err := errorText(obj)
		if err != nil {
			return fmt.Errorf("line %d: %w", o.Line, err)
		}
		s.add(name, label(i, obj), o.Line, func(ctx context.Context) (string, error) {
			got, err := s.createFrom(ctx, obj, name)
			switch {
			case err != nil:
				return "", err
			case refused && text == "" && got.refused():
				return "", nil
			case refused && text == "":
				return "admitted, want a refusal", nil
			default:
				return got.compare(&expectation{outcome: outcome{ExpectedError: text}}), nil
			}
		})
	}
	return nil
}

// errorText removes the expected error from an object and returns it, or "".
func errorText(obj *unstructured.Unstructured) (string, error) {
	value, ok := obj.Object[errorMember]
	delete(obj.Object, errorMember)
	text, isString := value.(string)
	if ok && !isString {
		return "", fmt.Errorf("%s is not a string", errorMember)
	}
	return text, nil
}

func (s *Suites) createFrom(ctx context.Context, obj *unstructured.Unstructured, file string) (*answer, error) {
	d, err := s.definitionOf(obj, filepath.ToSlash(file))
	if err != nil {
		return nil, err
	}
	return s.create(ctx, d, obj)
}

func (s *Suites) addPaired(ctx context.Context, name string) error {
	obj, err := s.objectIn(ctx, name)
	if err != nil {
		return err
	}
	base, isUpdate := strings.CutSuffix(name, postSuffix)
	suffix := strings.TrimPrefix(errorSuffix, ".yaml")
	if isUpdate {
		suffix = strings.TrimPrefix(updateErrorSuffix, ".yaml")
	}
	text, err := s.readText(name + suffix)
	if err != nil {
		return err
	}
	want := &expectation{outcome: outcome{ExpectedError: text}}
	if !isUpdate {
		s.add(name, obj.GetName(), 0, func(ctx context.Context) (string, error) {
			got, err := s.createFrom(ctx, obj, name)
			if err != nil {
				return "", err
			}
			return got.compare(want), nil
		})
		return nil
	}
	before, err := s.objectIn(ctx, base+preSuffix)
	if err != nil {
		return fmt.Errorf("%s: %w", manifest.Quote(base+preSuffix), err)
	}
	s.add(name, obj.GetName(), 0, func(ctx context.Context) (string, error) {
		got, err := s.createFrom(ctx, before, name)
		if err != nil || got.refused() {
			return got.problem("creating the first object"), err
		}
		d, err := s.definitionOf(obj, filepath.ToSlash(name))
		if err != nil {
			return "", err
		}
		if got, err = s.update(ctx, d, obj, got.object, false); err != nil {
			return "", err
		}
		return got.compare(want), nil
	})
	return nil
}

func (s *Suites) objectIn(ctx context.Context, name string) (*unstructured.Unstructured, error) {
	objects, err := s.objects(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 {
		return nil, fmt.Errorf("%d objects where one is expected", len(objects))
	}
	return objectOf(string(objects[0].Text))
}
