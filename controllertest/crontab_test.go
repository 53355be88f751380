package controllertest_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crdkit/crdkit/controllertest"
	"github.com/crdkit/crdkit/crdtest"
)

// A CronTab is the Go type of the definition in testdata.
type CronTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CronTabSpec   `json:"spec"`
	Status            CronTabStatus `json:"status,omitempty"`
}

type CronTabSpec struct {
	Schedule string `json:"schedule"`
	Color    string `json:"color,omitempty"`
	Replicas int64  `json:"replicas,omitempty"`
	Unknown  string `json:"unknown,omitempty"` // not in the definition
}

type CronTabStatus struct {
	Replicas int64 `json:"replicas,omitempty"`
}

func (c *CronTab) DeepCopyObject() runtime.Object {
	out := *c
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

type CronTabList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []CronTab `json:"items"`
}

func (l *CronTabList) DeepCopyObject() runtime.Object {
	out := &CronTabList{TypeMeta: l.TypeMeta, ListMeta: l.ListMeta}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*CronTab))
	}
	return out
}

var groupVersion = runtimeschema.GroupVersion{Group: "example.com", Version: "v1"}

// newScheme returns a scheme with the built-in types and CronTab.
func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	if err := scheme.AddToScheme(s); err != nil {
		panic(err)
	}
	s.AddKnownTypes(groupVersion, &CronTab{}, &CronTabList{})
	metav1.AddToGroupVersion(s, groupVersion)
	return s
}

func crontabs(t testing.TB) *crdtest.Set {
	t.Helper()
	return crdtest.Load(t, "testdata/crontabs.yaml")
}

// newEnvironment returns an environment of the definition in testdata that knows the Go
// type.
func newEnvironment(t testing.TB, opts ...controllertest.Option) *controllertest.Environment {
	t.Helper()
	return controllertest.New(t, crontabs(t), append([]controllertest.Option{controllertest.Scheme(newScheme())}, opts...)...)
}

func crontab(name string) *CronTab {
	return &CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: CronTabSpec{Schedule: "* * * * *"}}
}

var _ client.Object = &CronTab{}
