package apply

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
)

// The types of this file are what a field manager needs of a server.

// A convertor converts objects for a field manager.
type convertor struct {
	ctx        context.Context
	definition *crdkit.Definition
	// copies: objects that need no conversion are copied, because the field manager sets
	// defaults in a merged object.
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

// ConvertFieldLabel is not called by field managers.
func (c *convertor) ConvertFieldLabel(_ schema.GroupVersionKind, label, _ string) (string, string, error) {
	return "", "", fmt.Errorf("field label not supported: %s", label)
}

// A defaulter sets the defaults of the version of an object.
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
