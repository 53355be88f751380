package conversion

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Converter converts objects between the versions of one definition.
// Implementations are safe for concurrent use.
type Converter interface {
	// Convert returns objs at version to, a name such as "v1", in the same order. It does not
	// change objs. The results are new objects, but they may share memory with objs below their
	// top-level fields: call DeepCopy before you change either.
	//
	// If one object cannot be converted, it returns an error and no objects.
	Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error)
}

// ErrNoWebhook reports a definition with the strategy Webhook whose webhook cannot be called: its
// address is missing or wrong, or its certificates cannot be read.
var ErrNoWebhook = errors.New("the definition's conversion strategy is Webhook, and there is no webhook to call")

// New returns the converter for the strategy of a definition: the converter of [None], or a client
// of its webhook. A definition without a conversion has the strategy None. New does not keep the
// definition.
//
// New does not call the webhook. If the webhook cannot be called, the error wraps [ErrNoWebhook].
// An unknown strategy is an error, and so are options that exclude one another. For None, options
// have no effect.
//
// The client of a webhook keeps connections for later calls, and implements [io.Closer]. Close does
// not wait, returns nil, and may be called several times and by several goroutines. Calls in
// progress end as usual. Later calls return an error that wraps [ErrClosed]. Without Close,
// connections are closed when they are idle for 90 seconds.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion.
func New(crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) (Converter, error) {
	if crd == nil {
		return nil, errors.New("conversion: the definition is nil")
	}
	if crd.Spec.Conversion == nil {
		return None(crd), nil
	}
	switch s := crd.Spec.Conversion.Strategy; s {
	case apiextensionsv1.NoneConverter, "":
		return None(crd), nil
	case apiextensionsv1.WebhookConverter:
		w, err := newWebhook(crd, opts)
		if err != nil {
			return nil, err
		}
		return w, nil
	default:
		return nil, fmt.Errorf("unknown conversion strategy %q for CRD %s", s, crd.Name)
	}
}

// ConvertList converts the items of a list to version to, like [Converter.Convert], and returns the
// list at that version. Its errors have the server's texts for lists. Like the results of Convert,
// the items share memory with the items of list.
//
// ConvertList does not change the list. If the list or the converter is nil, it returns an error.
func ConvertList(ctx context.Context, c Converter, list *unstructured.UnstructuredList, to string) (*unstructured.UnstructuredList, error) {
	if list == nil {
		return nil, errors.New("conversion: the list is nil")
	}
	if c == nil {
		return nil, errors.New("conversion: the converter is nil")
	}
	objs := make([]*unstructured.Unstructured, len(list.Items))
	for i := range list.Items {
		objs[i] = &list.Items[i]
	}
	gvk := list.GroupVersionKind()
	var converted []*unstructured.Unstructured
	var err error
	if own, ok := c.(interface{ common() *converter }); ok {
		converted, err = own.common().convert(ctx, gvk, objs, true, to)
	} else {
		converted, err = c.Convert(ctx, objs, to)
	}
	if err != nil {
		return nil, err
	}
	if len(converted) != len(objs) {
		return nil, fmt.Errorf("conversion: the converter returned %d objects for %d", len(converted), len(objs))
	}
	out := &unstructured.UnstructuredList{
		Object: withAPIVersion(list.Object, schema.GroupVersion{Group: gvk.Group, Version: to}.String()),
		Items:  make([]unstructured.Unstructured, len(converted)),
	}
	for i, item := range converted {
		if item == nil {
			return nil, fmt.Errorf("conversion: the converter returned nothing for item %d", i)
		}
		out.Items[i] = *item
	}
	return out, nil
}

// A converter is the common part of the converters of this package. run converts a batch.
type converter struct {
	versions versions
	run      func(context.Context, *batch) ([]*unstructured.Unstructured, error)
}

func (c *converter) common() *converter { return c }

// Convert implements Converter. It sends one object as an object, and several or none as a list.
func (c *converter) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	for i, obj := range objs {
		if obj == nil {
			return nil, fmt.Errorf("conversion: object %d of %d is nil", i, len(objs))
		}
	}
	gvk := schema.GroupVersionKind{Group: c.versions.group, Version: to, Kind: c.versions.listKind}
	if len(objs) == 1 {
		gvk = objs[0].GroupVersionKind()
	}
	return c.convert(ctx, gvk, objs, len(objs) != 1, to)
}

func (c *converter) convert(ctx context.Context, gvk schema.GroupVersionKind, objs []*unstructured.Unstructured, list bool, to string) ([]*unstructured.Unstructured, error) {
	b := &batch{gvk, objs, list, schema.GroupVersion{Group: c.versions.group, Version: to}}
	if err := c.versions.check(b); err != nil {
		return nil, err
	}
	return c.run(ctx, b)
}

// None returns the converter of the strategy None, whatever the definition's strategy is. It only
// changes apiVersion. Its results share everything below their top-level fields with its input.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#overview.
func None(crd *apiextensionsv1.CustomResourceDefinition) Converter {
	return &converter{versions: versionsOf(crd), run: func(ctx context.Context, b *batch) ([]*unstructured.Unstructured, error) {
		return b.relabel(), ctx.Err()
	}}
}

// An Option changes how the converter of [New] calls a webhook. Without options it calls as
// kube-apiserver 1.37 does. A later option wins over an earlier one, and a nil Option changes
// nothing.
type Option interface{ applyNew(*clientConfig) }

type clientConfig struct {
	transport    http.RoundTripper
	tls          *tls.Config
	certificates []tls.Certificate
	resolver     Resolver
	timeout      time.Duration
	publicOnly   bool
	maxResponse  int64 // if not positive, the limit depends on the request
	maxMemory    int64 // if not positive, the limit depends on the response
}

type clientOption func(*clientConfig)

func (f clientOption) applyNew(c *clientConfig) { f(c) }

// Timeout limits the duration of a call, from the request to the last decoded object of the
// response. The default is [DefaultTimeout]. If d is not positive, only the context ends a call.
// The webhook receives the duration in the query parameter timeout.
func Timeout(d time.Duration) Option {
	return clientOption(func(c *clientConfig) { c.timeout = max(d, 0) })
}

// MaxResponseBytes limits the size of a response after decompression. A larger response is an
// error. If n is not positive, the default applies: 64 MiB plus four times the size of the request.
func MaxResponseBytes(n int64) Option {
	return clientOption(func(c *clientConfig) { c.maxResponse = n })
}

// MaxResponseMemory limits the memory that the decoded objects of a response may hold. The memory
// is estimated from the text before the objects are decoded. A response that would hold more is an
// error. If n is not positive, the default applies: 64 MiB plus 16 times the size of the response.
func MaxResponseMemory(n int64) Option {
	return clientOption(func(c *clientConfig) { c.maxMemory = n })
}

// PublicAddressesOnly makes the converter connect to public addresses only. It refuses loopback,
// link-local, private (RFC 1918), shared, unique local, multicast and other reserved addresses, and
// IPv6 addresses that contain a refused IPv4 address. It checks the address of each connection
// after the name is resolved, also for redirects and a [Resolver]. The converter then uses no
// proxy, because a proxy would choose the address.
//
// Use it for definitions from strangers. Otherwise they could make the program connect to hosts
// that only the program can reach.
func PublicAddressesOnly() Option {
	return clientOption(func(c *clientConfig) { c.publicOnly = true })
}

// Transport sets the transport of requests. The transport then decides which certificates to trust,
// how to resolve a service and when to close connections. The caBundle of the definition is not
// used. A service has the address https://name.namespace.svc:port. New refuses the options [TLS],
// [ClientCertificate], [Resolve] and [PublicAddressesOnly]. Closing the converter does not close
// connections of rt. A nil rt means the default transport.
func Transport(rt http.RoundTripper) Option {
	return clientOption(func(c *clientConfig) { c.transport = rt })
}

// TLS sets the base of the TLS configuration, which it copies. If the definition has a caBundle,
// its certificates are added to config.RootCAs, or replace the system's certificates if
// config.RootCAs is nil. If config.ServerName is set, the certificate of the webhook must be for
// this name. The version of TLS is at least 1.2, whatever config says. A nil config means the
// default.
func TLS(config *tls.Config) Option {
	return clientOption(func(c *clientConfig) { c.tls = config.Clone() })
}

// ClientCertificate adds a certificate for webhooks that request one. If there are several, the
// request of the webhook selects one.
func ClientCertificate(cert tls.Certificate) Option {
	return clientOption(func(c *clientConfig) { c.certificates = append(c.certificates, cert) })
}

// A Resolver returns the host and port of a service, such as "10.0.0.7:9443". The certificate must
// still be for name.namespace.svc. A converter calls the Resolver for each new connection, from
// several goroutines.
type Resolver func(ctx context.Context, namespace, name string, port int32) (hostPort string, err error)

// Resolve sets the Resolver of service addresses. The default looks up name.namespace.svc, which
// works inside a cluster. A Resolver has no effect on definitions with a URL.
func Resolve(r Resolver) Option {
	return clientOption(func(c *clientConfig) { c.resolver = r })
}
