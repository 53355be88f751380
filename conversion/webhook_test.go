package conversion_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

const beta, stable = "stable.example.com/v1beta1", "stable.example.com/v1"

// recorder records the requests that a handler receives.
type recorder struct {
	next http.Handler
	mu   sync.Mutex
	seen []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var review struct {
		APIVersion string
		Request    struct {
			DesiredAPIVersion string
			Objects           []struct{ Metadata struct{ Name string } }
		}
	}
	if err := json.Unmarshal(body, &review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var names []string
	for _, o := range review.Request.Objects {
		names = append(names, o.Metadata.Name)
	}
	r.mu.Lock()
	r.seen = append(r.seen, fmt.Sprintln(req.Host, req.URL, req.TLS.ServerName, review.APIVersion, review.Request.DesiredAPIVersion, names))
	r.mu.Unlock()
	req.Body = io.NopCloser(strings.NewReader(string(body)))
	r.next.ServeHTTP(w, req)
}

func named(name, apiVersion string) *unstructured.Unstructured {
	obj := object(apiVersion)
	obj.SetName(name)
	return obj
}

func TestWebhook(t *testing.T) {
	a := newAuthority(t)
	r := &recorder{next: conversion.Handler(renaming)}
	s := a.start(t, r)
	for _, tt := range []struct{ reviews, want string }{
		{"v1", "v1"}, {"v1beta1", "v1beta1"}, {"v2 v1beta1 v1", "v1beta1"}, {"v1 v1beta1", "v1"},
	} {
		t.Run(tt.reviews, func(t *testing.T) {
			r.seen = nil
			c := client(t, calling(s.URL+"/convert", a.bundle(), strings.Fields(tt.reviews)...))
			in := []*unstructured.Unstructured{named("a", beta), named("b", stable), named("c", beta)}
			out, err := convert(c, "v1", in...)
			if err != nil {
				t.Fatal(err)
			}
			for i, name := range []string{"a", "b", "c"} {
				want := named(name, stable)
				if name != "b" {
					want.Object["spec"] = map[string]any{"items": []any{int64(1)}}
				}
				if diff := cmp.Diff(want, out[i]); diff != "" {
					t.Errorf("object %d (-want +got):\n%s", i, diff)
				}
			}
			if diff := cmp.Diff([]*unstructured.Unstructured{named("a", beta), named("b", stable), named("c", beta)}, in); diff != "" {
				t.Errorf("Convert changed its input (-want +got):\n%s", diff)
			}
			host := strings.TrimPrefix(s.URL, "https://")
			want := []string{fmt.Sprintln(host, "/convert?timeout=30s", "", "apiextensions.k8s.io/"+tt.want, stable, "[a c]")}
			if diff := cmp.Diff(want, r.seen); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotCalled makes conversions that need no webhook.
func TestNotCalled(t *testing.T) {
	c := client(t, calling("https://127.0.0.1:1", nil)) // no program listens at this port
	bare := &unstructured.Unstructured{Object: map[string]any{"apiVersion": beta, "kind": "CronTab"}}
	for name, objs := range map[string][]*unstructured.Unstructured{
		"no object": {}, "a converted object": {object(stable)}, "an object of a type only": {bare},
		"converted objects": {object(stable), object(stable)},
	} {
		out, err := convert(c, "v1", objs...)
		if err != nil || len(out) != len(objs) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
		for _, obj := range out {
			if obj.GetAPIVersion() != stable {
				t.Errorf("%s: %v", name, obj)
			}
		}
	}
	if _, err := convert(c, "v1", object(stable), nil); err == nil {
		t.Error("Convert of nil succeeds")
	}
	if _, err := convert(client(t, calling("https://127.0.0.1:1", nil, "v2")), "v1", object(beta)); fmt.Sprint(err) != "no supported conversion review versions" {
		t.Errorf("Convert without a known review: %v", err)
	}
}

func TestService(t *testing.T) {
	a := newAuthority(t)
	r := &recorder{next: conversion.Handler(renaming)}
	s := a.start(t, r)
	path, port, lowest, highest := "/a/convert", int32(9443), int32(1), int32(65535)
	for _, tt := range []struct {
		name     string
		service  apiextensionsv1.ServiceReference
		wantPort int32
		want     string
	}{
		{"defaults", apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook"}, 443, "hook.ns.svc:443 /?timeout=30s hook.ns.svc"},
		{"lowest port", apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook", Port: &lowest}, 1, "hook.ns.svc:1 /?timeout=30s hook.ns.svc"},
		{"highest port", apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook", Port: &highest}, 65535, "hook.ns.svc:65535 /?timeout=30s hook.ns.svc"},
		{"port and path", apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook", Port: &port, Path: &path}, 9443, "hook.ns.svc:9443 /a/convert?timeout=30s hook.ns.svc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r.seen = nil
			c := client(t, referring(tt.service, a.bundle()), conversion.Resolve(func(_ context.Context, namespace, name string, port int32) (string, error) {
				if namespace != "ns" || name != "hook" || port != tt.wantPort {
					t.Errorf("resolving %s/%s:%d", namespace, name, port)
				}
				return s.Listener.Addr().String(), nil
			}))
			if _, err := convert(c, "v1", object(beta)); err != nil {
				t.Fatal(err)
			}
			if want := tt.want + " apiextensions.k8s.io/v1 " + stable + " [a]\n"; r.seen[0] != want {
				t.Errorf("request %q, want %q", r.seen[0], want)
			}
		})
	}
	lost := client(t, referring(apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook"}, a.bundle()),
		conversion.Resolve(func(context.Context, string, string, int32) (string, error) { return "", io.ErrNoProgress }))
	if _, err := convert(lost, "v1", object(beta)); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Convert without an address: %v", err)
	}
}

func TestNoWebhook(t *testing.T) {
	zero, high, relative := int32(-1), int32(65536), "a"
	service := func(s apiextensionsv1.ServiceReference) *apiextensionsv1.CustomResourceDefinition {
		return referring(s, nil)
	}
	nothing := calling("", nil)
	nothing.Spec.Conversion.Webhook.ClientConfig.URL = nil
	both := calling("https://a", nil)
	both.Spec.Conversion.Webhook.ClientConfig.Service = &apiextensionsv1.ServiceReference{}
	for name, crd := range map[string]*apiextensionsv1.CustomResourceDefinition{
		"required when strategy":              definition(apiextensionsv1.WebhookConverter),
		"exactly one of url or service":       nothing,
		"exactly one of url or service is":    both,
		"'https' is the only allowed":         calling("http://example.com", nil),
		"host must be specified":              calling("https:///path", nil),
		"url must be a valid URL":             calling("https://a b", nil),
		"user information is not permitted":   calling("https://me:secret@example.com", nil),
		"fragments are not permitted":         calling("https://example.com/#a", nil),
		"query parameters are not":            calling("https://example.com/?a=b", nil),
		"unable to parse bytes as PEM block":  calling("https://example.com", []byte("text")),
		"no valid certificate authority data": calling("https://example.com", []byte("-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n")),
		"failed to parse certificate":         calling("https://example.com", []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")),
		"service name is required":            service(apiextensionsv1.ServiceReference{Namespace: "a"}),
		"service namespace is required":       service(apiextensionsv1.ServiceReference{Name: "a"}),
		"port is not valid":                   service(apiextensionsv1.ServiceReference{Namespace: "a", Name: "b", Port: &zero}),
		"port is not valid: must":             service(apiextensionsv1.ServiceReference{Namespace: "a", Name: "b", Port: &high}),
		"must start with a '/'":               service(apiextensionsv1.ServiceReference{Namespace: "a", Name: "b", Path: &relative}),
	} {
		c, err := conversion.New(crd)
		if c != nil || !errors.Is(err, conversion.ErrNoWebhook) || !strings.Contains(err.Error(), name) {
			t.Errorf("New = %v, %v, want ErrNoWebhook with %q", c, err, name)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error contains the password: %v", err)
		}
	}
	c, err := conversion.New(calling("https://example.com", nil), conversion.Transport(http.DefaultTransport), conversion.ClientCertificate(tls.Certificate{}))
	if c != nil || err == nil || errors.Is(err, conversion.ErrNoWebhook) {
		t.Errorf("New with options that exclude one another = %v, %v", c, err)
	}
}

func TestClientOptions(t *testing.T) {
	a := newAuthority(t)
	strict := a.start(t, conversion.Handler(renaming), func(s *httptest.Server) {
		s.TLS.ClientAuth, s.TLS.ClientCAs = tls.RequireAndVerifyClientCert, a.pool()
	})
	shown := a.certificate(t, time.Time{}, "client")
	if _, err := convert(client(t, calling(strict.URL, a.bundle())), "v1", object(beta)); err == nil {
		t.Error("a webhook that wants a certificate converts without one")
	}
	for name, c := range map[string]conversion.Converter{
		"ClientCertificate": client(t, calling(strict.URL, a.bundle()), conversion.ClientCertificate(shown)),
		"TLS":               client(t, calling(strict.URL, nil), conversion.TLS(&tls.Config{RootCAs: a.pool(), Certificates: []tls.Certificate{shown}})),
		"both roots":        client(t, calling(strict.URL, a.bundle()), conversion.TLS(&tls.Config{RootCAs: newAuthority(t).pool()}), conversion.ClientCertificate(shown)),
		"Transport": client(t, calling(strict.URL, nil), conversion.Transport(&http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: a.pool(), Certificates: []tls.Certificate{shown}},
		})),
	} {
		if _, err := convert(c, "v1", object(beta)); err != nil {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

// TestConnections checks the number and the protocol of connections.
func TestConnections(t *testing.T) {
	a := newAuthority(t)
	var opened atomic.Int32
	var mu sync.Mutex
	protocols := map[string]int{}
	convertNoting := conversion.Handler(renaming)
	s := a.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		protocols[r.Proto]++
		mu.Unlock()
		convertNoting.ServeHTTP(w, r)
	}), func(s *httptest.Server) {
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		}
	})
	toURL := client(t, calling(s.URL, a.bundle()))
	toService := client(t, referring(apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook"}, a.bundle()),
		conversion.Resolve(func(context.Context, string, string, int32) (string, error) { return s.Listener.Addr().String(), nil }))
	if opened.Load() != 0 {
		t.Errorf("New opened %d connections", opened.Load())
	}
	for range 20 {
		for _, c := range []conversion.Converter{toURL, toService} {
			if _, err := convert(c, "v1", object(beta)); err != nil {
				t.Fatal(err)
			}
		}
	}
	// With HTTP/1.1, a call may start before the connection of the last one
	// returns to the pool.
	if n := opened.Load(); n < 2 || n > 10 {
		t.Errorf("%d connections for 40 calls of two converters, want 2", n)
	}
	if diff := cmp.Diff(map[string]int{"HTTP/2.0": 20, "HTTP/1.1": 20}, protocols); diff != "" {
		t.Errorf("protocols (-want +got):\n%s", diff)
	}
}

func TestConcurrentCallers(t *testing.T) {
	a := newAuthority(t)
	s := a.start(t, conversion.Handler(renaming))
	c := client(t, calling(s.URL, a.bundle()))
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			for k := range 5 {
				name := fmt.Sprintf("object-%d-%d", i, k)
				out, err := convert(c, "v1", named(name, beta), named(name+"-second", beta))
				if err != nil {
					t.Error(err)
					return
				}
				if out[0].GetName() != name || out[1].GetName() != name+"-second" {
					t.Errorf("got %s and %s for %s", out[0].GetName(), out[1].GetName(), name)
				}
			}
		})
	}
	group.Wait()
}

func TestLargeList(t *testing.T) {
	const n = 10_000
	a := newAuthority(t)
	s := a.start(t, conversion.Handler(renaming))
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": stable, "kind": "CronTabList", "metadata": map[string]any{"resourceVersion": "9"}}}
	for i := range n {
		apiVersion := beta
		if i%3 == 0 {
			apiVersion = stable
		}
		list.Items = append(list.Items, *named(fmt.Sprint("object-", i), apiVersion))
	}
	out, err := conversion.ConvertList(context.Background(), client(t, calling(s.URL, a.bundle())), list, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Items) != n || out.GetResourceVersion() != "9" {
		t.Fatalf("ConvertList returned %d items of %v", len(out.Items), out.Object)
	}
	for i := range out.Items {
		item := &out.Items[i]
		_, renamed, _ := unstructured.NestedSlice(item.Object, "spec", "items")
		if item.GetName() != fmt.Sprint("object-", i) || item.GetAPIVersion() != stable || renamed == (i%3 == 0) {
			t.Fatalf("item %d: %v", i, item)
		}
	}
}
