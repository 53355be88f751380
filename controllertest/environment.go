package controllertest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/controllertest/internal/apiserver"
)

// An Environment holds objects of definitions and offers clients for them.
type Environment struct {
	cfg     config
	catalog *crdkit.Catalog
	server  *apiserver.Server
	rest    *rest.Config
	mapper  meta.RESTMapper
	kinds   map[runtimeschema.GroupKind]runtimeschema.GroupKind // the kinds of objects and lists, each with the kind of its objects
	client  client.WithWatch
	dynamic dynamic.Interface
}

// NewClient returns the client of a new environment with objects. If an object is refused, it ends
// the test. The environment is closed at the end of the test.
func NewClient(t testing.TB, definitions Definitions, objs ...client.Object) client.WithWatch {
	t.Helper()
	return New(t, definitions, Objects(objs...)).Client()
}

// New returns an environment, which is closed at the end of the test. If [Start] would return an
// error, New ends the test.
func New(t testing.TB, definitions Definitions, opts ...Option) *Environment {
	t.Helper()
	e, err := Start(definitions, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// Start returns an environment for callers without a test, such as TestMain. The caller must close
// it. It returns an error if definitions is nil, if a definition does not compile, or if objects
// are refused. The error lists all refused objects.
func Start(definitions Definitions, opts ...Option) (*Environment, error) {
	if definitions == nil {
		return nil, errors.New("controllertest: the definitions are nil")
	}
	e := &Environment{cfg: config{scheme: scheme.Scheme}, kinds: map[runtimeschema.GroupKind]runtimeschema.GroupKind{}, catalog: definitions.Catalog()}
	for _, opt := range opts {
		if opt != nil {
			opt(&e.cfg)
		}
	}
	crds := definitions.CRDs()
	var err error
	if e.server, err = apiserver.New(e.catalog, crds, e.cfg.now); err != nil {
		return nil, err
	}
	e.mapper = e.newMapper(crds)
	e.rest = &rest.Config{
		Host:           "http://controllertest.invalid",
		Transport:      e.server,
		QPS:            -1, // without a limit
		WarningHandler: e.cfg.warnings,
	}
	others, err := e.addObjects()
	if err != nil {
		return nil, err
	}
	if e.client, err = e.newClient(others); err != nil {
		return nil, err
	}
	e.dynamic, err = e.newDynamic(others)
	return e, err
}

// Client returns a client for the objects of the environment. It also serves all other kinds.
func (e *Environment) Client() client.WithWatch { return e.client }

// Dynamic returns a dynamic client for the objects of the environment. It shares them
// with [Environment.Client]. Objects of other kinds are in a fake client of their own.
func (e *Environment) Dynamic() dynamic.Interface { return e.dynamic }

// Config returns a new configuration for any client of client-go or controller-runtime, such as an
// informer, a generated clientset or a manager. It serves only the kinds of the definitions.
func (e *Environment) Config() *rest.Config { return rest.CopyConfig(e.rest) }

// Close ends all watches. Later requests fail.
func (e *Environment) Close() { e.server.Close() }

func (e *Environment) newMapper(crds []*apiextensionsv1.CustomResourceDefinition) meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, crd := range crds {
		def, ok := e.catalog.Definition(crd.Name)
		if !ok {
			continue // apiserver.New has returned an error for it
		}
		e.addKinds(def.GroupKind(), crd.Spec.Names.ListKind)
		scope := meta.RESTScopeRoot
		if def.Namespaced() {
			scope = meta.RESTScopeNamespace
		}
		names := crd.Spec.Names
		for _, v := range def.Versions() {
			gv := v.GroupVersionKind().GroupVersion()
			if v.Served() {
				mapper.AddSpecific(v.GroupVersionKind(), gv.WithResource(names.Plural), gv.WithResource(names.Singular), scope)
			}
		}
	}
	return mapper
}

// addKinds adds the kind of objects and listKind, by default the kind with "List" after it.
func (e *Environment) addKinds(kind runtimeschema.GroupKind, listKind string) {
	if listKind == "" {
		listKind = kind.Kind + "List"
	}
	e.kinds[runtimeschema.GroupKind{Group: kind.Group, Kind: listKind}] = kind
	e.kinds[kind] = kind
}

// defined reports whether a kind of objects or lists has a definition.
func (e *Environment) defined(gvk runtimeschema.GroupVersionKind) bool {
	_, ok := e.kinds[gvk.GroupKind()]
	return ok
}

// addObjects stores the objects of the definitions and returns all others.
func (e *Environment) addObjects() ([]client.Object, error) {
	var others []client.Object
	var errs []error
	for _, obj := range e.cfg.objects {
		gvk, err := e.kindOf(obj)
		switch {
		case err != nil:
			errs = append(errs, err)
		case e.defined(gvk):
			errs = append(errs, e.addObject(obj, gvk))
		case e.cfg.refuseUnknown:
			errs = append(errs, unknownKind(gvk))
		default:
			others = append(others, obj)
		}
	}
	return others, errors.Join(errs...)
}

func (e *Environment) addObject(obj client.Object, gvk runtimeschema.GroupVersionKind) error {
	v, err := e.catalog.Version(gvk)
	if err != nil {
		return err
	}
	u, err := crdkit.ToUnstructured(obj, v)
	if err == nil {
		err = e.server.Put(context.Background(), u)
	}
	if err != nil {
		return fmt.Errorf("controllertest: %s %s: %w", gvk.Kind, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

func (e *Environment) kindOf(obj client.Object) (runtimeschema.GroupVersionKind, error) {
	if obj == nil {
		return runtimeschema.GroupVersionKind{}, errors.New("controllertest: an object is nil")
	}
	return apiutil.GVKForObject(obj, e.cfg.scheme)
}

// unknownKind returns the answer to requests for a kind without a definition.
func unknownKind(gvk runtimeschema.GroupVersionKind) error {
	return &meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}
}
