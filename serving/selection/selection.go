package selection

import (
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crdkit/crdkit/internal/path/crdpath/jsonpath"
)

const (
	name      = "metadata.name"
	namespace = "metadata.namespace"
)

// Fields are the fields by which a client may select the objects of one version. They do not change
// and are safe for concurrent use.
type Fields struct {
	namespaced bool
	declared   []declared
	names      map[string]bool
}

type declared struct {
	name string
	path jsonpath.Path
	err  error // the error of a path that does not parse
}

// New returns the fields that a version declares (spec.versions[*].selectableFields) and the fields
// that all objects of the scope have. An empty scope means apiextensionsv1.ClusterScoped, and an
// unknown scope is an error. New does not keep selectable. If a path does not parse, [Fields.Set]
// returns the error, as on the server.
func New(selectable []apiextensionsv1.SelectableField, scope apiextensionsv1.ResourceScope) (*Fields, error) {
	switch scope {
	case "", apiextensionsv1.ClusterScoped, apiextensionsv1.NamespaceScoped:
	default:
		return nil, fmt.Errorf("selection: unknown scope %q", scope)
	}
	f := &Fields{namespaced: scope == apiextensionsv1.NamespaceScoped, names: map[string]bool{name: true}}
	if f.namespaced {
		f.names[namespace] = true
	}
	for _, s := range selectable {
		d := declared{name: strings.TrimPrefix(s.JSONPath, ".")}
		d.path, d.err = jsonpath.Parse("selectableField", s.JSONPath)
		f.declared = append(f.declared, d)
		f.names[d.name] = true
	}
	return f, nil
}

// Parse parses a selector such as "spec.color=blue,metadata.name!=a". The empty text selects
// everything. If the text is not a selector, or names a field not in f, Parse returns the server's
// error, a bad request.
func (f *Fields) Parse(text string) (fields.Selector, error) {
	s, err := fields.ParseSelector(text)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return f.Check(s)
}

// Check returns s if it only names fields of f, and otherwise the server's error. A nil selector
// selects everything.
func (f *Fields) Check(s fields.Selector) (fields.Selector, error) {
	if s == nil {
		return fields.Everything(), nil
	}
	checked, err := s.Transform(func(field, value string) (string, string, error) {
		if !f.names[field] {
			return "", "", fmt.Errorf("field label not supported: %s", field)
		}
		return field, value, nil
	})
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return checked, nil
}

// Set returns the values that field selectors compare, by field name. If a declared field has more
// than one value, it returns the error with which the server fails the request. A nil obj has no
// fields. The set belongs to the caller.
func (f *Fields) Set(obj *unstructured.Unstructured) (fields.Set, error) {
	if obj == nil {
		obj = &unstructured.Unstructured{}
	}
	set := make(fields.Set, len(f.names))
	set[name] = obj.GetName()
	if f.namespaced {
		set[namespace] = obj.GetNamespace()
	}
	for _, d := range f.declared {
		text, err := d.text(obj.Object)
		if err != nil {
			return nil, err
		}
		set[d.name] = text
	}
	return set, nil
}

var errMany = errors.New("unexpectedly received more than one JSON path result")

func (d declared) text(obj map[string]any) (string, error) {
	if d.err != nil {
		return "", fmt.Errorf("unexpected error parsing jsonPath: %w", d.err)
	}
	found, err := d.path.Find(obj)
	switch {
	case err != nil:
		return "", fmt.Errorf("unexpected error finding value with jsonPath: %w", err)
	case len(found) == 0 || len(found[0]) == 0:
		return "", nil
	case len(found) > 1 || len(found[0]) > 1:
		return "", errMany
	case found[0][0] == nil:
		return "", nil
	default:
		return fmt.Sprint(found[0][0]), nil
	}
}

// Matches reports whether both selectors select an object. A nil or empty selector selects every
// object; if both are nil or empty, Matches does not read the object. byField must come from
// [Fields.Parse] or [Fields.Check]: other fields count as empty. Matches fails like [Fields.Set].
func (f *Fields) Matches(obj *unstructured.Unstructured, byLabel labels.Selector, byField fields.Selector) (bool, error) {
	if byLabel == nil {
		byLabel = labels.Everything()
	}
	if byField == nil {
		byField = fields.Everything()
	}
	if byLabel.Empty() && byField.Empty() {
		return true, nil
	}
	set, err := f.Set(obj)
	if err != nil {
		return false, err
	}
	return byLabel.Matches(labels.Set(obj.GetLabels())) && byField.Matches(set), nil
}
