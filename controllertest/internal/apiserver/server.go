package apiserver

import (
	"errors"
	"fmt"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/serving/scale"
	"github.com/crdkit/crdkit/serving/selection"
)

// A Server holds objects of definitions and serves them.
type Server struct {
	catalog   *crdkit.Catalog
	crds      []*apiextensionsv1.CustomResourceDefinition
	resources map[runtimeschema.GroupResource]*resource
	schemas   apply.Schemas // for server-side apply to objects of all definitions

	mu       sync.Mutex // guards the fields below and the objects of resources
	revision uint64
	changed  chan struct{} // closed at the next change
	closed   chan struct{}
	now      func() time.Time
}

// firstRevision is the revision before the first write. In requests, 0 has a special meaning.
const firstRevision = 1

// A resource holds the objects of one definition.
type resource struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	def      *crdkit.Definition
	versions map[string]*version
	// objects are at the storage version, with their resource versions.
	objects map[types.NamespacedName]*unstructured.Unstructured
	// events are the latest changes, oldest first. forgotten is the revision of the latest change
	// that was dropped from them.
	events    []event
	forgotten uint64
}

// A version has the parts of one served version.
type version struct {
	fields *selection.Fields
	scaler *scale.Scaler // nil without the scale subresource
}

// New returns a server of the definitions in catalog. crds are the same definitions. The server
// keeps both. now returns the time; nil means [time.Now].
func New(catalog *crdkit.Catalog, crds []*apiextensionsv1.CustomResourceDefinition, now func() time.Time) (*Server, error) {
	if catalog == nil {
		return nil, errors.New("controllertest: the catalog is nil")
	}
	if now == nil {
		now = time.Now
	}
	s := &Server{
		catalog: catalog, crds: crds, resources: map[runtimeschema.GroupResource]*resource{},
		revision: firstRevision, changed: make(chan struct{}), closed: make(chan struct{}), now: now,
	}
	for _, crd := range crds {
		if err := s.add(crd); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Server) add(crd *apiextensionsv1.CustomResourceDefinition) error {
	def, ok := s.catalog.Definition(crd.Name)
	if !ok {
		return fmt.Errorf("controllertest: the catalog has no definition %s", crd.Name)
	}
	r := &resource{crd: crd, def: def, versions: map[string]*version{}, objects: map[types.NamespacedName]*unstructured.Unstructured{}}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		served, err := newVersion(crd, v)
		if err != nil {
			return fmt.Errorf("controllertest: %s, version %s: %w", crd.Name, v.Name, err)
		}
		r.versions[v.Name] = served
	}
	s.resources[runtimeschema.GroupResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}] = r
	return nil
}

func newVersion(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion) (*version, error) {
	fields, err := selection.New(v.SelectableFields, crd.Spec.Scope)
	if err != nil {
		return nil, err
	}
	served := &version{fields: fields}
	if v.Subresources != nil && v.Subresources.Scale != nil {
		served.scaler, err = scale.New(v.Subresources.Scale)
	}
	return served, err
}

// Close ends all watches. Later requests fail.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
}

func (r *resource) groupResource() runtimeschema.GroupResource {
	return runtimeschema.GroupResource{Group: r.crd.Spec.Group, Resource: r.crd.Spec.Names.Plural}
}

func (r *resource) groupKind() runtimeschema.GroupKind { return r.def.GroupKind() }
