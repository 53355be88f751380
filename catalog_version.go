package crdkit

import (
	"maps"
	"sync"
	"sync/atomic"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/heapsize"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// A lazyVersion compiles a version of a catalog when it is first needed, and keeps
// the error.
type lazyVersion struct {
	once   sync.Once
	err    error
	source atomic.Pointer[versionSource] // nil once the version is compiled
}

// A versionSource is what a version is compiled from, and by what.
type versionSource struct {
	crd     *apiextensionsv1.CustomResourceDefinition
	index   int
	compile func(*Version, *versionSource) field.ErrorList
}

// deferVersions leaves the versions of a definition to their first use.
func (d *Definition) deferVersions(crd *apiextensionsv1.CustomResourceDefinition, c *Catalog) {
	for i := range crd.Spec.Versions {
		v := d.byName[crd.Spec.Versions[i].Name]
		v.lazy = &lazyVersion{}
		v.lazy.source.Store(&versionSource{crd, i, c.compile})
		v.gate.Close()
	}
}

// ready compiles a version of a catalog unless that has been done. It returns why
// the version does not compile. Everything that reads a field of [compiled] calls it
// first.
func (v *Version) ready() error {
	l := v.lazy
	if l == nil {
		return nil
	}
	l.once.Do(func() {
		s := l.source.Load()
		l.err = v.def.wrong(s.compile(v, s))
		l.source.Store(nil)
		v.gate.Open()
	})
	return l.err
}

// readyForObject makes the version ready that the object of a request names, which
// need not be the version of the request.
func (r *request) readyForObject() error {
	if r.version.lazy == nil || r.obj == nil {
		return nil
	}
	if v, ok := r.version.def.byName[r.obj.GroupVersionKind().Version]; ok {
		return v.ready()
	}
	return nil
}

// sharing is what the definitions of a catalog have in common.
type sharing struct {
	mu      sync.Mutex // of the fields below, and of compiling schemas
	schemas *schema.Interner
	trees   map[*schema.Node]*tree // by root
}

// A tree is what is compiled from a schema.
type tree struct {
	engines *engines
	rules   *cel.Program
}

func newSharing() *sharing {
	return &sharing{schemas: schema.NewInterner(), trees: map[*schema.Node]*tree{}}
}

// compile compiles a version. It shares what an equal schema was compiled to.
func (c *Catalog) compile(v *Version, s *versionSource) field.ErrorList {
	c.mu.RLock()
	shared := c.shared
	c.mu.RUnlock()
	if c.cfg.reference {
		return v.compile(s.crd, s.index, c.cfg, nil)
	}
	node, t, errs := shared.find(s)
	if t == nil && len(errs) == 0 {
		t, errs = shared.add(node, s.index, c.cfg)
	}
	if len(errs) > 0 {
		return errs
	}
	v.minor, v.node, v.engines, v.rules = c.cfg.minor(), node, t.engines, t.rules
	return nil
}

// find compiles a schema, and returns what an equal one was compiled to, nil if there
// was none.
func (s *sharing) find(source *versionSource) (*schema.Node, *tree, field.ErrorList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	node, errs := crdversion.Compile(source.crd, source.index, s.schemas)
	return node, s.trees[node], errs
}

// add compiles what works on objects of the schema of version i. Two goroutines may
// do that for equal schemas at once; the result of one of them is dropped.
func (s *sharing) add(node *schema.Node, i int, cfg config) (*tree, field.ErrorList) {
	rules, engines, errs := compileEngines(node, i, cfg)
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

// Size returns how many bytes of the heap the catalog keeps alive: the definitions
// that are not compiled yet, as they were added, and what the others were compiled
// to. Memory that definitions share counts once; what requests use in passing does
// not count, nor what a program has once for all definitions. The size is within 5 %
// of the heap if there are several definitions; the share of CEL rules is estimated.
//
// Size visits everything that it counts. Requests do not wait for it; a version that
// is compiled meanwhile may.
func (c *Catalog) Size() int {
	c.mu.RLock()
	byName, byKind, shared := maps.Clone(c.byName), maps.Clone(c.byKind), c.shared
	c.mu.RUnlock()
	m := heapsize.New()
	m.Add(byName)
	m.Add(byKind)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	m.Add(shared)
	return m.Bytes()
}
