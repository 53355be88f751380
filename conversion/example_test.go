package conversion_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

func ExampleNew() {
	c, err := conversion.New(definition(apiextensionsv1.NoneConverter))
	if err != nil {
		panic(err)
	}
	out, err := c.Convert(context.Background(), []*unstructured.Unstructured{object("stable.example.com/v1beta1")}, "v1")
	if err != nil {
		panic(err)
	}
	fmt.Println(out[0].GetAPIVersion(), out[0].GetName())
	// Output: stable.example.com/v1 a
}

// A definition with the strategy Webhook, and its webhook in the same program.
func ExampleNew_webhook() {
	server := httptest.NewTLSServer(conversion.Handler(renaming))
	defer server.Close()
	crd := definition(apiextensionsv1.WebhookConverter)
	crd.Spec.Conversion.Webhook = &apiextensionsv1.WebhookConversion{
		ConversionReviewVersions: []string{"v1"},
		ClientConfig: &apiextensionsv1.WebhookClientConfig{
			URL:      &server.URL,
			CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		},
	}
	c, err := conversion.New(crd, conversion.Timeout(5*time.Second))
	if err != nil {
		panic(err)
	}
	out, err := c.Convert(context.Background(), []*unstructured.Unstructured{object("stable.example.com/v1beta1")}, "v1")
	if err != nil {
		panic(err)
	}
	fmt.Println(out[0].GetAPIVersion(), out[0].Object["spec"])
	// Output: stable.example.com/v1 map[items:[1]]
}

func ExampleNone() {
	c := conversion.None(definition(apiextensionsv1.WebhookConverter))
	out, err := c.Convert(context.Background(), []*unstructured.Unstructured{object("stable.example.com/v1")}, "v1beta1")
	if err != nil {
		panic(err)
	}
	fmt.Println(out[0].GetAPIVersion())
	// Output: stable.example.com/v1beta1
}

func ExampleConvertList() {
	list := &unstructured.UnstructuredList{
		Object: map[string]any{"apiVersion": "stable.example.com/v1", "kind": "CronTabList"},
		Items:  []unstructured.Unstructured{*object("stable.example.com/v1beta1"), *object("stable.example.com/v1")},
	}
	out, err := conversion.ConvertList(context.Background(), conversion.None(definition("")), list, "v1")
	if err != nil {
		panic(err)
	}
	for _, item := range out.Items {
		fmt.Println(item.GetAPIVersion())
	}
	// Output:
	// stable.example.com/v1
	// stable.example.com/v1
}

// A local function must obey the rules that the server has for webhooks.
func ExampleLocal() {
	c := conversion.Local(definition(""), func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		obj.SetName(obj.GetName() + "-converted")
		return obj, nil
	})
	_, err := c.Convert(context.Background(), []*unstructured.Unstructured{object("stable.example.com/v1beta1")}, "v1")
	fmt.Println(err)
	// Output: conversion webhook for stable.example.com/v1beta1, Kind=CronTab returned invalid object: must have the same name: a != a-converted
}

// This webhook converts spec.hostPort of v1beta1 to spec.host and spec.port of
// v1, and back. With http.ListenAndServeTLS instead of the request at the end
// it can be deployed.
func ExampleHandler() {
	http.Handle("/convert", conversion.Handler(func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		spec, ok := obj.Object["spec"].(map[string]any)
		if !ok {
			return obj, nil // server-side apply may send objects without spec
		}
		if to == "v1" {
			if hostPort, ok := spec["hostPort"].(string); ok {
				spec["host"], spec["port"], _ = strings.Cut(hostPort, ":")
				delete(spec, "hostPort")
			}
			return obj, nil
		}
		if host, ok := spec["host"].(string); ok {
			spec["hostPort"] = fmt.Sprintf("%s:%v", host, spec["port"])
			delete(spec, "host")
			delete(spec, "port")
		}
		return obj, nil
	}))
	// log.Fatal(http.ListenAndServeTLS(":9443", "tls.crt", "tls.key", nil))

	body := strings.NewReader(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"705ab4f5",
		"desiredAPIVersion":"example.com/v1","objects":[{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a"},"spec":{"hostPort":"h:80"}}]}}`)
	request := httptest.NewRequest(http.MethodPost, "/convert", body)
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(answer, request)
	_, _ = answer.Body.WriteTo(os.Stdout)
	// Output:
	// {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"705ab4f5","convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{"host":"h","port":"80"}}],"result":{"metadata":{},"status":"Success"}}}
}

func ExampleTyped() {
	convert := conversion.Typed(func(in *machineV1, out *machineV2) error {
		out.ObjectMeta = in.ObjectMeta
		out.Spec.Host, out.Spec.Port, _ = strings.Cut(in.Spec.HostPort, ":")
		return nil
	})
	out, err := convert(context.Background(), machine("v1", map[string]any{"hostPort": "h:80"}), "v2")
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Object["spec"])
	// Output: map[host:h port:80]
}

func ExampleHub() {
	convert := conversion.Hub("v2", map[string]conversion.Spoke{
		"v1": conversion.TypedSpoke(v1ToV2, v2ToV1),
		"v3": conversion.TypedSpoke(v3ToV2, v2ToV3),
	})
	out, err := convert(context.Background(), machine("v1", map[string]any{"hostPort": "h:80"}), "v3")
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Object["spec"])
	// Output: map[endpoint:map[host:h port:80]]
}

// A conversion that hangs becomes a failure.
func ExampleHandlerTimeout() {
	h := conversion.Handler(func(ctx context.Context, _ *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}, conversion.HandlerTimeout(10*time.Millisecond), conversion.MaxObjects(1000), conversion.MaxConcurrent(8))
	review := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1",
		"objects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"x"}}]}}`
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(review))
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	_, message, _ := strings.Cut(rec.Body.String(), `"message":`)
	fmt.Println(strings.TrimRight(message, "}\n"))
	// Output: "objects[0] K x: context deadline exceeded"
}
