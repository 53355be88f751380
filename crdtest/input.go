package crdtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/text/document"
)

// An input is an object as a test gives it, and its version.
type input struct {
	version *crdkit.Version
	object  *unstructured.Unstructured // with apiVersion and kind
	text    *definition.Source         // nil if the object is not given as text
	// ambiguous is the text of an object with a repeated key. The server complains about it.
	ambiguous []byte
	// operations are the paths of the operations if text is a JSON patch, otherwise nil.
	operations []string
}

// read reads an object: text, a struct, a map or an unstructured object.
func (s *Set) read(obj any) (*input, error) {
	text, isText := textOf(obj)
	if !isText {
		version, err := s.versionOf(obj, goType(obj))
		if err != nil {
			return nil, err
		}
		u, err := crdkit.ToUnstructured(obj, version)
		if err != nil {
			return nil, err
		}
		return &input{version: version, object: u}, nil
	}
	return s.readText(text)
}

func (s *Set) readText(text []byte) (*input, error) {
	text, err := onlyDocument(text)
	if err != nil {
		return nil, err
	}
	content, err := decode(text)
	if err != nil {
		return nil, err
	}
	in := &input{text: definition.NewSource(text, definition.Position{})}
	if in.version, err = s.versionOf(content, nil); err != nil {
		return nil, err
	}
	if in.object, err = crdkit.ToUnstructured(content, in.version); err != nil {
		return nil, err
	}
	if _, err := yaml.YAMLToJSONStrict(text); err != nil {
		if content["apiVersion"] == nil || content["kind"] == nil {
			return nil, fmt.Errorf("a text with repeated keys must have apiVersion and kind: %w", err)
		}
		in.ambiguous = text
	}
	return in, nil
}

func textOf(obj any) ([]byte, bool) {
	switch text := obj.(type) {
	case string:
		return []byte(text), true
	case []byte:
		return text, true
	case json.RawMessage:
		return text, true
	}
	return nil, false
}

// onlyDocument returns a text, or an error if it has several documents. The server ignores all
// documents but the first. In a test that is a mistake.
func onlyDocument(text []byte) ([]byte, error) {
	var only []byte
	for parts := document.Split(text); ; {
		part, _, err := parts.Next()
		switch {
		case errors.Is(err, io.EOF):
			if only == nil {
				return nil, errors.New("the text has no object")
			}
			return text, nil
		case err != nil:
			return nil, err
		case document.Blank(part):
		case only != nil:
			return nil, errors.New("the text has several documents, want one")
		default:
			only = part
		}
	}
}

func decode(text []byte) (map[string]any, error) {
	if err := document.CheckAliases(text); err != nil {
		return nil, err
	}
	raw, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		return nil, fmt.Errorf("the text is not an object: %w", err)
	}
	if content == nil {
		return nil, errors.New("the text is null, want an object")
	}
	return content, nil
}

// goType returns the type of a struct or of a pointer to a struct. It returns nil for other values.
func goType(obj any) reflect.Type {
	t := reflect.TypeOf(obj)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || t == reflect.TypeFor[unstructured.Unstructured]() {
		return nil
	}
	return t
}

// versionOf returns the version of an object. See [Set.Create] for objects without apiVersion or
// kind.
func (s *Set) versionOf(obj any, from reflect.Type) (*crdkit.Version, error) {
	apiVersion, kind, err := typeFields(obj)
	if err != nil {
		return nil, err
	}
	if s.only != nil {
		return s.only, nil // ToUnstructured refuses an obj of another type
	}
	var candidates []*crdkit.Version
	for _, d := range s.catalog.Definitions() {
		for _, v := range d.Versions() {
			gvk := v.GroupVersionKind()
			if v.Served() && (kind == "" || kind == gvk.Kind) && (apiVersion == "" || apiVersion == gvk.GroupVersion().String()) {
				candidates = append(candidates, v)
			}
		}
	}
	if from != nil && kind == "" {
		candidates = slices.DeleteFunc(candidates, func(v *crdkit.Version) bool { return v.GroupVersionKind().Kind != from.Name() })
	}
	if from != nil && len(candidates) > 1 {
		other := func(v *crdkit.Version) bool { return v.Name() != path.Base(from.PkgPath()) }
		if same := slices.DeleteFunc(slices.Clone(candidates), other); len(same) > 0 {
			candidates = same
		}
	}
	if len(candidates) != 1 {
		return nil, s.ambiguity(candidates, apiVersion, kind, from)
	}
	return s.catalog.Version(candidates[0].GroupVersionKind())
}

func (s *Set) ambiguity(candidates []*crdkit.Version, apiVersion, kind string, from reflect.Type) error {
	what := fmt.Sprintf("an object with apiVersion %q and kind %q", apiVersion, kind)
	if from != nil && kind == "" {
		what = fmt.Sprintf("an object of type %s without apiVersion and kind", from)
	}
	if len(candidates) == 0 {
		return fmt.Errorf("no version of the set is that of %s", what)
	}
	var texts []string
	for _, v := range candidates {
		texts = append(texts, kindOf(v))
	}
	return fmt.Errorf("%s may be of %s: set apiVersion and kind, or use Set.Kind", what, strings.Join(texts, " or "))
}

// typeFields returns apiVersion and kind of an object. A missing field is "".
func typeFields(obj any) (apiVersion, kind string, err error) {
	var head struct{ APIVersion, Kind string }
	switch obj := obj.(type) {
	case *unstructured.Unstructured:
		if obj == nil || obj.Object == nil {
			return "", "", errors.New("the object is nil")
		}
		return typeFields(obj.Object)
	case unstructured.Unstructured:
		return typeFields(obj.Object)
	case map[string]any:
		head.APIVersion, _ = obj["apiVersion"].(string)
		head.Kind, _ = obj["kind"].(string)
	default:
		raw, err := json.Marshal(obj)
		if err != nil {
			return "", "", err
		}
		if !bytes.HasPrefix(raw, []byte("{")) {
			return "", "", fmt.Errorf("a value of type %T is not an object", obj)
		}
		if err := json.Unmarshal(raw, &head); err != nil {
			return "", "", err
		}
	}
	return head.APIVersion, head.Kind, nil
}
