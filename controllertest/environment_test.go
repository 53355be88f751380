package controllertest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crdkit/crdkit/controllertest"
)

func TestConvertsBetweenVersions(t *testing.T) {
	var got warnings
	e := newEnvironment(t, controllertest.Objects(crontab("a")), controllertest.WarningHandler(&got))
	beta := e.Dynamic().Resource(groupVersion.WithResource("crontabs").GroupResource().WithVersion("v1beta1")).Namespace("default")
	obj, err := beta.Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || obj.GetAPIVersion() != "example.com/v1beta1" {
		t.Fatalf("%v, %v", obj, err)
	}
	if err := unstructured.SetNestedField(obj.Object, int64(3), "spec", "replicas"); err != nil {
		t.Fatal(err)
	}
	if _, err := beta.Update(t.Context(), obj, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	stored := &CronTab{}
	if err := e.Client().Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "a"}, stored); err != nil || stored.Spec.Replicas != 3 {
		t.Errorf("%d replicas, %v", stored.Spec.Replicas, err)
	}
	const deprecated = "example.com/v1beta1 CronTab is deprecated; use example.com/v1 CronTab"
	want := warnings{deprecated, deprecated}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestGeneratedNames(t *testing.T) {
	c := newEnvironment(t).Client()
	obj := crontab("")
	obj.GenerateName = "job-"
	if err := c.Create(t.Context(), obj); err != nil || !strings.HasPrefix(obj.Name, "job-") || len(obj.Name) != len("job-")+5 {
		t.Errorf("name %q, %v", obj.Name, err)
	}
}

func TestScale(t *testing.T) {
	c := newEnvironment(t, controllertest.Objects(crontab("a"))).Client()
	scale := &autoscalingv1.Scale{}
	if err := c.SubResource("scale").Get(t.Context(), crontab("a"), scale); err != nil || scale.Spec.Replicas != 1 {
		t.Fatalf("%+v, %v", scale, err)
	}
	scale.Spec.Replicas = 4
	if err := c.SubResource("scale").Update(t.Context(), crontab("a"), client.WithSubResourceBody(scale)); err != nil {
		t.Fatal(err)
	}
	obj := crontab("a")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil || obj.Spec.Replicas != 4 || obj.Generation != 2 {
		t.Errorf("%+v, %v", obj, err)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":5}}`))
	if err := c.SubResource("scale").Patch(t.Context(), obj, patch, client.WithSubResourceBody(scale)); err != nil || scale.Spec.Replicas != 5 {
		t.Errorf("patched: %+v, %v", scale, err)
	}
	scale.Spec.Replicas = 11
	scale.ResourceVersion = ""
	if err := c.SubResource("scale").Update(t.Context(), crontab("a"), client.WithSubResourceBody(scale)); err == nil {
		t.Error("the definition allows 10 replicas, and 11 were admitted")
	}
}

func TestMetadataOnly(t *testing.T) {
	a := crontab("a")
	a.Labels = map[string]string{"app": "x"}
	c := newEnvironment(t, controllertest.Objects(a)).Client()
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(groupVersion.WithKind("CronTabList"))
	if err := c.List(t.Context(), list); err != nil || len(list.Items) != 1 || list.Items[0].Labels["app"] != "x" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestOtherKinds(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
	key := client.ObjectKeyFromObject(pod)
	e := newEnvironment(t, controllertest.Objects(pod.DeepCopy()))
	if err := e.Client().Get(t.Context(), key, &corev1.Pod{}); err != nil {
		t.Error(err)
	}
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	if _, err := e.Dynamic().Resource(pods).Namespace("default").Get(t.Context(), "p", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	strict := newEnvironment(t, controllertest.RefuseUnknown())
	if err := strict.Client().Get(t.Context(), key, &corev1.Pod{}); !meta.IsNoMatchError(err) {
		t.Errorf("an unknown kind: %v", err)
	}
	if _, err := strict.Dynamic().Resource(pods).Namespace("default").Get(t.Context(), "p", metav1.GetOptions{}); err == nil {
		t.Error("an unknown resource was served")
	}
	if _, err := controllertest.Start(crontabs(t), controllertest.RefuseUnknown(), controllertest.Objects(pod)); !meta.IsNoMatchError(err) {
		t.Errorf("an object of an unknown kind: %v", err)
	}
}

func TestStartRefusesInvalidObjects(t *testing.T) {
	one, two := crontab("one"), crontab("two")
	one.Spec.Schedule, two.Spec.Color = "", "green"
	_, err := controllertest.Start(crontabs(t), controllertest.Scheme(newScheme()), controllertest.Objects(one, two, crontab("three"), crontab("three")))
	if err == nil {
		t.Fatal("admitted")
	}
	for _, want := range []string{"default/one: CronTab", "default/two: CronTab", `"three" already exists`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q", err, want)
		}
	}
	if _, err := controllertest.Start(nil); err == nil {
		t.Error("nil definitions are served")
	}
}

func TestObjectsKeepWhatTheyHave(t *testing.T) {
	a := crontab("a")
	a.UID, a.Generation, a.ResourceVersion = "uid", 5, "77"
	a.CreationTimestamp = metav1.NewTime(time.Unix(1000, 0))
	a.DeletionTimestamp = &metav1.Time{Time: time.Unix(2000, 0)}
	a.Finalizers = []string{"example.com/f"}
	a.Status.Replicas = 3
	c := newEnvironment(t, controllertest.Objects(a)).Client()
	got := &CronTab{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(a), got); err != nil {
		t.Fatal(err)
	}
	if got.UID != a.UID || got.Generation != 5 || got.ResourceVersion != "77" || !got.CreationTimestamp.Equal(&a.CreationTimestamp) ||
		!got.DeletionTimestamp.Equal(a.DeletionTimestamp) || got.Status.Replicas != 3 {
		t.Errorf("%+v", got)
	}
}

func TestClock(t *testing.T) {
	at := time.Unix(1700000000, 0)
	c := newEnvironment(t, controllertest.Clock(func() time.Time { return at })).Client()
	obj := crontab("a")
	if err := c.Create(t.Context(), obj); err != nil || !obj.CreationTimestamp.Time.Equal(at) {
		t.Errorf("created at %v, %v", obj.CreationTimestamp, err)
	}
}

func TestWatch(t *testing.T) {
	ctx := t.Context()
	c := newEnvironment(t, controllertest.Objects(crontab("a"))).Client()
	w, err := c.Watch(ctx, &CronTabList{}, client.MatchingLabels{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	reds, err := c.Watch(ctx, &CronTabList{}, client.MatchingFields{"spec.color": "red"})
	if err != nil {
		t.Fatal(err)
	}
	defer reds.Stop()
	b := crontab("b")
	if err := c.Create(ctx, b); err != nil {
		t.Fatal(err)
	}
	b.Spec.Color = "red"
	if err := c.Update(ctx, b); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(ctx, b); err != nil {
		t.Fatal(err)
	}
	expect := func(w watch.Interface, kind watch.EventType, name string) {
		t.Helper()
		select {
		case e := <-w.ResultChan():
			if obj, ok := e.Object.(*CronTab); !ok || e.Type != kind || obj.Name != name {
				t.Fatalf("event %s %+v, want %s %s", e.Type, e.Object, kind, name)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("no event, want %s %s", kind, name)
		}
	}
	expect(w, watch.Added, "a")
	expect(w, watch.Added, "b")
	expect(w, watch.Modified, "b")
	expect(w, watch.Deleted, "b")
	expect(reds, watch.Added, "b")
	expect(reds, watch.Deleted, "b")
}

// TestCache runs the cache of a manager, which needs discovery, lists and watches.
func TestCache(t *testing.T) {
	ctx := t.Context()
	e := newEnvironment(t, controllertest.Objects(crontab("a")))
	cached, err := cache.New(e.Config(), cache.Options{Scheme: newScheme()})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := cached.Start(ctx); err != nil {
			t.Error(err)
		}
	}()
	waitFor := func(name string) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			err := cached.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, &CronTab{})
			if err == nil {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
		}
	}
	waitFor("a")
	if err := e.Client().Create(ctx, crontab("b")); err != nil {
		t.Fatal(err)
	}
	waitFor("b")
}

func TestCloseEndsWatches(t *testing.T) {
	e := newEnvironment(t)
	w, err := e.Client().Watch(t.Context(), &CronTabList{})
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	e.Close()
	select {
	case _, open := <-w.ResultChan():
		if open {
			t.Error("an event after Close")
		}
	case <-time.After(10 * time.Second):
		t.Error("the watch goes on after Close")
	}
	if err := e.Client().Create(t.Context(), crontab("a")); err == nil || !strings.Contains(err.Error(), "the environment is closed") {
		t.Errorf("after Close: %v", err)
	}
}

func TestFromCRDs(t *testing.T) {
	definitions, err := controllertest.FromCRDs(crontabs(t).CRDs())
	if err != nil {
		t.Fatal(err)
	}
	c := controllertest.New(t, definitions, controllertest.Scheme(newScheme())).Client()
	if err := c.Create(t.Context(), crontab("a")); err != nil {
		t.Error(err)
	}
	if _, err := controllertest.FromCRDs([]*apiextensionsv1.CustomResourceDefinition{nil}); err == nil {
		t.Error("a nil definition has no error")
	}
}
