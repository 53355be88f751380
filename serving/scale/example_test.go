package scale_test

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/serving/scale"
)

var selectorPath = ".status.labelSelector"

// declared is a value of spec.versions[*].subresources.scale.
var declared = &apiextensionsv1.CustomResourceSubresourceScale{
	SpecReplicasPath:   ".spec.replicas",
	StatusReplicasPath: ".status.replicas",
	LabelSelectorPath:  &selectorPath,
}

func object() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1",
		"kind":       "CronTab",
		"metadata":   map[string]any{"name": "nightly", "namespace": "jobs"},
		"spec":       map[string]any{"replicas": int64(3)},
		"status":     map[string]any{"replicas": int64(2), "labelSelector": "app=nightly"},
	}}
}

func ExampleNew() {
	_, err := scale.New(nil)
	fmt.Println(err)
	_, err = scale.New(declared)
	fmt.Println(err)
	// Output:
	// scale: the version has no scale subresource
	// <nil>
}

func ExampleScaler_Read() {
	s, err := scale.New(declared)
	if err != nil {
		fmt.Println(err)
		return
	}
	current, err := s.Read(object())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(current.Name, current.Spec.Replicas, current.Status.Replicas, current.Status.Selector)

	_, err = s.Read(&unstructured.Unstructured{Object: map[string]any{}})
	fmt.Println(err)
	// Output:
	// nightly 3 2 app=nightly
	// Internal error occurred: the spec replicas field ".spec.replicas" does not exist
}

func ExampleScaler_Update() {
	s, err := scale.New(declared)
	if err != nil {
		fmt.Println(err)
		return
	}
	obj := object()
	err = s.Update(obj, func(current *autoscalingv1.Scale) error {
		current.Spec.Replicas++
		return nil
	})
	fmt.Println(obj.Object["spec"], err)
	// Output:
	// map[replicas:4] <nil>
}

func ExampleScaler_Validate() {
	s, err := scale.New(declared)
	if err != nil {
		fmt.Println(err)
		return
	}
	obj := object()
	fmt.Println(s.Validate(obj.Object))
	obj.Object["spec"] = map[string]any{"replicas": int64(-1)}
	obj.Object["status"] = map[string]any{"labelSelector": true}
	for _, err := range s.Validate(obj.Object) {
		fmt.Println(err)
	}
	// Output:
	// []
	// .spec.replicas: Invalid value: -1: should be a non-negative integer
	// .status.labelSelector: Invalid value: "": .status.labelSelector accessor error: true is of the type bool, expected string
}

// A write to the status subresource does not change spec.replicas.
func ExampleScaler_ValidateStatus() {
	s, err := scale.New(declared)
	if err != nil {
		fmt.Println(err)
		return
	}
	obj := object()
	obj.Object["spec"] = map[string]any{"replicas": int64(-1)}
	fmt.Println(len(s.Validate(obj.Object)), len(s.ValidateStatus(obj.Object)))
	// Output:
	// 1 0
}
