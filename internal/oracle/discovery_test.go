package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdkit/crdkit/serving/discovery"
)

// discoveryServer runs the discovery controller of the server on definitions, and returns
// the handlers for versions and for groups. Their types are not exported.
func discoveryServer(t *testing.T, crds []*apiextensionsv1.CustomResourceDefinition) (versions, groups http.Handler) {
	t.Helper()
	objs := make([]runtime.Object, len(crds))
	for i, crd := range crds {
		objs[i] = crd.DeepCopy()
	}
	factory := externalversions.NewSharedInformerFactory(fake.NewClientset(objs...), 0)
	build := reflect.ValueOf(apiserver.NewDiscoveryController)
	handlers := []reflect.Value{reflect.New(build.Type().In(1).Elem()), reflect.New(build.Type().In(2).Elem())}
	for _, h := range handlers {
		set(h, "discovery", reflect.MakeMap(h.Elem().FieldByName("discovery").Type()))
		set(h, "delegate", reflect.ValueOf(http.NotFoundHandler()))
	}
	made := build.Call([]reflect.Value{
		reflect.ValueOf(factory.Apiextensions().V1().CustomResourceDefinitions()),
		handlers[0], handlers[1], reflect.Zero(build.Type().In(3)),
	})
	controller, ok := made[0].Interface().(*apiserver.DiscoveryController)
	if !ok {
		t.Fatalf("NewDiscoveryController returned a %v", made[0].Type())
	}
	stop, synced := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop) })
	factory.Start(stop)
	go controller.Run(stop, synced)
	select {
	case <-synced:
	case <-time.After(time.Minute):
		t.Fatal("the discovery controller did not become ready")
	}
	return handlers[0].Interface().(http.Handler), handlers[1].Interface().(http.Handler)
}

// set sets an unexported field of what p points to.
func set(p reflect.Value, name string, value reflect.Value) {
	f := p.Elem().FieldByName(name)
	reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Set(value)
}

// get returns the answer of a handler, "404" if it has no such document.
func get(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
	request.Header.Set("Accept", "application/json")
	h.ServeHTTP(w, request)
	if w.Code != http.StatusOK {
		return fmt.Sprint(w.Code)
	}
	return strings.TrimSuffix(w.Body.String(), "\n")
}

func encoded(t *testing.T, doc any) string {
	t.Helper()
	if reflect.ValueOf(doc).IsNil() {
		return "404"
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// inOrder sorts the resources of a document by their definition, because the order of the
// server is random. Definitions without accepted names are sorted by their other fields.
func inOrder(t *testing.T, document string) string {
	t.Helper()
	if document == "404" {
		return document
	}
	list := &metav1.APIResourceList{}
	if err := json.Unmarshal([]byte(document), list); err != nil {
		t.Fatal(err)
	}
	sort.SliceStable(list.APIResources, func(i, j int) bool {
		a, _, _ := strings.Cut(list.APIResources[i].Name, "/")
		b, _, _ := strings.Cut(list.APIResources[j].Name, "/")
		if a == "" && b == "" {
			return encoded(t, &list.APIResources[i]) < encoded(t, &list.APIResources[j])
		}
		return a < b
	})
	return encoded(t, list)
}

func compareDiscovery(t *testing.T, crds []*apiextensionsv1.CustomResourceDefinition) (documents int) {
	t.Helper()
	versions, groups := discoveryServer(t, crds)
	for _, crd := range crds {
		group := crd.Spec.Group
		want := get(t, groups, "/apis/"+group)
		ours, _ := discovery.Group(group, crds...)
		if diff := cmp.Diff(want, encoded(t, ours)); diff != "" {
			t.Errorf("group %s (-upstream +ours):\n%s", group, diff)
		}
		documents++
		for _, v := range crd.Spec.Versions {
			path := group + "/" + v.Name
			want := inOrder(t, get(t, versions, "/apis/"+path))
			ours, _ := discovery.Resources(group, v.Name, crds...)
			if diff := cmp.Diff(want, inOrder(t, encoded(t, ours))); diff != "" {
				t.Errorf("version %s (-upstream +ours):\n%s", path, diff)
			}
			documents++
		}
	}
	return documents
}

// TestDiscovery compares every document of generated definitions with the answer of the
// server, byte for byte. All of them have conditions, because the server publishes
// nothing for definitions without conditions.
func TestDiscovery(t *testing.T) {
	documents := 0
	for seed := range uint64(40) {
		documents += compareDiscovery(t, generatedDefinitions(rand.New(rand.NewPCG(seed, 1))))
	}
	t.Logf("%d documents", documents)
}

// TestDiscoveryDifference tests discovery/without_conditions: crdkit publishes a
// definition without conditions, and the server does not.
func TestDiscoveryDifference(t *testing.T) {
	crd := generatedDefinition(rand.New(rand.NewPCG(1, 1)), 0)
	crd.Spec.Versions[0].Served = true
	crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	_, groups := discoveryServer(t, []*apiextensionsv1.CustomResourceDefinition{crd})
	if got := get(t, groups, "/apis/"+crd.Spec.Group); got != "404" {
		t.Errorf("upstream publishes %s", got)
	}
	ours, _ := discovery.Group(crd.Spec.Group, crd)
	unseen := encoded(t, ours)
	crd.Status.AcceptedNames = crd.Spec.Names
	crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
	_, groups = discoveryServer(t, []*apiextensionsv1.CustomResourceDefinition{crd})
	if diff := cmp.Diff(get(t, groups, "/apis/"+crd.Spec.Group), unseen); diff != "" {
		t.Errorf("not what upstream publishes once it has accepted the definition (-upstream +ours):\n%s", diff)
	}
}

func generatedDefinitions(rng *rand.Rand) []*apiextensionsv1.CustomResourceDefinition {
	crds := make([]*apiextensionsv1.CustomResourceDefinition, 1+rng.IntN(5))
	for i := range crds {
		crds[i] = generatedDefinition(rng, i)
	}
	return crds
}

func generatedDefinition(rng *rand.Rand, i int) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Group = []string{"example.com", "example.org"}[rng.IntN(2)]
	crd.Spec.Scope = []apiextensionsv1.ResourceScope{apiextensionsv1.NamespaceScoped, apiextensionsv1.ClusterScoped}[rng.IntN(2)]
	names := apiextensionsv1.CustomResourceDefinitionNames{Plural: fmt.Sprintf("kind%ds", i), Singular: fmt.Sprintf("kind%d", i), Kind: fmt.Sprintf("Kind%d", i)}
	crd.Name = names.Plural + "." + crd.Spec.Group
	if rng.IntN(2) == 0 {
		names.ShortNames, names.Categories = []string{"s", fmt.Sprintf("k%d", i)}, []string{"all"}
	}
	crd.Spec.Names = names
	if rng.IntN(4) > 0 {
		crd.Status.AcceptedNames = names
	}
	pool := []string{"v1", "v2", "v1beta1", "v1beta2", "v1alpha1", "v11", "foo", "foo10"}
	rng.Shuffle(len(pool), func(a, b int) { pool[a], pool[b] = pool[b], pool[a] })
	pool = pool[:1+rng.IntN(4)]
	storage := rng.IntN(len(pool))
	for n, name := range pool {
		v := apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: rng.IntN(4) > 0, Storage: n == storage}
		if rng.IntN(2) == 0 {
			v.Subresources = &apiextensionsv1.CustomResourceSubresources{}
			if rng.IntN(2) == 0 {
				v.Subresources.Status = &apiextensionsv1.CustomResourceSubresourceStatus{}
			}
			if rng.IntN(2) == 0 {
				v.Subresources.Scale = &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.n", StatusReplicasPath: ".status.n"}
			}
		}
		crd.Spec.Versions = append(crd.Spec.Versions, v)
	}
	for _, condition := range []apiextensionsv1.CustomResourceDefinitionConditionType{
		apiextensionsv1.NamesAccepted, apiextensionsv1.Established, apiextensionsv1.Terminating,
	} {
		status := apiextensionsv1.ConditionTrue
		if rng.IntN(5) == 0 || condition == apiextensionsv1.Terminating && rng.IntN(2) == 0 {
			status = apiextensionsv1.ConditionFalse
		}
		crd.Status.Conditions = append(crd.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{Type: condition, Status: status})
	}
	slices.Reverse(crd.Status.Conditions)
	return crd
}
