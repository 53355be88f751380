package crdkit

import (
	"sync"
	"sync/atomic"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/heapsize"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testopt"
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
	warning         string // on every request; "" if the version is not deprecated

	requests sync.Pool // of *request, for reuse

	compiled
	lazy *lazyVersion // nil unless the version belongs to a catalog
}

// compiled holds the parts that compilation fills in. Before a field of a
// version in a catalog is read, the version must be ready; see [Version.ready].
type compiled struct {
	node    *schema.Node // nil if the version has no schema
	engines *engines
	rules   *cel.Program // nil if there are no rules

	minor  int // of the Kubernetes version whose formats apply, 0 for the default
	making sync.Mutex
	plans  [2]atomic.Pointer[plan] // for whole objects, and for a new status
	gate   heapsize.Gate           // closed until the fields above are written
}

// A plan is the plan of a walk. Its Plan is nil if the fast path declines all
// objects.
type plan struct{ *fastpath.Plan }

// newVersion returns a version of a definition. It does not compile it. best is
// what [bestVersion] returns for the definition.
func newVersion(d *Definition, declared, best *apiextensionsv1.CustomResourceDefinitionVersion) *Version {
	v := &Version{
		def:          d,
		name:         declared.Name,
		groupVersion: d.group + "/" + declared.Name,
		served:       declared.Served,
		storage:      declared.Storage,
		warning:      d.deprecation(declared, best),
	}
	if s := declared.Subresources; s != nil {
		v.status = s.Status != nil
		v.scale = newScale(s.Scale)
	}
	return v
}

// compile compiles the schema of version i. If equal is not nil, it has the
// same schema, and v takes its compiled parts instead.
func (v *Version) compile(crd *apiextensionsv1.CustomResourceDefinition, i int, cfg config, equal *Version, watch *interrupt.Watch) field.ErrorList {
	v.minor = cfg.minor()
	if equal != nil {
		v.node, v.engines, v.rules = equal.node, equal.engines, equal.rules
		return nil
	}
	node, errs := crdversion.Compile(crd, i, watch, cfg.limit)
	if len(errs) > 0 {
		return errs
	}
	v.node = node
	v.rules, v.engines, errs = compileEngines(node, i, cfg, watch)
	return errs
}

// compileEngines compiles the rules and makes the engines for the schema of
// version i. node is nil if the version has no schema.
func compileEngines(node *schema.Node, i int, cfg config, watch *interrupt.Watch) (rules *cel.Program, _ *engines, errs field.ErrorList) {
	if node != nil && node.Facts().Has(schema.HasRules) {
		opts := append(optionIf[cel.Option](cfg.reference, testopt.Reference{}), cel.AtPath(crdversion.SchemaPath(i)), cel.KubernetesVersion(cfg.version), watch, cfg.limit)
		if rules, errs = cel.Compile(node, opts...); len(errs) > 0 {
			return nil, nil, errs
		}
	}
	return rules, newEngines(node, cfg), nil
}

// objectPlan returns the plan of the walk over whole objects, nil if there is
// none. The first call makes the plan.
func (v *Version) objectPlan() *fastpath.Plan {
	if p := v.plans[0].Load(); p != nil {
		return p.Plan
	}
	return initializeOnce(&v.making, &v.plans[0], func() *plan {
		return &plan{fastpath.Compile(v.node, fastpath.Config{APIVersion: v.apiVersion(), Kind: v.def.kind, DropStatus: v.status, Scale: v.scale.fields(), Reads: v.rules.Reads, Minor: v.minor})}
	}).Plan
}

// statusPlan returns the plan of the walk over objects with a new status, nil
// if there is none. The first call makes the plan.
func (v *Version) statusPlan() *fastpath.Plan {
	if p := v.plans[1].Load(); p != nil {
		return p.Plan
	}
	return initializeOnce(&v.making, &v.plans[1], func() *plan {
		return &plan{fastpath.Compile(v.node, fastpath.Config{APIVersion: v.apiVersion(), Kind: v.def.kind, OnlyStatus: true, Minor: v.minor})}
	}).Plan
}

// Name returns the name of the version, such as v1beta1.
func (v *Version) Name() string { return v.name }

// Definition returns the definition to which v belongs.
func (v *Version) Definition() *Definition { return v.def }

// Served reports whether clients may use the version.
func (v *Version) Served() bool { return v.served }

// IsStorage reports whether objects are stored at the version.
func (v *Version) IsStorage() bool { return v.storage }

// HasStatus reports whether the version has the status subresource.
func (v *Version) HasStatus() bool { return v.status }

// Warning returns the deprecation warning that the server adds to every
// response of the version. It is "" if the version is not deprecated.
func (v *Version) Warning() string { return v.warning }

// Schema returns the compiled schema. It returns nil if the version has none,
// and if the version belongs to a [Catalog] and does not compile.
func (v *Version) Schema() *schema.Node {
	if v.ready() != nil {
		return nil
	}
	return v.node
}

// GroupVersionKind returns the group, version and kind of the objects.
func (v *Version) GroupVersionKind() runtimeschema.GroupVersionKind {
	return runtimeschema.GroupVersionKind{Group: v.def.group, Version: v.name, Kind: v.def.kind}
}

func (v *Version) apiVersion() string { return v.groupVersion }
