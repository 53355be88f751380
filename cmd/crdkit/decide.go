package main

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/manifest"
)

// A verdict is the result of admitting one document.
type verdict struct {
	doc       *manifest.Object
	gvk       schema.GroupVersionKind
	name      string
	namespace string
	err       error // prevents a verdict
	unknown   bool  // err says that the kind has no definition
	notes     []string
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

func (a *admitter) decide(ctx context.Context, o *manifest.Object) *verdict {
	v := &verdict{doc: o, gvk: o.GroupVersionKind, name: o.Name, namespace: o.Namespace, err: o.Err}
	if v.err != nil {
		return v
	}
	version, err := a.kinds.version(ctx, v.gvk)
	if err != nil {
		_, v.unknown = errors.AsType[errUnknownKind](err)
		v.err = err
		return v
	}
	out, err := a.request(ctx, v, version)
	if err != nil || out == nil {
		v.err = a.webhook.hint(err)
		return v
	}
	v.stored, v.err = a.store(ctx, v, version, out)
	return v
}

// request sends the document as a request to the version. It returns the
// admitted object as JSON, nil if it is refused.
func (a *admitter) request(ctx context.Context, v *verdict, version *crdkit.Version) ([]byte, error) {
	opts := []crdkit.JSONOption{a.fields, crdkit.ReportChanges()}
	if v.doc.YAML {
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
		out, v.result, err = version.UpdateStatusJSON(ctx, v.doc.Text, old, opts...)
	case old != nil:
		out, v.result, err = version.UpdateJSON(ctx, v.doc.Text, old, opts...)
	default:
		out, v.result, err = version.CreateJSON(ctx, v.doc.Text, opts...)
	}
	return out, err
}

// store returns the object that the server stores for an admitted object. If only a
// webhook could convert it to the storage version, the object stays at the version of
// the request, and a note says so.
func (a *admitter) store(ctx context.Context, v *verdict, version *crdkit.Version, out []byte) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(out, &obj.Object); err != nil {
		return nil, err
	}
	stored, err := version.Store(ctx, obj)
	if a.webhook.url == "" && withoutWebhook(err) {
		v.notes = append(v.notes, fmt.Sprintf("the object is shown at %s: a webhook converts it to the storage version %s, and crdkit calls it only with --webhook",
			version.Name(), version.Definition().Storage().Name()))
		return obj, nil
	}
	return stored, err
}
