package apply

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// This file implements the interfaces that a field manager needs.

type convertor struct {
	ctx        context.Context
	definition *crdkit.Definition
	// copies is true if ConvertToVersion must copy an object that needs no conversion: the field
	// manager sets defaults in the result.
	copies bool
}

func (c *convertor) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	from := in.GetObjectKind().GroupVersionKind()
	to, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{from})
	if !ok {
		return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", from.String(), target)
	}
	if s, ok := in.(*autoscalingv1.Scale); ok {
		return s, nil
	}
	for _, gv := range []schema.GroupVersion{to.GroupVersion(), from.GroupVersion()} {
		if _, ok := c.definition.Version(gv.Version); !ok || gv.Group != c.definition.GroupKind().Group {
			word := map[bool]string{true: "to", false: "from"}[gv == to.GroupVersion()]
			return nil, fmt.Errorf("request to convert CR %s an invalid group/version: %s", word, gv)
		}
	}
	if from == to && !c.copies {
		return in, nil
	}
	if from == to {
		return in.DeepCopyObject(), nil
	}
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("input type %T in not valid for unstructured conversion", in)
	}
	out, err := c.definition.Convert(c.ctx, []*unstructured.Unstructured{u.DeepCopy()}, to.Version)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Convert is not called by field managers.
func (c *convertor) Convert(in, out, _ any) error {
	return fmt.Errorf("a %T is not converted to a %T", in, out)
}

func (c *convertor) ConvertFieldLabel(_ schema.GroupVersionKind, label, _ string) (string, string, error) {
	return "", "", fmt.Errorf("field label not supported: %s", label)
}

// A defaulter sets defaults in an object, by the schema of its version.
type defaulter struct{ *Applier }

func (d defaulter) Default(in runtime.Object) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok || u.GroupVersionKind().GroupKind() != d.version.Definition().GroupKind() {
		return
	}
	if k := d.types.kinds[u.GroupVersionKind()]; k != nil {
		k.defaults().Default(u.Object)
	}
}

type creator struct{}

func (creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// checkGoTypes returns an error for a value of a Go type that decoded JSON does not have, and for
// nesting that is too deep to copy. Nil objects are allowed.
func checkGoTypes(objs ...*unstructured.Unstructured) error {
	for _, obj := range objs {
		if obj == nil || jsonval.IsDecoded(obj.Object) {
			continue
		}
		if jsonval.TooDeep(obj.Object) {
			return fmt.Errorf("apply: the object: %w", jsonval.ErrDepth)
		}
		path, value, _ := jsonval.Foreign(obj.Object)
		return fmt.Errorf("apply: %s is of the Go type %T; %s", path, value, jsonval.GoTypes)
	}
	return nil
}

// ApplyJSON is [Applier.Apply] for a live object in JSON. live is nil if the object does not exist.
// The field Live of the request is not used. ApplyJSON returns the object to store as the server
// encodes it, or no bytes if the server refuses the request. The Object of the result is nil.
// ApplyJSON does not change or keep live.
func (a *Applier) ApplyJSON(ctx context.Context, live []byte, r Request, opts ...crdkit.RequestOption) ([]byte, *Result, error) {
	r.Live = nil
	if live != nil {
		var err error
		if r.Live, err = decodeLive(live); err != nil {
			return nil, nil, err
		}
	}
	res, err := a.Apply(ctx, r, opts...)
	if err != nil || res.Object == nil {
		return nil, res, err
	}
	object := res.Object.Object
	res.Object = nil
	out, err := jsonscan.Encode(make([]byte, 0, len(live)+len(r.Body)), object)
	if err != nil {
		return nil, nil, err
	}
	return out, res, nil
}

func decodeLive(text []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if v, ok := jsonscan.Decode(string(text)); ok {
		if u.Object, ok = v.(map[string]any); ok && u.GetKind() != "" {
			return u, nil
		}
	}
	if err := u.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("apply: reading the live object: %w", err)
	}
	return u, nil
}
