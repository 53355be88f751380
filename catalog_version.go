package crdkit

import (
	"errors"
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

// A lazyVersion compiles a version of a catalog at its first use, and keeps the
// error.
type lazyVersion struct {
	once   sync.Once
	err    atomic.Pointer[error]         // nil before the version is compiled
	source atomic.Pointer[versionSource] // nil once the version is compiled
}

// errNotCompiled is the error of a version whose compilation did not end.
var errNotCompiled = errors.New("crdkit: the version was not compiled")

// A versionSource holds the definition from which a version is compiled, and
// the function that compiles it.
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
		v.gate.Close()
	}
}

// ready compiles a version of a catalog, unless it is compiled already. It
// returns the error if the version does not compile. Callers must call it
// before they read a field of [compiled].
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
		v.gate.Open()
	})
	return *l.err.Load()
}

// readyForObject makes the version ready that the object of the request names.
// That version may differ from the version of the request.
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
	schemas *schema.Interner
	trees   map[*schema.Node]*tree // by root
}

// A tree holds the engines and rules of a schema.
type tree struct {
	engines *engines
	rules   *cel.Program
}

func newSharing() *sharing {
	return &sharing{schemas: schema.NewInterner(), trees: map[*schema.Node]*tree{}}
}

// compile compiles a version. If an equal schema was compiled before, the
// version shares its result.
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
	v.minor, v.node, v.engines, v.rules = c.cfg.minor(), node, t.engines, t.rules
	return nil
}

// find compiles a schema, and returns the tree of an equal schema, nil if there
// is none.
func (s *sharing) find(source *versionSource) (*schema.Node, *tree, field.ErrorList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	node, errs := crdversion.Compile(source.crd, source.index, s.schemas)
	return node, s.trees[node], errs
}

// add makes the tree for the schema of version i. If two goroutines do this at
// once for equal schemas, one of the results is dropped.
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

// Size returns how many bytes of the heap the catalog keeps alive. It counts
// definitions that are not compiled yet, as they were added, and the compiled
// form of the others. It counts shared memory once. It does not count memory
// that requests use temporarily, nor memory that a program uses once for all
// definitions. The size is within 5 % of the heap if there are several
// definitions. The part for CEL rules is an estimate.
//
// Size visits everything that it counts. Requests do not wait for it, but a
// version that is compiled at the same time may.
func (c *Catalog) Size() int {
	c.mu.Lock()
	c.initialize()
	byName, byKind, shared := maps.Clone(c.byName), maps.Clone(c.byKind), c.shared
	c.mu.Unlock()
	m := heapsize.New()
	m.Add(byName)
	m.Add(byKind)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	m.Add(shared)
	return m.Bytes()
}
