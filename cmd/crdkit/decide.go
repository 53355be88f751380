package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
)

// A verdict is the result of admitting one document.
type verdict struct {
	doc       inputDocument
	gvk       schema.GroupVersionKind
	name      string
	namespace string
	err       error // prevents a verdict
	result    *crdkit.Result
	stored    *unstructured.Unstructured // nil if not admitted
}

func (v *verdict) admitted() bool { return v.err == nil && v.stored != nil }

func (v *verdict) exitCode() int {
	switch {
	case v.err != nil:
		return exitUndecided
	case v.stored == nil:
		return exitRefused
	default:
		return exitOK
	}
}

// A header has the fields of an object that select its definition.
type header struct {
	schema.GroupVersionKind
	name, namespace string
}

func (a *admitter) decide(ctx context.Context, doc inputDocument) *verdict {
	v := &verdict{doc: doc}
	if doc.err != nil {
		v.err = doc.err
		return v
	}
	head, err := headerOf(doc)
	if err != nil {
		v.err = err
		return v
	}
	v.gvk, v.name, v.namespace = head.GroupVersionKind, head.name, head.namespace
	version, err := a.kinds.version(v.gvk)
	if err != nil {
		v.err = err
		return v
	}
	out, err := a.request(ctx, v, version)
	if err != nil || out == nil {
		v.err = err
		return v
	}
	v.stored, v.err = store(ctx, version, out)
	return v
}

// request sends the document as a request to the version. It returns the
// admitted object as JSON, nil if it is refused.
func (a *admitter) request(ctx context.Context, v *verdict, version *crdkit.Version) ([]byte, error) {
	opts := []crdkit.JSONOption{a.fields, crdkit.ReportChanges()}
	if v.doc.yaml {
		opts = append(opts, crdkit.YAML())
	}
	old, err := a.olds.find(ctx, version, v)
	if err != nil {
		return nil, err
	}
	var out []byte
	switch {
	case a.subresource != "" && old == nil:
		return nil, fmt.Errorf("%s %q has no old object whose %s could be written", v.gvk.Kind, v.name, a.subresource)
	case a.subresource != "":
		out, v.result, err = version.UpdateStatusJSON(ctx, v.doc.data, old, opts...)
	case old != nil:
		out, v.result, err = version.UpdateJSON(ctx, v.doc.data, old, opts...)
	default:
		out, v.result, err = version.CreateJSON(ctx, v.doc.data, opts...)
	}
	return out, err
}

// store returns the object that the server stores for an admitted object.
func store(ctx context.Context, version *crdkit.Version, out []byte) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(out, &obj.Object); err != nil {
		return nil, err
	}
	return version.Store(ctx, obj)
}

// headerOf reads apiVersion, kind, name and namespace. It ignores all other
// errors of the document, which the request reports.
func headerOf(doc inputDocument) (header, error) {
	data := doc.data
	if doc.yaml {
		var err error
		if data, err = yaml.YAMLToJSON(data); err != nil {
			return header{}, err
		}
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return header{}, fmt.Errorf("not an object: %w", err)
	}
	h := header{}
	var apiVersion string
	for name, into := range map[string]*string{"apiVersion": &apiVersion, "kind": &h.Kind} {
		if err := json.Unmarshal(fields[name], into); err != nil || *into == "" {
			return header{}, fmt.Errorf("%s is missing or is not a string", name)
		}
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return header{}, err
	}
	h.Group, h.Version = gv.Group, gv.Version
	var metadata map[string]json.RawMessage
	if json.Unmarshal(fields["metadata"], &metadata) == nil {
		h.name = text(metadata["name"])
		h.namespace = text(metadata["namespace"])
	}
	return h, nil
}

// text returns the value of a JSON string, "" for another value.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
