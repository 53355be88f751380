package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/text/document"
)

// definitionKind is the kind of definitions, of whatever version.
const definitionKind = "CustomResourceDefinition"

// A Head has the fields of an object that say what it is.
type Head struct {
	schema.GroupVersionKind
	Namespace, Name string
	// Defines is the kind that a definition defines, zero if it says none or is none.
	Defines schema.GroupKind
}

// IsDefinition reports whether the object is meant as a CustomResourceDefinition.
func (h *Head) IsDefinition() bool { return h.Kind == definitionKind }

// A rawHead has the fields of a Head as in the text, and what else decides what a document
// is.
type rawHead struct {
	apiVersion, kind       string
	namespace, name        string
	group, definedKind     string
	hasAPIVersion, hasKind bool // with whatever value
	hasMetadata            bool // an object
	hasItems               bool // a list
	readItems              func() (iter.Seq[json.RawMessage], error)
}

// ErrNotObject reports a document of a named file that is no object of Kubernetes.
var ErrNotObject = errors.New("not an object")

// ErrIncomplete reports an object without an apiVersion or a kind, which a server refuses.
var ErrIncomplete = errors.New("no complete kind")

type missingError string

func (e missingError) Error() string { return string(e) + " is missing or is not a string" }

func (e missingError) Is(target error) bool { return target == ErrNotObject || target == ErrIncomplete }

// isObject reports whether the document is meant as an object of Kubernetes.
func (h *rawHead) isObject() bool {
	return h.hasAPIVersion && h.hasKind || (h.hasAPIVersion || h.hasKind) && h.hasMetadata
}

// head returns the Head, or an error if the kind is not complete.
func (h *rawHead) head() (Head, error) {
	out := Head{Namespace: h.namespace, Name: h.name, GroupVersionKind: schema.GroupVersionKind{Kind: h.kind}}
	switch {
	case h.apiVersion == "":
		return out, missingError("apiVersion")
	case h.kind == "":
		return out, missingError("kind")
	}
	gv, err := schema.ParseGroupVersion(h.apiVersion)
	if err != nil {
		return out, err
	}
	out.GroupVersionKind = gv.WithKind(h.kind)
	if out.IsDefinition() && h.group != "" && h.definedKind != "" {
		out.Defines = schema.GroupKind{Group: h.group, Kind: h.definedKind}
	}
	return out, nil
}

func readHead(text []byte, isYAML bool) (*rawHead, error) {
	if !isYAML {
		return headOfJSON(text)
	}
	if data, ok := document.YAMLToJSON(string(text)); ok {
		return headOfJSON(data)
	}
	if err := document.CheckAliases(text); err != nil {
		return nil, err
	}
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	if err := document.CheckEnd(text); err != nil {
		return nil, err
	}
	h, err := headOfJSON(data)
	if h != nil {
		h.readItems = func() (iter.Seq[json.RawMessage], error) { return itemsOfYAML(text) }
	}
	return h, err
}

func headOfJSON(data []byte) (*rawHead, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, fmt.Errorf("%w: the document is a JSON %s", ErrNotObject, mismatch.Value)
		}
		return nil, err
	}
	if fields == nil {
		return nil, fmt.Errorf("%w: the document is null", ErrNotObject)
	}
	h := &rawHead{}
	h.apiVersion, h.hasAPIVersion = textOf(fields, "apiVersion")
	h.kind, h.hasKind = textOf(fields, "kind")
	if meta := objectOf(fields, "metadata"); meta != nil {
		h.hasMetadata = true
		h.namespace, _ = textOf(meta, "namespace")
		h.name, _ = textOf(meta, "name")
	}
	if h.kind == definitionKind {
		spec := objectOf(fields, "spec")
		h.group, _ = textOf(spec, "group")
		h.definedKind, _ = textOf(objectOf(spec, "names"), "kind")
	}
	if items, ok := fields["items"]; ok && strings.HasSuffix(h.kind, listSuffix) {
		first := bytes.TrimLeft(items, " \t\r\n")
		h.hasItems = len(first) > 0 && (first[0] == '[' || first[0] == 'n')
		h.readItems = func() (iter.Seq[json.RawMessage], error) { return itemsOfJSON(items), nil }
	}
	return h, nil
}

// textOf returns a member's text, "" if it is no string, and whether there is one.
func textOf(fields map[string]json.RawMessage, name string) (string, bool) {
	raw, ok := fields[name]
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", ok
	}
	return s, ok
}

// objectOf returns the members of a member, nil if it is not an object.
func objectOf(fields map[string]json.RawMessage, name string) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	if json.Unmarshal(fields[name], &out) != nil {
		return nil
	}
	return out
}
