// Command scale reads an object from its first argument, gives it as many
// replicas as its second has letters, and prints the result.
package main

import (
	"encoding/json"
	"os"

	"github.com/crdkit/crdkit/serving/scale"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	s, err := scale.New(&apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"})
	if err != nil {
		panic(err)
	}
	var obj unstructured.Unstructured
	if err := json.Unmarshal([]byte(os.Args[1]), &obj); err != nil {
		panic(err)
	}
	err = s.Update(&obj, func(current *autoscalingv1.Scale) error {
		current.Spec.Replicas = int32(len(os.Args[2]))
		return nil
	})
	if err != nil {
		panic(err)
	}
	current, err := s.Read(&obj)
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode([]any{current, s.Validate(obj.Object)}); err != nil {
		panic(err)
	}
}
