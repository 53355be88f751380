package scale_test

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/serving/scale"
)

func Example() {
	scaler, err := scale.New(&apiextensionsv1.CustomResourceSubresourceScale{
		SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas",
	})
	if err != nil {
		panic(err)
	}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "a"},
		"spec":     map[string]any{"replicas": int64(3)},
	}}
	current, err := scaler.Read(obj)
	if err != nil {
		panic(err)
	}
	fmt.Println(current.Name, current.Spec.Replicas)
	err = scaler.Update(obj, func(s *autoscalingv1.Scale) error {
		s.Spec.Replicas = 5
		return nil
	})
	fmt.Println(obj.Object["spec"], err)
	// Output:
	// a 3
	// map[replicas:5] <nil>
}
