package crdkit

import (
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// A Version is one version of a definition with everything that a request to
// it needs, compiled. It never changes and is safe for concurrent use.
type Version struct {
	def  *Definition
	name string
	// groupVersion is the apiVersion of the objects.
	groupVersion string

	served, storage bool
	status          bool // has the status subresource
	scale           *scale
	warning         string // on every request, "" if the version is not deprecated

	node    *schema.Node // nil if the version has no schema
	engines *engines
	rules   *cel.Program // nil if there are no rules

	requests sync.Pool // of *request, for requests to come

	// onepass returns the plan of the quick way from bytes to bytes, nil if
	// there is none. It is made when it is first asked for.
	onepass func() *fastpath.Plan
	// statusPlan is the plan for objects that bring a new status.
	statusPlan func() *fastpath.Plan
}

func newVersion(d *Definition, crd *apiextensionsv1.CustomResourceDefinition, i int, cfg config) (*Version, field.ErrorList) {
	declared := &crd.Spec.Versions[i]
	v := &Version{
		def:  d,
		name: declared.Name,

		groupVersion: d.group + "/" + declared.Name,

		served:  declared.Served,
		storage: declared.Storage,
		warning: d.deprecation(crd, declared),
	}
	if s := declared.Subresources; s != nil {
		v.status = s.Status != nil
		v.scale = newScale(s.Scale)
	}
	if crdversion.Schema(declared) == nil {
		v.engines = newEngines(nil, cfg)
		v.planQuickly(cfg.minor())
		return v, nil
	}
	if twin := d.twin(crd, i, cfg); twin != nil {
		v.node, v.engines, v.rules = twin.node, twin.engines, twin.rules
		v.planQuickly(cfg.minor())
		return v, nil
	}
	node, errs := crdversion.Compile(crd, i)
	if len(errs) > 0 {
		return nil, errs
	}
	v.node = node
	if node.Facts().Has(schema.HasRules) {
		if v.rules, errs = cel.Compile(node, cel.AtPath(crdversion.SchemaPath(i)), cel.KubernetesVersion(cfg.version)); len(errs) > 0 {
			return nil, errs
		}
	}
	v.engines = newEngines(node, cfg)
	v.planQuickly(cfg.minor())
	return v, nil
}

// twin returns an earlier version with the same schema, nil if there is none.
func (d *Definition) twin(crd *apiextensionsv1.CustomResourceDefinition, i int, cfg config) *Version {
	if cfg.plain {
		return nil
	}
	declared := crd.Spec.Versions
	for j := range declared[:i] {
		earlier := d.byName[declared[j].Name]
		if earlier != nil && declared[j].Schema != nil && crdversion.SameSchema(declared[i].Schema.OpenAPIV3Schema, declared[j].Schema.OpenAPIV3Schema) {
			return earlier
		}
	}
	return nil
}

// planQuickly prepares for the quick ways, with the formats of a minor version of
// Kubernetes.
func (v *Version) planQuickly(minor int) {
	v.onepass = sync.OnceValue(func() *fastpath.Plan {
		return fastpath.Compile(v.node, fastpath.Config{APIVersion: v.apiVersion(), Kind: v.def.kind, DropStatus: v.status, Replicas: v.scale.replicas(), Reads: v.rules.Reads, Minor: minor})
	})
	v.statusPlan = sync.OnceValue(func() *fastpath.Plan {
		return fastpath.Compile(v.node, fastpath.Config{APIVersion: v.apiVersion(), Kind: v.def.kind, OnlyStatus: true, Minor: minor})
	})
}

// Name returns the name of the version, such as v1beta1.
func (v *Version) Name() string { return v.name }

// Definition returns the definition that v is a version of.
func (v *Version) Definition() *Definition { return v.def }

// Served reports whether clients may use the version.
func (v *Version) Served() bool { return v.served }

// IsStorage reports whether objects are stored at the version.
func (v *Version) IsStorage() bool { return v.storage }

// HasStatus reports whether the version has the status subresource.
func (v *Version) HasStatus() bool { return v.status }

// Warning returns what the server warns of on every request to the version:
// that it is deprecated. It is "" for a version that is not.
func (v *Version) Warning() string { return v.warning }

// Schema returns the compiled schema, nil if the version has none.
func (v *Version) Schema() *schema.Node { return v.node }

// GroupVersionKind returns the group, version and kind of the objects.
func (v *Version) GroupVersionKind() runtimeschema.GroupVersionKind {
	return runtimeschema.GroupVersionKind{Group: v.def.group, Version: v.name, Kind: v.def.kind}
}

func (v *Version) apiVersion() string { return v.groupVersion }
