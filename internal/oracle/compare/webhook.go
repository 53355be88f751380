package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	upstreamconversion "k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/webhook"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// called is the number of objects of the list that a webhook converts.
const called = 500

// prepareWebhook converts a list with a webhook on the loopback interface. The webhook
// sends a prepared answer with the uid of the request. The yardstick only encodes the
// same objects, sends them to the same webhook and decodes the answer, all with
// encoding/json.
func prepareWebhook(c *testCase) (*pair, error) {
	if c.unknown || c.rules || len(testkit.Encode(c.stored)) > 20_000 {
		return nil, nil
	}
	list := webhookList(c)
	hook, err := newCannedWebhook(c, list)
	if err != nil {
		return nil, err
	}
	crd := c.crd.DeepCopy()
	crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{Name: converted})
	url := hook.server.URL
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ConversionReviewVersions: []string{"v1"},
			ClientConfig: &apiextensionsv1.WebhookClientConfig{
				URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.server.Certificate().Raw}),
			},
		},
	}
	factory, err := upstreamconversion.NewCRConverterFactory(webhook.NewDefaultServiceResolver(), func(r webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver { return r })
	if err != nil {
		return nil, err
	}
	theirs, _, err := factory.NewConverter(crd)
	if err != nil {
		return nil, err
	}
	ours, err := conversion.New(crd)
	if err != nil {
		return nil, err
	}
	target := runtimeschema.GroupVersion{Group: crd.Spec.Group, Version: converted}
	ctx := context.Background()
	a, errA := theirs.ConvertToVersion(list, target)
	b, errB := conversion.ConvertList(ctx, ours, list, converted)
	if errA != nil || errB != nil {
		return nil, fmt.Errorf("%w: %v, %v", errDiffer, errA, errB)
	}
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	if errA != nil || errB != nil || !bytes.Equal(x, y) {
		return nil, errDiffer
	}
	return &pair{
		upstream:      func(any) { _, _ = theirs.ConvertToVersion(list, target) },
		ours:          func(any) { _, _ = conversion.ConvertList(ctx, ours, list, converted) },
		yardstick:     func(any) { hook.bare(list) },
		yardstickName: "bare JSON and round trip",
	}, nil
}

// converted is a version that the definition does not have yet.
const converted = "v99"

func webhookList(c *testCase) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{Object: map[string]any{
		"apiVersion": c.stored["apiVersion"], "kind": c.crd.Spec.Names.Kind + "List",
	}}
	for i := range called {
		obj := unstructured.Unstructured{Object: testkit.Clone(c.stored)}
		obj.SetName(fmt.Sprintf("object-%d", i))
		list.Items = append(list.Items, obj)
	}
	return list
}

// A cannedWebhook has a prepared answer, without the uid.
type cannedWebhook struct {
	server        *httptest.Server
	client        *http.Client
	before, after []byte
}

func newCannedWebhook(c *testCase, list *unstructured.UnstructuredList) (*cannedWebhook, error) {
	var objects []any
	for i := range list.Items {
		obj := list.Items[i].DeepCopy()
		obj.SetAPIVersion(c.crd.Spec.Group + "/" + converted)
		objects = append(objects, obj.Object)
	}
	data, err := json.Marshal(objects)
	if err != nil {
		return nil, err
	}
	h := &cannedWebhook{
		before: []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"`),
		after:  []byte(`","result":{"status":"Success"},"convertedObjects":` + string(data) + `}}`),
	}
	h.server = httptest.NewUnstartedServer(h)
	h.server.EnableHTTP2 = true
	h.server.StartTLS()
	h.client = h.server.Client()
	return h, nil
}

func (h *cannedWebhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key := []byte(`"uid":"`)
	uid := body[bytes.Index(body, key)+len(key):]
	uid = uid[:bytes.IndexByte(uid, '"')]
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(h.before)+len(uid)+len(h.after)))
	for _, part := range [][]byte{h.before, uid, h.after} {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

// bare does only what every client must do.
func (h *cannedWebhook) bare(list *unstructured.UnstructuredList) {
	objects := make([]any, len(list.Items))
	for i := range list.Items {
		objects[i] = list.Items[i].Object
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"request": map[string]any{"uid": "1", "desiredAPIVersion": converted, "objects": objects},
	})
	if err != nil {
		return
	}
	resp, err := h.client.Post(h.server.URL, "application/json", bytes.NewReader(body))
	if err != nil {
		return
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return
	}
	var out any
	_ = json.Unmarshal(data, &out)
}
