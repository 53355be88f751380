package crdkit

import (
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// A Version is one compiled version of a definition. It never changes and is safe for concurrent
// use.
type Version struct {
	def  *Definition
	name string
	// groupVersion is the apiVersion of the objects.
	groupVersion string

	served, storage bool
	status          bool // has the status subresource
	scale           *scale
	warning         string // in every response; "" if the version is not deprecated

	compiled
	lazy *lazyVersion // nil unless the version belongs to a catalog
}

// compiled holds what compilation sets. Call [Version.ready] before reading a field: a catalog
// compiles a version when it is first used.
type compiled struct {
	node    *schema.Node // nil if the version has no schema
	engines *engines
	rules   *cel.Program // nil if there are no rules

	minor int // minor version of Kubernetes to emulate; 0 for the default
	// plan returns the plan of the fast path, or nil if it declines all objects. The first call
	// makes the plan.
	plan func() *fastpath.Plan
}

// newVersion returns a version that is not compiled yet. best is what [bestVersion] returns for the
// definition.
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

// compile compiles the schema of version i into v. If equal is not nil, v takes the compiled parts
// of equal, which has the same schema.
func (v *Version) compile(crd *apiextensionsv1.CustomResourceDefinition, i int, cfg config, equal *Version, watch *interrupt.Watch) field.ErrorList {
	if equal != nil {
		v.set(equal.node, equal.engines, equal.rules, cfg)
		return nil
	}
	node, errs := crdversion.Compile(crd, i, cfg.limit)
	if len(errs) > 0 {
		return errs
	}
	rules, engines, errs := compileEngines(node, i, cfg, watch)
	if len(errs) == 0 {
		v.set(node, engines, rules, cfg)
	}
	return errs
}

// compileEngines compiles the rules and makes the engines for the schema of
// version i. node is nil if the version has no schema.
func compileEngines(node *schema.Node, i int, cfg config, watch *interrupt.Watch) (rules *cel.Program, e *engines, errs field.ErrorList) {
	e = newEngines(node, cfg)
	if node != nil && node.Facts().Has(schema.HasRules) {
		opts := []cel.Option{&e.reads, cel.AtPath(crdversion.SchemaPath(i)), cel.KubernetesVersion(cfg.version), watch, cfg.limit}
		if cfg.reference {
			opts = append(opts, testopt.Reference{})
		}
		if rules, errs = cel.Compile(node, opts...); len(errs) > 0 {
			return nil, nil, errs
		}
	}
	return rules, e, nil
}

func (v *Version) set(node *schema.Node, e *engines, rules *cel.Program, cfg config) {
	v.compiled = compiled{node: node, engines: e, rules: rules, minor: cfg.minor(), plan: sync.OnceValue(v.compilePlan)}
}

func (v *Version) compilePlan() *fastpath.Plan {
	cfg := fastpath.Config{
		APIVersion: v.apiVersion(), Kind: v.def.kind, Namespaced: v.def.namespaced, DropStatus: v.status, Minor: v.minor,
	}
	if v.rules != nil {
		cfg.Evaluate, cfg.NeedsOld, cfg.Reads = v.rulesHold, v.engines.reads.NeedsOld, v.engines.reads.Reads
	}
	if s := v.scale; s != nil {
		cfg.Replicas = [][]string{s.spec.Steps, s.status.Steps}
		if s.selector != nil {
			cfg.Selector = s.selector.Steps
		}
	}
	return fastpath.Compile(v.node, cfg)
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

// Schema returns the compiled schema. It returns nil if the version has no schema, or if it belongs
// to a [Catalog] and does not compile.
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

// The engines do the work of the pipeline, except for the rules. Each engine is made at its first
// call: the fast path needs none of them. Versions with the same schema share their engines.
type engines struct {
	prune       func() *pruning.Pruner
	setDefaults func() *defaulting.Defaulter
	resources   *objectmeta.Embedded
	validate    func() *validation.Validator
	reads       fieldaccess.Program // what the rules read
}

// newEngines returns engines for a schema. n is nil if the version has no schema.
func newEngines(n *schema.Node, cfg config) *engines {
	return &engines{
		prune:       sync.OnceValue(func() *pruning.Pruner { return pruning.New(n) }),
		setDefaults: sync.OnceValue(func() *defaulting.Defaulter { return defaulting.New(n) }),
		resources:   &objectmeta.Embedded{Schema: n},
		validate: sync.OnceValue(func() *validation.Validator {
			return validation.New(n, validation.KubernetesVersion(cfg.version))
		}),
	}
}
