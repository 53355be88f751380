package conversiontest_test

import (
	"context"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion/conversiontest"
	"github.com/crdkit/crdkit/definition"
)

const servicesCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: services.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: services, kind: Service}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [address]
        properties:
          address: {type: string, pattern: '^[a-z]{1,8}(:[0-9]{1,4})?$'}
          tags: {type: array, items: {type: string}}
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        required: [host]
        properties:
          host: {type: string, pattern: '^[a-z]{1,8}$'}
          port: {type: string, pattern: '^[0-9]{1,4}$'}
          tags: {type: array, items: {type: string}}
`

func service() *apiextensionsv1.CustomResourceDefinition {
	crd, err := definition.Parse([]byte(servicesCRD))
	if err != nil {
		panic(err)
	}
	return crd
}

// convert moves host and port to address, and back.
func convert(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	o := obj.Object
	if to == "v1" {
		o["address"] = o["host"]
		if port, ok := o["port"].(string); ok {
			o["address"] = fmt.Sprint(o["host"], ":", port)
		}
		delete(o, "host")
		delete(o, "port")
		return obj, nil
	}
	address, _ := o["address"].(string)
	host, port, ok := strings.Cut(address, ":")
	o["host"] = host
	if ok {
		o["port"] = port
	}
	delete(o, "address")
	return obj, nil
}

func Example() {
	tester, err := conversiontest.New(service(), conversiontest.Func(convert))
	if err != nil {
		panic(err)
	}
	for _, from := range [][2]string{{"v1beta1", "v1"}, {"v1", "v1beta1"}} {
		report, err := tester.RoundTrip(context.Background(), from[0], from[1])
		if err != nil {
			panic(err)
		}
		fmt.Println(from, report.Objects, report.Err())
	}
	// Output:
	// [v1beta1 v1] 200 <nil>
	// [v1 v1beta1] 200 <nil>
}
