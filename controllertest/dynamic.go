package controllertest

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewDynamic returns the dynamic client of a new environment with objects. If an object is refused,
// it ends the test.
func NewDynamic(t testing.TB, definitions Definitions, objs ...client.Object) dynamic.Interface {
	t.Helper()
	return New(t, definitions, Objects(objs...)).Dynamic()
}

// A dynamicRouter sends requests for the resources of definitions to the server. All other requests
// go to a fake client.
type dynamicRouter struct {
	environment *Environment
	real, fake  dynamic.Interface
}

func (e *Environment) newDynamic(others []client.Object) (dynamic.Interface, error) {
	real, err := dynamic.NewForConfig(e.Config())
	if err != nil {
		return nil, err
	}
	objs := make([]runtime.Object, len(others))
	for i, obj := range others {
		objs[i] = obj
	}
	return &dynamicRouter{e, real, dynamicfake.NewSimpleDynamicClient(e.cfg.scheme, objs...)}, nil
}

// Resource implements [dynamic.Interface].
func (d *dynamicRouter) Resource(gvr runtimeschema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	if _, err := d.environment.mapper.KindFor(gvr); err == nil || d.environment.cfg.refuseUnknown {
		return d.real.Resource(gvr) // the server answers that there is no resource
	}
	return d.fake.Resource(gvr)
}
