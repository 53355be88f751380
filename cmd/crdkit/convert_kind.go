package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
)

// A kindConverter converts the objects of one definition.
type kindConverter struct {
	crd       *apiextensionsv1.CustomResourceDefinition
	target    *crdkit.Version // at which objects are wanted
	converter conversion.Converter
	err       error // that prevents all conversions
	load      sync.Once
}

// kindConverters are converters by definition. They may be asked for by several goroutines.
type kindConverters struct {
	mu     sync.Mutex
	byKind map[*knownDefinition]*kindConverter
}

func (c *kindConverters) of(k *knownDefinition) *kindConverter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKind == nil {
		c.byKind = map[*knownDefinition]*kindConverter{}
	}
	to := c.byKind[k]
	if to == nil {
		to = &kindConverter{}
		c.byKind[k] = to
	}
	return to
}

// kindTo returns what converts the objects of a definition.
func (c *converter) kindTo(ctx context.Context, k *knownDefinition) *kindConverter {
	to := c.kindsTo.of(k)
	to.load.Do(func() { to.err = to.prepare(ctx, c, k) })
	return to
}

func (to *kindConverter) prepare(ctx context.Context, c *converter, k *knownDefinition) error {
	if err := c.kinds.ensure(ctx, k); err != nil {
		return err
	}
	to.crd = k.crd
	compiled, _ := c.kinds.catalog.Definition(k.crd.Name)
	var ok bool
	if to.target, ok = compiled.Version(c.to); !ok {
		return fmt.Errorf("invalid --to %q; %s has %s", c.to, k.crd.Name, strings.Join(versionNames(compiled), ", "))
	}
	if to.target.Served() {
		if _, err := c.kinds.catalog.Version(to.target.GroupVersionKind()); err != nil {
			return &definitionError{k.object.Location(), k.crd, err}
		}
	} else if c.served {
		return fmt.Errorf("invalid --to %q with --served; %s does not serve this version", c.to, k.crd.Name)
	}
	var err error
	if to.converter, err = conversion.New(k.crd); c.webhook.needs(err) {
		to.converter, err = uncalledWebhook{conversion.None(k.crd)}, nil
	}
	return err
}

func versionNames(d *crdkit.Definition) []string {
	var names []string
	for _, v := range d.Versions() {
		names = append(names, v.Name())
	}
	return names
}

// An uncalledWebhook stands for a webhook that may not be called. The server does not call
// the webhook for objects that are at the wanted version.
type uncalledWebhook struct{ none conversion.Converter }

// Convert implements [conversion.Converter].
func (u uncalledWebhook) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	converted, err := u.none.Convert(ctx, objs, to)
	if err != nil {
		return nil, err
	}
	for _, obj := range objs {
		if obj.GroupVersionKind().Version != to {
			return nil, errNeedsWebhook
		}
	}
	return converted, nil
}

func (c *converter) convert(ctx context.Context, obj *unstructured.Unstructured, to *kindConverter) (map[string]any, error) {
	if obj.GetKind() == listKindOf(to.crd) && obj.IsList() {
		return c.convertList(ctx, obj, to)
	}
	if c.served {
		out, _, err := to.target.Read(ctx, obj)
		if err != nil {
			return nil, err
		}
		return out.Object, nil
	}
	out, err := to.converter.Convert(ctx, []*unstructured.Unstructured{obj}, c.to)
	if err != nil {
		return nil, err
	}
	return out[0].Object, nil
}

func (c *converter) convertList(ctx context.Context, obj *unstructured.Unstructured, to *kindConverter) (map[string]any, error) {
	list, err := obj.ToList()
	if err != nil {
		return nil, err
	}
	if !c.served {
		out, err := conversion.ConvertList(ctx, to.converter, list, c.to)
		if err != nil {
			return nil, err
		}
		return out.UnstructuredContent(), nil
	}
	for i := range list.Items {
		out, _, err := to.target.Read(ctx, &list.Items[i])
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		list.Items[i] = *out
	}
	list.SetAPIVersion(to.crd.Spec.Group + "/" + c.to)
	return list.UnstructuredContent(), nil
}
