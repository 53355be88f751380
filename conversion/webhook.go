package conversion

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// ErrClosed reports that a converter was called after Close.
var ErrClosed = errors.New("the converter is closed")

type webhook struct {
	converter
	client *client
	// review is the version of ConversionReview, or "" if the definition names no known version.
	review string
}

func newWebhook(crd *apiextensionsv1.CustomResourceDefinition, opts []Option) (*webhook, error) {
	e, err := newEndpoint(crd)
	if err != nil {
		return nil, fmt.Errorf("conversion: %s: %w: %w", crd.Name, ErrNoWebhook, err)
	}
	c, err := newClient(e, opts)
	if err != nil {
		return nil, fmt.Errorf("conversion: %s: %w", crd.Name, err)
	}
	w := &webhook{client: c}
	w.converter = converter{versionsOf(crd), w.call}
	if c.own {
		// Idle connections do not outlive the converter.
		runtime.AddCleanup(w, (*http.Client).CloseIdleConnections, c.http)
	}
	accepted := crd.Spec.Conversion.Webhook.ConversionReviewVersions
	if i := slices.IndexFunc(accepted, func(v string) bool { return slices.Contains(reviewVersions, v) }); i >= 0 {
		w.review = accepted[i]
	}
	return w, nil
}

// Close implements io.Closer; see [New].
func (w *webhook) Close() error {
	w.client.life.close()
	return nil
}

// CloseIdleConnections closes idle connections; later calls make new ones. It does nothing if the
// caller provided the transport.
func (w *webhook) CloseIdleConnections() {
	if w.client.own {
		w.client.http.CloseIdleConnections()
	}
}

func (w *webhook) call(ctx context.Context, b *batch) ([]*unstructured.Unstructured, error) {
	if err := w.client.life.begin(); err != nil {
		return nil, b.failed(err)
	}
	defer w.client.life.done()
	if b.empty() {
		return b.relabel(), ctx.Err()
	}
	if w.review == "" {
		return nil, errors.New("no supported conversion review versions")
	}
	stale := b.unconverted()
	if len(stale) == 0 {
		return b.merge(ctx, nil, nil)
	}
	ctx, cancel := w.client.limited(ctx)
	defer cancel()
	r, err := w.exchange(ctx, stale, b.to)
	if err != nil {
		return nil, b.failed(err)
	}
	if r.count != len(stale) {
		return nil, fmt.Errorf("conversion webhook for %v returned %d objects, expected %d", b.gvk, r.count, len(stale))
	}
	return b.merge(ctx, stale, func(i int) (*unstructured.Unstructured, error) {
		return object(r.objects[i])
	})
}

// exchange sends objects and returns the response. A failure, or a response to another request, is
// an error.
func (w *webhook) exchange(ctx context.Context, objs []*unstructured.Unstructured, to schema.GroupVersion) (*response, error) {
	uid := newUID()
	body, err := encodeRequest(w.review, uid, objs, to)
	if err != nil {
		return nil, err
	}
	text, err := w.client.post(ctx, body)
	if err != nil {
		return nil, err
	}
	r, err := decodeResponse(text, w.review, len(objs), w.client.maxMemory)
	if err != nil {
		return nil, err
	}
	return r, w.check(r, uid)
}

// check returns an error for a failure, or if the response does not answer the request. A response
// of v1beta1 need not have the UID.
func (w *webhook) check(r *response, uid types.UID) error {
	v1 := w.review == apiextensionsv1.SchemeGroupVersion.Version
	want := schema.GroupVersionKind{Group: reviewGroup, Version: w.review, Kind: reviewKind}
	switch {
	case v1 && r.gvk != want:
		return fmt.Errorf("expected webhook response of %v, got %v", want, r.gvk)
	case r.body == nil:
		return errors.New("no response provided")
	case v1 && r.body.UID != uid:
		return fmt.Errorf("expected response.uid=%q, got %q", uid, r.body.UID)
	case r.body.Result.Status == metav1.StatusSuccess:
		return nil
	case r.body.Result.Message != "":
		return errors.New(r.body.Result.Message)
	default:
		return fmt.Errorf("response.result.status was '%s', not 'Success'", r.body.Result.Status)
	}
}

// newUID returns a random UUID (RFC 9562, version 4).
func newUID() types.UID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}
