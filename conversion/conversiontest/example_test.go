package conversiontest_test

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/conversion/conversiontest"
)

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
