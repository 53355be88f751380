package conversiontest_test

import (
	"context"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
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

func ExampleNew() {
	// The definition converts with None: only apiVersion changes.
	tester, err := conversiontest.New(service())
	if err != nil {
		panic(err)
	}
	report, err := tester.RoundTrip(context.Background(), "v1beta1", "v1")
	if err != nil {
		panic(err)
	}
	for _, f := range report.Failures {
		what, _, _ := strings.Cut(f.Error(), ";")
		fmt.Println(f.Count, what)
	}
	// Output:
	// 200 v1beta1 to v1 and back: host is lost
	// 183 v1beta1 to v1 and back: port is lost
}

func ExampleTester_Object() {
	forgetful := func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		delete(obj.Object, "tags")
		return convert(ctx, obj, to)
	}
	tester, err := conversiontest.New(service(), conversiontest.Func(forgetful))
	if err != nil {
		panic(err)
	}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Service", "metadata": map[string]any{"name": "web"},
		"address": "web:80", "tags": []any{"a", "b"},
	}}
	failure, err := tester.Object(context.Background(), obj, "v1beta1")
	if err != nil {
		panic(err)
	}
	fmt.Println(failure)
	// Output:
	// v1 to v1beta1 and back: tags is lost; it was ["a","b"]
	// object: {"address":"web:80","apiVersion":"example.com/v1","kind":"Service","metadata":{"name":"web"},"tags":["a","b"]}
	// converted: {"apiVersion":"example.com/v1beta1","host":"web","kind":"Service","metadata":{"name":"web"},"port":"80"}
	// converted back: {"address":"web:80","apiVersion":"example.com/v1","kind":"Service","metadata":{"name":"web"}}
}

func ExampleTester_Seeded() {
	tester, err := conversiontest.New(service(), conversiontest.Converter(conversion.None(service())))
	if err != nil {
		panic(err)
	}
	failure, err := tester.Seeded(context.Background(), 1, "v1", "v1beta1")
	if err != nil {
		panic(err)
	}
	fmt.Println(failure.Kind, failure.Path)
	// Output:
	// Lost address
}
