package crdkit

import (
	"sync"
	"sync/atomic"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/testopt"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
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

// objectPlan returns the plan of the fast path, nil if it declines all objects. The first
// call makes the plan.
func (v *Version) objectPlan() *fastpath.Plan {
	return v.plan(0, fastpath.Config{DropStatus: v.status})
}

// statusPlan returns the plan for objects with a new status, nil if the fast path declines
// all of them. The first call makes the plan.
func (v *Version) statusPlan() *fastpath.Plan { return v.plan(1, fastpath.Config{OnlyStatus: true}) }

func (v *Version) plan(i int, cfg fastpath.Config) *fastpath.Plan {
	if p := v.plans[i].Load(); p != nil {
		return p.Plan
	}
	return initializeOnce(&v.making, &v.plans[i], func() *plan {
		cfg.APIVersion, cfg.Kind, cfg.Namespaced, cfg.Minor = v.apiVersion(), v.def.kind, v.def.namespaced, v.minor
		if v.rules != nil {
			cfg.Evaluate, cfg.NeedsOld, cfg.Reads = v.rulesHold, v.rules.NeedsOld(), v.rules.Reads
		}
		if s := v.scale; s != nil {
			cfg.Replicas = [][]string{s.spec.Steps, s.status.Steps}
			if s.selector != nil {
				cfg.Selector = s.selector.Steps
			}
		}
		return &plan{fastpath.Compile(v.node, cfg)}
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

// The engines do the work of the pipeline, except for the rules. Making an engine cannot
// fail, so each one is made at its first use: the fast path needs none of them. Versions with the same schema
// share their engines.
type engines struct {
	node      *schema.Node // nil if there is no schema
	reference bool         // use the reference implementations
	// version is the version of Kubernetes whose formats apply, "" for the
	// default.
	version string

	making    sync.Mutex
	pruner    atomic.Pointer[pruning.Pruner]
	defaulter atomic.Pointer[defaulting.Defaulter]
	embedded  atomic.Pointer[objectmeta.Embedded]
	validator atomic.Pointer[validation.Validator]
}

// newEngines returns engines for a schema. With the reference implementations
// it makes them at once.
func newEngines(n *schema.Node, cfg config) *engines {
	e := &engines{node: n, reference: cfg.reference, version: cfg.version}
	if e.reference {
		e.prune()
		e.setDefaults()
		e.resources()
		e.validate()
	}
	return e
}

func (e *engines) prune() *pruning.Pruner {
	if p := e.pruner.Load(); p != nil {
		return p
	}
	return initializeOnce(&e.making, &e.pruner, func() *pruning.Pruner {
		return pruning.New(e.node, optionIf[pruning.Option](e.reference, testopt.Reference{})...)
	})
}

func (e *engines) setDefaults() *defaulting.Defaulter {
	if d := e.defaulter.Load(); d != nil {
		return d
	}
	return initializeOnce(&e.making, &e.defaulter, func() *defaulting.Defaulter {
		return defaulting.New(e.node, optionIf[defaulting.Option](e.reference, testopt.Reference{})...)
	})
}

func (e *engines) resources() *objectmeta.Embedded {
	if r := e.embedded.Load(); r != nil {
		return r
	}
	return initializeOnce(&e.making, &e.embedded, func() *objectmeta.Embedded {
		return objectmeta.NewEmbedded(e.node, optionIf(e.reference, objectmeta.Reference())...)
	})
}

func (e *engines) validate() *validation.Validator {
	if v := e.validator.Load(); v != nil {
		return v
	}
	return initializeOnce(&e.making, &e.validator, func() *validation.Validator {
		opts := optionIf[validation.Option](e.reference, testopt.Reference{})
		return validation.New(e.node, append(opts, validation.KubernetesVersion(e.version))...)
	})
}

// initializeOnce initializes *at under making, unless that is done, and returns
// its value.
func initializeOnce[T any](making *sync.Mutex, at *atomic.Pointer[T], make func() *T) *T {
	making.Lock()
	defer making.Unlock()
	if done := at.Load(); done != nil {
		return done
	}
	done := make()
	at.Store(done)
	return done
}

// optionIf returns a list of o, or nil if wanted is false.
func optionIf[O any](wanted bool, o O) []O {
	if !wanted {
		return nil
	}
	return []O{o}
}
