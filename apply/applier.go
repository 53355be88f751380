package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/serving/scale"
)

// An Applier makes requests for field managers at one version of a definition. It is immutable and
// safe for concurrent use.
type Applier struct {
	version  *crdkit.Version
	clock    func() time.Time
	schemas  *Schemas // the cache of types; nil once the Applier is made
	types    *kindTypes
	reset    map[subresource]resetFields
	replicas managedfields.ResourcePathMappings
	scaler   *scale.Scaler // nil if the version has no scale subresource
}

// A subresource is the part of the object that a request writes.
type subresource string

const (
	mainResource   subresource = ""
	statusResource subresource = "status"
	scaleResource  subresource = "scale"
)

type resetFields = map[fieldpath.APIVersion]*fieldpath.Set

// An Option changes an [Applier]. A nil Option changes nothing.
type Option interface{ apply(*Applier) }

type option func(*Applier)

func (f option) apply(a *Applier) { f(a) }

// Clock sets the clock for the times in managedFields. A nil function means the system's clock. A
// request reads the clock once.
func Clock(now func() time.Time) Option {
	return option(func(a *Applier) {
		if now != nil {
			a.clock = now
		}
	})
}

// New returns an Applier for the objects of v. crd is the definition from which v was compiled. New
// does not keep crd. It returns an error if v or crd is nil, if crd is not the definition of v, or
// if crd lacks names that its OpenAPI documents need.
func New(v *crdkit.Version, crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) (*Applier, error) {
	if v == nil {
		return nil, errors.New("apply: the version is nil")
	}
	appliers, err := NewAll(v.Definition(), crd, opts...)
	if err != nil {
		return nil, err
	}
	return appliers[v.Name()], nil
}

// NewAll returns the Appliers of all versions of a definition, by name. The Appliers share typed
// schemas. See [New].
func NewAll(d *crdkit.Definition, crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) (map[string]*Applier, error) {
	if d == nil || crd == nil {
		return nil, errors.New("apply: the definition is nil")
	}
	if want := (schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}); d.GroupKind() != want {
		return nil, fmt.Errorf("apply: the definition of %s was compiled from another one than %s", d.GroupKind(), want)
	}
	options := &Applier{clock: time.Now}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(options)
		}
	}
	if options.schemas == nil {
		options.schemas = &Schemas{}
	}
	types, err := options.schemas.newTypes(d, crd)
	if err != nil {
		return nil, err
	}
	onStatus, replicas := statusReset(crd), replicasPaths(crd)
	out := map[string]*Applier{}
	for i := range crd.Spec.Versions {
		declared := &crd.Spec.Versions[i]
		v, _ := d.Version(declared.Name) // newTypes found it
		a := &Applier{version: v, clock: options.clock, types: types, replicas: replicas}
		a.reset = map[subresource]resetFields{mainResource: mainReset(crd, declared), statusResource: onStatus}
		if s := declared.Subresources; s != nil && s.Scale != nil {
			if a.scaler, err = scale.New(s.Scale); err != nil {
				return nil, err
			}
		}
		out[declared.Name] = a
	}
	return out, nil
}

func mainReset(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion) resetFields {
	if v.Subresources == nil || v.Subresources.Status == nil {
		return resetFields{}
	}
	return resetFields{apiVersion(crd, v.Name): fieldpath.NewSet(fieldpath.MakePathOrDie("status"))}
}

func statusReset(crd *apiextensionsv1.CustomResourceDefinition) resetFields {
	out := resetFields{}
	for _, v := range crd.Spec.Versions {
		if (v.Served || v.Storage) && v.Subresources != nil && v.Subresources.Status != nil {
			out[apiVersion(crd, v.Name)] = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
		}
	}
	return out
}

func apiVersion(crd *apiextensionsv1.CustomResourceDefinition, version string) fieldpath.APIVersion {
	return fieldpath.APIVersion(crd.Spec.Group + "/" + version)
}

// replicasPaths returns the path of the desired replicas for each version, or nil for a version
// without a scale subresource.
func replicasPaths(crd *apiextensionsv1.CustomResourceDefinition) managedfields.ResourcePathMappings {
	out := managedfields.ResourcePathMappings{}
	for _, v := range crd.Spec.Versions {
		var path fieldpath.Path
		if s := v.Subresources; s != nil && s.Scale != nil {
			for _, name := range strings.Split(strings.TrimPrefix(s.Scale.SpecReplicasPath, "."), ".") {
				path = append(path, fieldpath.PathElement{FieldName: &name})
			}
		}
		out[string(apiVersion(crd, v.Name))] = path
	}
	return out
}

// manager returns the field manager for a request. merges is true for an apply.
func (a *Applier) manager(ctx context.Context, s subresource, merges bool) (*managedfields.FieldManager, error) {
	gvk := a.version.GroupVersionKind()
	kind, hub := gvk, gvk.GroupVersion()
	if s == scaleResource {
		kind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	}
	c := &convertor{ctx: ctx, definition: a.version.Definition(), copies: merges}
	f, err := managedfields.NewDefaultCRDFieldManager(a.types, c, defaulter{a}, creator{}, kind, hub, string(s), fieldpath.NewExcludeFilterSetMap(a.reset[s]))
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	return f, nil
}

// newObject returns an empty object, which the field manager takes as the live object of a create.
func (a *Applier) newObject() *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(a.version.GroupVersionKind())
	return u
}

// A Step is the result of applying one configuration in [Applier.Preview].
type Step struct {
	Config *unstructured.Unstructured
	// Live is the object before the step, nil if there is none.
	Live *unstructured.Unstructured
	// Result is the verdict of the server.
	Result *Result
	// Changes are the fields whose values or owners change, sorted by path. Fields below an added
	// or removed field are left out. Changes is empty if the apply is refused, or if Live is nil.
	Changes []FieldChange
	// Dropped are the fields that the manager no longer applies, see [Explanation].
	Dropped []Drop
}

// Action returns created, changed, unchanged, conflict or refused.
func (s Step) Action() string {
	switch {
	case len(s.Result.Conflicts) > 0:
		return "conflict"
	case s.Result.Err() != nil:
		return "refused"
	case s.Result.Created:
		return "created"
	case s.Result.Unchanged:
		return "unchanged"
	}
	return "changed"
}

// Preview applies configurations in the given order, as [Applier.Apply] does. Each configuration is
// applied to the live object with its namespace and name. A later configuration of the same object
// sees the result of the earlier one. Preview changes neither live nor configs. The results are
// what the server would store. A configuration that is not at the Applier's version is refused.
func (a *Applier) Preview(ctx context.Context, live, configs []*unstructured.Unstructured, manager string, force bool, opts ...crdkit.RequestOption) ([]Step, error) {
	type key struct{ namespace, name string }
	objects := map[key]*unstructured.Unstructured{}
	keyOf := func(u *unstructured.Unstructured) key {
		k := key{u.GetNamespace(), u.GetName()}
		if k.namespace == "" && a.version.Definition().Namespaced() {
			k.namespace = "default"
		}
		return k
	}
	for _, u := range live {
		if u == nil || u.Object == nil {
			return nil, errors.New("apply: a live object is nil")
		}
		objects[keyOf(u)] = u
	}
	var out []Step
	for _, config := range configs {
		if config == nil || config.Object == nil {
			return nil, errors.New("apply: a configuration is nil")
		}
		k := keyOf(config)
		s := Step{Config: config, Live: objects[k]}
		var err error
		if s.Result, err = a.Apply(ctx, Request{Live: s.Live, Config: config, Manager: manager, Force: force}, opts...); err != nil {
			return nil, err
		}
		if s.Result.Object != nil {
			if s.Live != nil {
				if s.Changes, err = a.changes(s.Live, s.Result.Object); err != nil {
					return nil, err
				}
				if s.Dropped, err = drops(s.Live, s.Result.Object, manager); err != nil {
					return nil, err
				}
			}
			objects[k] = s.Result.Object
		}
		out = append(out, s)
	}
	return out, nil
}
