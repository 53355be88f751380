package oracle_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/scale"
)

// The tests of this file compare the scale subresource. Upstream is its storage for custom
// resources, over a store that holds one object in memory.

var scaleKind = runtimeschema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

// scaleStore holds one object. Other methods of storage.Interface are not called.
type scaleStore struct {
	storage.Interface
	object *unstructured.Unstructured
}

func (s *scaleStore) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

func (s *scaleStore) Get(_ context.Context, _ string, _ storage.GetOptions, out runtime.Object) error {
	out.(*unstructured.Unstructured).Object = s.object.DeepCopy().Object
	return nil
}

func (s *scaleStore) GuaranteedUpdate(_ context.Context, _ string, out runtime.Object, _ bool, _ *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	changed, _, err := update(s.object.DeepCopy(), storage.ResponseMeta{ResourceVersion: 7})
	if err != nil {
		return err
	}
	s.object = changed.(*unstructured.Unstructured).DeepCopy()
	out.(*unstructured.Unstructured).Object = s.object.DeepCopy().Object
	return nil
}

func upstreamScale(t *testing.T, declared *apiextensionsv1.CustomResourceSubresourceScale, store *scaleStore) *customresource.ScaleREST {
	t.Helper()
	internal := &apiextensions.CustomResourceSubresourceScale{}
	if err := apiextensionsv1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(declared, internal, nil); err != nil {
		t.Fatal(err)
	}
	table, err := tableconvertor.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	resource := runtimeschema.GroupResource{Group: scaleKind.Group, Resource: "widgets"}
	options := generic.RESTOptions{
		StorageConfig:  (&storagebackend.Config{Codec: unstructured.UnstructuredJSONScheme}).ForResource(resource),
		ResourcePrefix: "widgets",
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object, func() runtime.Object,
			storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
			return store, func() {}, nil
		},
	}
	var steps []any
	for _, step := range strings.Split(strings.TrimPrefix(declared.SpecReplicasPath, "."), ".") {
		steps = append(steps, step)
	}
	replicas := fieldpath.MakePathOrDie(steps...)
	strategy := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), true, scaleKind, nil, nil, nil, &apiextensions.CustomResourceSubresourceStatus{}, internal, nil)
	s, err := customresource.NewStorage(resource, resource, scaleKind, scaleKind.GroupVersion().WithKind("WidgetList"), strategy, options, nil, table, managedfields.ResourcePathMappings{scaleKind.GroupVersion().String(): replicas})
	if err != nil {
		t.Fatal(err)
	}
	return s.Scale
}

var (
	scaleSelector = "status.a.selector"
	scaleDeclared = []*apiextensionsv1.CustomResourceSubresourceScale{
		{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"},
		{SpecReplicasPath: "spec.a.replicas", StatusReplicasPath: ".status.a.replicas", LabelSelectorPath: &scaleSelector},
	}
)

// scaleValues are values of fields, right and wrong; "" is an absent field.
var scaleValues = []string{`"app=x"`, ``, `3`, `-1`, `2147483648`, `4294967299`, `-2147483648`, `-4294967295`, `1.5`, `1.0`, `1e3`, `"3"`, `""`, `null`, `true`, `[1]`, `{}`}

func TestScale(t *testing.T) {
	count := 4000
	if testing.Short() {
		count = 400
	}
	rng := rand.New(rand.NewPCG(7, 7))
	refused, failed, unwritten := 0, 0, 0
	for i := range count {
		declared := scaleDeclared[i%len(scaleDeclared)]
		obj := scaleObject(t, rng, declared)
		s, err := scale.New(declared)
		if err != nil {
			t.Fatal(err)
		}
		store := &scaleStore{object: obj.DeepCopy()}
		upstream := upstreamScale(t, declared, store)
		ctx := request.WithNamespace(context.Background(), "default")

		want, wantErr := upstream.Get(ctx, "w", &metav1.GetOptions{})
		got, gotErr := s.Read(obj)
		if diff := cmp.Diff(scaleResult(t, want, wantErr), scaleResult(t, got, gotErr)); diff != "" {
			t.Fatalf("read %s (-upstream +ours):\n%s", encode(t, obj.Object), diff)
		}
		if gotErr != nil {
			failed++
		}

		target := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: "default"}}
		target.Spec.Replicas = []int32{0, 4, -3, 2147483647, scale.Unset}[rng.IntN(5)]
		target.ResourceVersion = []string{"", "7"}[rng.IntN(2)]
		after, _, wantErr := upstream.Update(ctx, "w", rest.DefaultUpdatedObjectInfo(target), rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
		changed := obj.DeepCopy()
		gotErr = s.Update(changed, func(current *autoscalingv1.Scale) error {
			*current = *target
			return nil
		})
		if errs := s.Validate(changed.Object); gotErr == nil && len(errs) > 0 {
			gotErr = apierrors.NewInvalid(scaleKind.GroupKind(), "w", errs)
			refused++
		}
		if gotErr != nil {
			unwritten++
			if diff := cmp.Diff(scaleResult(t, nil, wantErr), scaleResult(t, nil, gotErr)); diff != "" {
				t.Fatalf("write %d to %s (-upstream +ours):\n%s", target.Spec.Replicas, encode(t, obj.Object), diff)
			}
			continue
		}
		now, gotErr := s.Read(changed)
		if diff := cmp.Diff(scaleResult(t, after, wantErr), scaleResult(t, now, gotErr)); diff != "" {
			t.Fatalf("write %d to %s (-upstream +ours):\n%s", target.Spec.Replicas, encode(t, obj.Object), diff)
		}
		unstructured.RemoveNestedField(store.object.Object, "metadata", "generation")
		if diff := cmp.Diff(store.object.Object, changed.Object); diff != "" {
			t.Fatalf("write %d to %s: the object (-upstream +ours):\n%s", target.Spec.Replicas, encode(t, obj.Object), diff)
		}
	}
	if written := count - unwritten; failed > count*3/4 || written < count/10 {
		t.Errorf("of %d reads %d are errors, and %d writes pass: the objects show too little", count, failed, written)
	}
	t.Logf("oracle: scale %d reads (%d of them errors) and %d writes (%d of them errors, %d for values out of range), 0 differences", count, failed, count, unwritten, refused)
}

// TestScaleManagers tests that a Scaler leaves managers as they are, which package apply
// moves. TestApply compares that with upstream.
func TestScaleManagers(t *testing.T) {
	obj := &unstructured.Unstructured{Object: decodeTree(t, `{"apiVersion":"example.com/v1","kind":"Widget",
		"metadata":{"name":"w","namespace":"default","uid":"u-1","resourceVersion":"7","managedFields":[
			{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"a","operation":"Update","time":"2024-01-02T03:04:05Z"}]}}`)}
	s, err := scale.New(scaleDeclared[0])
	if err != nil {
		t.Fatal(err)
	}
	changed := obj.DeepCopy()
	if err := s.Update(changed, func(current *autoscalingv1.Scale) error { current.Spec.Replicas = 2; return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(obj.GetManagedFields(), changed.GetManagedFields()); diff != "" {
		t.Errorf("our managers (-before +after):\n%s", diff)
	}
}

func scaleObject(t *testing.T, rng *rand.Rand, declared *apiextensionsv1.CustomResourceSubresourceScale) *unstructured.Unstructured {
	t.Helper()
	obj := decodeTree(t, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default","uid":"u-1","resourceVersion":"7","creationTimestamp":"2024-01-02T03:04:05Z","labels":{"a":"b"}}}`)
	paths := []string{declared.SpecReplicasPath, declared.StatusReplicasPath}
	if declared.LabelSelectorPath != nil {
		paths = append(paths, *declared.LabelSelectorPath)
	}
	for i, path := range paths {
		text := scaleValues[rng.IntN(len(scaleValues))]
		if rng.IntN(5) > 0 {
			right := [][]string{{`3`, `0`, `2147483647`, `5`, ``}, {`2`, `0`, ``}, {`"app=x"`, `""`, ``}}[i]
			text = right[rng.IntN(len(right))]
		}
		if text == "" {
			continue
		}
		steps := strings.Split(strings.TrimPrefix(path, "."), ".")
		if rng.IntN(20) == 0 {
			steps = steps[:len(steps)-1] // something else where an object should be
		}
		value, err := testkit.DecodeJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := unstructured.SetNestedField(obj, value, steps...); err != nil {
			continue // below a value that is no object
		}
	}
	return &unstructured.Unstructured{Object: obj}
}

// scaleResult is a Scale or an error as clients see them.
func scaleResult(t *testing.T, obj any, err error) string {
	t.Helper()
	if err == nil {
		return string(encode(t, obj))
	}
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		return "error: " + err.Error()
	}
	s := status.Status()
	if s.Details != nil {
		slices.SortFunc(s.Details.Causes, func(a, b metav1.StatusCause) int { return strings.Compare(a.Field+a.Message, b.Field+b.Message) })
		if s.Reason == metav1.StatusReasonInvalid {
			s.Message = "" // the causes in the order of upstream
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
