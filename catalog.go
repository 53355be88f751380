package crdkit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// A Catalog holds many definitions, as a server does. It compiles each version separately,
// at its first use, and keeps equal schemas, and equal parts of schemas, once.
//
// The zero Catalog is empty and has no options.
//
// A Catalog is safe for concurrent use. Definitions can be replaced and removed while
// requests run. A running request uses the definition with which it began.
type Catalog struct {
	cfg   config
	wrong error // the error of an invalid option

	mu     sync.RWMutex
	byName map[string]*Definition
	byKind map[runtimeschema.GroupKind]*Definition
	shared *sharing
	gone   int // removed definitions whose schemas are still in shared
}

// NewCatalog returns an empty Catalog. The options apply to every definition.
// If an option is invalid, [Catalog.Add] returns an error.
func NewCatalog(opts ...Option) *Catalog {
	c := &Catalog{}
	c.cfg, c.wrong = newConfig(opts)
	return c
}

// initialize makes the zero Catalog usable. The caller holds the lock.
func (c *Catalog) initialize() {
	if c.byName == nil {
		c.byName, c.byKind, c.shared = map[string]*Definition{}, map[runtimeschema.GroupKind]*Definition{}, newSharing()
	}
}

// Add adds a definition, or replaces the one with the same name. The catalog keeps crd until all
// its versions are compiled. The caller must not change crd any more.
//
// Add returns an error, and changes nothing, if another definition of the group uses one of its
// names. Add also returns the errors of [Compile], except errors about a schema: [Catalog.Version]
// returns them.
func (c *Catalog) Add(crd *apiextensionsv1.CustomResourceDefinition) error {
	switch {
	case c.wrong != nil:
		return c.wrong
	case crd == nil:
		return errors.New("crdkit: the definition is nil")
	case crd.Name == "":
		return errors.New("crdkit: the definition has no name")
	}
	d, err := newDefinition(crd, c.cfg)
	if err != nil {
		return err
	}
	if err := d.setConverter(crd, c.cfg); err != nil {
		return err
	}
	d.names = claimOf(crd)
	d.deferVersions(crd, c)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.initialize()
	for _, name := range slices.Sorted(maps.Keys(c.byName)) {
		if other := c.byName[name]; name != d.name && other.group == d.group {
			if err := conflict(d, other); err != nil {
				return err
			}
		}
	}
	c.remove(d.name)
	c.byName[d.name] = d
	c.byKind[d.GroupKind()] = d
	return nil
}

// Remove removes the definition with this name, and reports whether there was one. It closes the
// idle connections to its webhook. It does not close the definition, because running requests may
// use it.
func (c *Catalog) Remove(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remove(name)
}

// remove is Remove for a caller that holds the lock. It drops the shared schemas when most of
// them are unused.
func (c *Catalog) remove(name string) bool {
	d, ok := c.byName[name]
	if !ok {
		return false
	}
	delete(c.byName, name)
	delete(c.byKind, d.GroupKind())
	d.closeIdle()
	if c.gone++; c.gone > len(c.byName) {
		c.shared, c.gone = newSharing(), 0
	}
	return true
}

// Definition returns the definition with this name, and reports whether there
// is one. A request to one of its versions compiles that version, and returns
// the error of [Catalog.Version] if that fails.
func (c *Catalog) Definition(name string) (*Definition, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	d, ok := c.byName[name]
	return d, ok
}

// Definitions returns all definitions in increasing order of name. The list belongs to the caller.
func (c *Catalog) Definitions() []*Definition {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.SortedFunc(maps.Values(c.byName), func(a, b *Definition) int { return cmp.Compare(a.name, b.name) })
}

// Version returns the served version of a kind, compiled. It returns an error if no definition
// serves the kind. If the version does not compile, it returns the errors of [Compile] about that
// version. The first call compiles; later calls return the same result.
func (c *Catalog) Version(gvk runtimeschema.GroupVersionKind) (*Version, error) {
	c.mu.RLock()
	d, ok := c.byKind[gvk.GroupKind()]
	c.mu.RUnlock()
	if !ok {
		return nil, noMatch(gvk, "the catalog has no definition of it")
	}
	v, err := d.servedVersion(gvk)
	if err != nil {
		return nil, err
	}
	if err := v.ready(); err != nil {
		return nil, err
	}
	return v, nil
}

// VersionFor is [Catalog.Version] for the kind of an object. It returns an error if obj is nil.
func (c *Catalog) VersionFor(obj *unstructured.Unstructured) (*Version, error) {
	gvk, err := kindOf(obj)
	if err != nil {
		return nil, err
	}
	return c.Version(gvk)
}

// VersionForResource is [Catalog.Version] for the resource in the path of a request, such as
// crontabs of stable.example.com/v1.
func (c *Catalog) VersionForResource(gvr runtimeschema.GroupVersionResource) (*Version, error) {
	d, ok := c.Definition(gvr.Resource + "." + gvr.Group)
	if !ok {
		return nil, fmt.Errorf("crdkit: no matches for resource %q in version %q: the catalog has no definition of it", gvr.Resource, gvr.GroupVersion())
	}
	return c.Version(d.GroupKind().WithVersion(gvr.Version))
}

// VersionForJSON is [Catalog.Version] for the kind of an object in JSON. It returns an error
// if raw is not a JSON object. Only apiVersion and kind are read.
func (c *Catalog) VersionForJSON(raw []byte) (*Version, error) {
	gvk, err := json.DefaultMetaFactory.Interpret(raw)
	if err != nil {
		return nil, fmt.Errorf("crdkit: %w", err)
	}
	return c.Version(*gvk)
}

func conflict(d, other *Definition) error {
	what, name := d.names.Conflict(&other.names)
	if what == "" {
		return nil
	}
	return fmt.Errorf("crdkit: definition %s: the %s %q is already in use by definition %s", d.name, what, name, other.name)
}

func claimOf(crd *apiextensionsv1.CustomResourceDefinition) crdversion.Claim {
	names := crd.Spec.Names
	crdversion.SetDefaultNames(&names)
	return crdversion.ClaimOf(&names)
}

// A lazyVersion compiles a version of a catalog when it is first used, and keeps the error.
type lazyVersion struct {
	once   sync.Once
	err    atomic.Pointer[error]         // nil before the version is compiled
	source atomic.Pointer[versionSource] // nil once the version is compiled
}

var errNotCompiled = errors.New("crdkit: the version was not compiled")

type versionSource struct {
	crd     *apiextensionsv1.CustomResourceDefinition
	index   int
	compile func(*Version, *versionSource) field.ErrorList
}

// deferVersions makes every version of a definition compile at its first use.
func (d *Definition) deferVersions(crd *apiextensionsv1.CustomResourceDefinition, c *Catalog) {
	for i := range crd.Spec.Versions {
		v := d.byName[crd.Spec.Versions[i].Name]
		v.lazy = &lazyVersion{}
		v.lazy.source.Store(&versionSource{crd, i, c.compile})
	}
}

// ready compiles a version of a catalog, once, and returns its error. It is called before a
// field of [compiled] is read.
func (v *Version) ready() error {
	l := v.lazy
	if l == nil {
		return nil
	}
	l.once.Do(func() {
		l.err.Store(&errNotCompiled) // in case compiling panics
		s := l.source.Load()
		err := v.def.wrong(s.compile(v, s), 0)
		l.err.Store(&err)
		l.source.Store(nil)
	})
	return *l.err.Load()
}

// readyForObject compiles the object's version, which may differ from the request's version.
func (r *request) readyForObject() error {
	if r.version.lazy == nil || r.obj == nil {
		return nil
	}
	if v, ok := r.version.def.byName[r.obj.GroupVersionKind().Version]; ok {
		return v.ready()
	}
	return nil
}

// sharing holds the compiled schemas that the definitions of a catalog share.
type sharing struct {
	mu      sync.Mutex // guards the fields below, and the compiling of schemas
	schemas schemaopt.Shared
	trees   map[*schema.Node]*tree // by root
}

type tree struct {
	engines *engines
	rules   *cel.Program
}

func newSharing() *sharing {
	return &sharing{trees: map[*schema.Node]*tree{}}
}

// compile compiles a version. Versions with equal schemas share the result.
func (c *Catalog) compile(v *Version, s *versionSource) field.ErrorList {
	c.mu.RLock()
	shared := c.shared
	c.mu.RUnlock()
	if c.cfg.reference {
		return v.compile(s.crd, s.index, c.cfg, nil, nil)
	}
	node, t, errs := shared.find(s)
	if t == nil && len(errs) == 0 {
		t, errs = shared.add(node, s.index, c.cfg)
	}
	if len(errs) > 0 {
		return errs
	}
	v.set(node, t.engines, t.rules, c.cfg)
	return nil
}

// find compiles a schema. It also returns the tree of an equal schema, if there is one.
func (s *sharing) find(source *versionSource) (*schema.Node, *tree, field.ErrorList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	node, errs := crdversion.Compile(source.crd, source.index, &s.schemas)
	return node, s.trees[node], errs
}

// add makes the tree for the schema of version i, or returns the tree that another goroutine made.
func (s *sharing) add(node *schema.Node, i int, cfg config) (*tree, field.ErrorList) {
	rules, engines, errs := compileEngines(node, i, cfg, nil)
	if len(errs) > 0 {
		return nil, errs
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trees[node] == nil {
		s.trees[node] = &tree{engines, rules}
	}
	return s.trees[node], nil
}
