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

// webhook is the converter of the strategy Webhook. Only the connections of its
// client change.
type webhook struct {
	versions versions
	client   *client
	// review is the version of ConversionReview, "" if the webhook names no
	// known one.
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
	w := &webhook{versions: versionsOf(crd), client: c}
	if own, ok := c.http.Transport.(*http.Transport); ok && c.conns.tracks {
		// Connections that wait for calls do not outlive the converter.
		runtime.AddCleanup(w, (*http.Transport).CloseIdleConnections, own)
	}
	accepted := crd.Spec.Conversion.Webhook.ConversionReviewVersions
	if i := slices.IndexFunc(accepted, func(v string) bool { return slices.Contains(reviewVersions, v) }); i >= 0 {
		w.review = accepted[i]
	}
	return w, nil
}

func (w *webhook) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	b, err := w.versions.batch(ctx, objs, to)
	if err != nil {
		return nil, err
	}
	return w.run(ctx, b)
}

// Close implements io.Closer; see [New].
func (w *webhook) Close() error {
	w.client.conns.close()
	return nil
}

// CloseIdleConnections closes connections that wait for calls, except for those of a
// transport of the caller. Later calls make new ones.
func (w *webhook) CloseIdleConnections() {
	if w.client.conns.tracks {
		w.client.http.CloseIdleConnections()
	}
}

func (w *webhook) convertList(ctx context.Context, list *unstructured.UnstructuredList, to string) (*unstructured.UnstructuredList, error) {
	b, err := w.versions.listBatch(ctx, list, to)
	if err != nil {
		return nil, err
	}
	out, err := w.run(ctx, b)
	if err != nil {
		return nil, err
	}
	return listOf(list, b.to.String(), out)
}

func (w *webhook) run(ctx context.Context, b *batch) ([]*unstructured.Unstructured, error) {
	if err := w.client.conns.begin(); err != nil {
		return nil, fmt.Errorf("conversion webhook for %v failed: %w", b.gvk, err)
	}
	defer w.client.conns.end()
	if b.empty() {
		return b.relabel(ctx)
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
	return w.exchange(ctx, b, stale)
}

// exchange sends the objects that have to be converted and returns all objects of
// the batch.
func (w *webhook) exchange(ctx context.Context, b *batch, stale []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	uid := newUID()
	r, err := w.call(ctx, uid, stale, b.to)
	if err == nil {
		err = w.check(r, uid)
	}
	if err != nil {
		return nil, fmt.Errorf("conversion webhook for %v failed: %w", b.gvk, err)
	}
	if r.count != len(stale) {
		return nil, fmt.Errorf("conversion webhook for %v returned %d objects, expected %d", b.gvk, r.count, len(stale))
	}
	converted, err := b.objects(ctx, r, stale)
	if err != nil {
		return nil, err
	}
	return b.merge(ctx, stale, converted)
}

// objects returns the objects of a response. If one cannot be decoded, it first
// checks those before it, whose errors the server would report first.
func (b *batch) objects(ctx context.Context, r *reply, stale []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	out := make([]*unstructured.Unstructured, len(r.objects))
	for i, o := range r.objects {
		obj, err := o.object()
		if err == nil {
			out[i] = obj
			continue
		}
		if ctx.Err() != nil {
			return nil, b.ended(ctx)
		}
		for before := range i {
			if err := b.accept(ctx, stale[before], out[before]); err != nil {
				return nil, b.refuse(before, err)
			}
		}
		return nil, b.refuse(i, &conversionError{undecodable, err})
	}
	return out, nil
}

// ended returns the error of a call whose context ended.
func (b *batch) ended(ctx context.Context) error {
	return fmt.Errorf("conversion webhook for %v failed: %w", b.gvk, ctx.Err())
}

// call sends objects to the webhook and decodes the response.
func (w *webhook) call(ctx context.Context, uid types.UID, objs []*unstructured.Unstructured, to schema.GroupVersion) (*reply, error) {
	body, err := encodeRequest(ctx, w.review, uid, objs, to)
	if err != nil {
		return nil, err
	}
	data, err := w.client.post(ctx, body)
	if err != nil {
		return nil, err
	}
	return w.client.decoder.decode(ctx, data, w.review, len(objs), w.client.maxMemory)
}

// check returns an error for a response that does not answer the request or
// that reports a failure. A response in v1beta1 need not name the request.
func (w *webhook) check(r *reply, uid types.UID) error {
	v1 := w.review == apiextensionsv1.SchemeGroupVersion.Version
	want := schema.GroupVersionKind{Group: reviewGroup, Version: w.review, Kind: reviewKind}
	switch {
	case v1 && r.gvk != want:
		return fmt.Errorf("expected webhook response of %v, got %v", want, r.gvk)
	case !r.found:
		return errors.New("no response provided")
	case v1 && r.uid != uid:
		return fmt.Errorf("expected response.uid=%q, got %q", uid, r.uid)
	case r.result.Status == metav1.StatusSuccess:
		return nil
	case r.result.Message != "":
		return errors.New(r.result.Message)
	default:
		return fmt.Errorf("response.result.status was '%s', not 'Success'", r.result.Status)
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
