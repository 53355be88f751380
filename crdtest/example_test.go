package crdtest_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A CronTab is the Go type of the definition in testdata/crontab, as a project with
// kubebuilder has it.
type CronTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec CronTabSpec `json:"spec"`
}

// A CronTabSpec is the spec of a CronTab.
type CronTabSpec struct {
	CronSpec string   `json:"cronSpec"`
	Image    string   `json:"image"`
	Replicas *int32   `json:"replicas,omitempty"`
	Suspend  *bool    `json:"suspend,omitempty"`
	Hosts    []string `json:"hosts,omitempty"`
}

func newCronTab() *CronTab {
	return &CronTab{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: CronTabSpec{CronSpec: "* * * * *", Image: "i"}}
}

func ExampleNew() {
	fmt.Println(record(func(t testing.TB) {
		corpus, err := testkit.LoadTestdata("../testdata")
		if err != nil {
			t.Fatal(err)
		}
		crds := []*apiextensionsv1.CustomResourceDefinition{corpus.Find("crontabs.jobs.example.org").CRD}
		set := crdtest.New(t, crds)
		set.Create(t, newCronTab(), crdtest.Refused("spec.image", "should be at least 1 chars long"))
	}))
	// Output:
	// create CronTab "a": admitted
	//   unmet: an error at spec.image with "should be at least 1 chars long"
}

func ExampleSet_Patch() {
	fmt.Println(record(func(t testing.TB) {
		set := crdtest.Load(t, "../testdata/crontab/crd.yaml")
		created := set.Create(t, newCronTab())
		set.Patch(t, created, types.MergePatchType, `{spec: {replicas: 3}}`, crdtest.Admitted())
		set.Patch(t, created, types.JSONPatchType, `
- {op: test, path: /spec/replicas, value: 1}
- {op: add, path: /spec/suspend, value: true}
`, crdtest.Admitted())
	}))
	// Output:
	// patch CronTab "a": refused
	//   unmet: admitted
	//   unexpected: spec.replicas: Invalid value: a suspended CronTab must not ask for replicas
	//     rule: !self.suspend || self.replicas == 0 (../testdata/crontab/crd.yaml:87:15)
	//     because !self.suspend is false, and self.replicas (1) == 0 is false
}

func ExampleMutations() {
	fmt.Println(record(func(t testing.TB) {
		set := crdtest.Load(t, "../testdata/crontab/crd.yaml")
		crdtest.Mutations(t, set, newCronTab(),
			crdtest.Put("/spec/replicas", 100),
			crdtest.Put("/spec/replicas", 101).Wants(crdtest.Refused("spec.replicas", "less than or equal to 100")),
			crdtest.Append("/spec/hosts", "a b").Wants(crdtest.Refused("spec.hosts[0]", "hostname")),
			crdtest.Delete("/spec/image").Wants(crdtest.Admitted()), // wrong
		)
	}))
	// Output:
	// create CronTab "a": refused
	//   unmet: admitted
	//   unexpected: spec.image: Required value
}

func ExampleObjects() {
	fmt.Println(record(func(t testing.TB) {
		set := crdtest.Load(t, "../testdata/crontab/crd.yaml")
		n := 0
		for obj, err := range crdtest.Objects(t.Context(), set.Version(t, "jobs.example.org/v1", "CronTab"), 1) {
			if err != nil {
				t.Fatal(err)
			}
			set.Create(t, obj, crdtest.Admitted())
			if n++; n == 100 {
				break
			}
		}
		fmt.Println(n, "objects are admitted")
	}))
	// Output:
	// 100 objects are admitted
}

func ExampleNewGenerator() {
	fmt.Println(record(func(t testing.TB) {
		set := crdtest.Load(t, "../testdata/crontab/crd.yaml")
		v := set.Version(t, "jobs.example.org/v1", "CronTab")
		g, err := crdtest.NewGenerator(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range crdtest.Targets(v) {
			if target.Expression == "" {
				continue // a keyword
			}
			violation, err := g.Broken(t.Context(), target, 1)
			if err != nil {
				t.Fatal(err)
			}
			set.Create(t, violation.Object, crdtest.Exactly(crdtest.RefusedBy(target.Expression)))
			fmt.Println("breaks only", target.Expression)
		}
	}))
	// Output:
	// breaks only !self.suspend || self.replicas == 0
}

func ExampleRunSuites() {
	files := fstest.MapFS{"crontabs.yaml": {Data: []byte(`
crdName: crontabs.jobs.example.org
tests:
  onCreate:
  - name: an image is required
    initial: |
      apiVersion: jobs.example.org/v1
      kind: CronTab
      spec: {cronSpec: '* * * * *'}
    expectedError: "spec.image: Required value"
  - name: a schedule is required
    initial: |
      apiVersion: jobs.example.org/v1
      kind: CronTab
      spec: {cronSpec: '* * * * *', image: i}
    expectedError: "spec.cronSpec: Required value"
`)}}
	fmt.Println(record(func(t testing.TB) {
		crdtest.Load(t, "../testdata/crontab/crd.yaml").RunSuites(t, files)
	}))
	// Output:
	// crontabs.yaml: a schedule is required: admitted, want "spec.cronSpec: Required value"
}
