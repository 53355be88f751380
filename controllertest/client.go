package controllertest

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// newClient returns a client that sends requests for the kinds of definitions to the server. All
// other requests go to a fake client with the other objects.
func (e *Environment) newClient(others []client.Object) (client.WithWatch, error) {
	real, err := client.NewWithWatch(e.Config(), client.Options{Scheme: e.cfg.scheme, Mapper: e.mapper})
	if err != nil {
		return nil, err
	}
	builder := fake.NewClientBuilder().WithScheme(e.cfg.scheme).WithRESTMapper(e.mapper).WithObjects(others...)
	if e.cfg.fake != nil {
		builder = e.cfg.fake(builder)
	}
	r := &router{environment: e, real: real}
	if err := r.addIndexes(e.cfg.indexes); err != nil {
		return nil, err
	}
	return interceptor.NewClient(builder.Build(), r.funcs()), nil
}

// A router sends each request to the client of its kind.
type router struct {
	environment *Environment
	real        client.WithWatch
	indexes     map[runtimeschema.GroupKind]map[string]client.IndexerFunc
}

// pick returns the client for a kind: the real one if it has a definition, else the fake one. If
// unknown kinds are refused, it returns an error instead of the fake one.
func pick[C client.Client](r *router, obj runtime.Object, real, fake C) (C, error) {
	gvk, err := apiutil.GVKForObject(obj, r.environment.cfg.scheme)
	if err != nil {
		return fake, err
	}
	return pickKind(r, gvk, real, fake)
}

func pickKind[C client.Client](r *router, gvk runtimeschema.GroupVersionKind, real, fake C) (C, error) {
	switch {
	case r.environment.defined(gvk):
		return real, nil
	case r.environment.cfg.refuseUnknown:
		return fake, unknownKind(gvk)
	default:
		return fake, nil
	}
}

func (r *router) funcs() interceptor.Funcs {
	f := interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			c, err := pick(r, obj, r.real, c)
			if err != nil {
				return err
			}
			return c.Get(ctx, key, obj, opts...)
		},
		List: r.list,
		Watch: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
			c, err := pick(r, list, r.real, c)
			if err != nil {
				return nil, err
			}
			return c.Watch(ctx, list, opts...)
		},
	}
	r.addWrites(&f)
	r.addSubresources(&f)
	return f
}

func (r *router) addWrites(f *interceptor.Funcs) {
	f.Create = func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
		c, err := pick(r, obj, r.real, c)
		if err != nil {
			return err
		}
		return c.Create(ctx, obj, opts...)
	}
	f.Update = func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
		c, err := pick(r, obj, r.real, c)
		if err != nil {
			return err
		}
		return c.Update(ctx, obj, opts...)
	}
	f.Patch = func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
		c, err := pick(r, obj, r.real, c)
		if err != nil {
			return err
		}
		return c.Patch(ctx, obj, patch, opts...)
	}
	f.Delete = func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
		c, err := pick(r, obj, r.real, c)
		if err != nil {
			return err
		}
		return c.Delete(ctx, obj, opts...)
	}
	f.DeleteAllOf = func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteAllOfOption) error {
		c, err := pick(r, obj, r.real, c)
		if err != nil {
			return err
		}
		return c.DeleteAllOf(ctx, obj, opts...)
	}
	f.Apply = func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
		gvk, err := kindOfConfiguration(obj)
		if err != nil {
			return err
		}
		if c, err = pickKind(r, gvk, r.real, c); err != nil {
			return err
		}
		return c.Apply(ctx, obj, opts...)
	}
}

func (r *router) addSubresources(f *interceptor.Funcs) {
	f.SubResourceGet = func(ctx context.Context, c client.Client, name string, obj, sub client.Object, opts ...client.SubResourceGetOption) error {
		c, err := pick(r, obj, client.Client(r.real), c)
		if err != nil {
			return err
		}
		return c.SubResource(name).Get(ctx, obj, sub, opts...)
	}
	f.SubResourceCreate = func(ctx context.Context, c client.Client, name string, obj, sub client.Object, opts ...client.SubResourceCreateOption) error {
		c, err := pick(r, obj, client.Client(r.real), c)
		if err != nil {
			return err
		}
		return c.SubResource(name).Create(ctx, obj, sub, opts...)
	}
	f.SubResourceUpdate = func(ctx context.Context, c client.Client, name string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
		c, err := pick(r, obj, client.Client(r.real), c)
		if err != nil {
			return err
		}
		return c.SubResource(name).Update(ctx, obj, opts...)
	}
	f.SubResourcePatch = func(ctx context.Context, c client.Client, name string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
		c, err := pick(r, obj, client.Client(r.real), c)
		if err != nil {
			return err
		}
		return c.SubResource(name).Patch(ctx, obj, patch, opts...)
	}
	f.SubResourceApply = func(ctx context.Context, c client.Client, name string, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
		gvk, err := kindOfConfiguration(obj)
		if err != nil {
			return err
		}
		if c, err = pickKind(r, gvk, client.Client(r.real), c); err != nil {
			return err
		}
		return c.SubResource(name).Apply(ctx, obj, opts...)
	}
}

// kindOfConfiguration returns the kind of an apply configuration. The Go type has no methods for
// that, so the configuration is encoded.
func kindOfConfiguration(obj runtime.ApplyConfiguration) (runtimeschema.GroupVersionKind, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return runtimeschema.GroupVersionKind{}, err
	}
	u := unstructured.Unstructured{Object: content}
	return u.GroupVersionKind(), nil
}

// addIndexes stores indexes by kind.
func (r *router) addIndexes(indexes []index) error {
	r.indexes = map[runtimeschema.GroupKind]map[string]client.IndexerFunc{}
	for _, i := range indexes {
		gvk, err := r.environment.kindOf(i.obj)
		if err != nil {
			return err
		}
		if r.indexes[gvk.GroupKind()] == nil {
			r.indexes[gvk.GroupKind()] = map[string]client.IndexerFunc{}
		}
		r.indexes[gvk.GroupKind()][i.field] = i.extract
	}
	return nil
}

// list lists objects. If the field selector names indexed fields, it asks the indexes.
func (r *router) list(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
	c, err := pick(r, list, r.real, c)
	if err != nil {
		return err
	}
	options := client.ListOptions{}
	options.ApplyOptions(opts)
	indexes := r.indexesFor(list, &options)
	if indexes == nil {
		return c.List(ctx, list, opts...)
	}
	selector := options.FieldSelector
	options.FieldSelector = nil
	if err := c.List(ctx, list, &options); err != nil {
		return err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	return meta.SetList(list, filter(items, indexes, selector))
}
