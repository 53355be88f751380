package conversion

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"
)

// An Option changes how the converter of [New] calls a webhook. Without options
// it calls as kube-apiserver 1.37 does. A later option wins over an earlier
// one, and a nil Option changes nothing.
type Option interface{ applyNew(*clientConfig) }

type clientConfig struct {
	transport    http.RoundTripper
	tls          *tls.Config
	certificates []tls.Certificate
	resolver     Resolver
	timeout      time.Duration
	publicOnly   bool
	maxResponse  int64 // the limit depends on the request if it is not positive
	maxMemory    int64 // the limit depends on the response if it is not positive
}

type clientOption func(*clientConfig)

func (f clientOption) applyNew(c *clientConfig) { f(c) }

// Timeout sets the maximal duration of a call, from the request to the last
// decoded object of the response. The default is [DefaultTimeout]. With a duration that
// is not positive, only the context ends a call. The webhook receives the
// duration in the query parameter timeout.
func Timeout(d time.Duration) Option {
	return clientOption(func(c *clientConfig) { c.timeout = max(d, 0) })
}

// MaxResponseBytes sets the maximal size of a response after decompression. A larger
// response is an error. The default, which a size that is not positive means too, is 64 MiB
// plus four times the size of the request. The server has no limit.
func MaxResponseBytes(n int64) Option {
	return clientOption(func(c *clientConfig) { c.maxResponse = n })
}

// MaxResponseMemory sets the maximal memory that the decoded objects of a response
// may hold, as estimated from the text before they are decoded. A response that
// would hold more is an error. The default, which a size that is not positive means
// too, is 64 MiB plus 16 times the size of the response. The server has no limit.
func MaxResponseMemory(n int64) Option {
	return clientOption(func(c *clientConfig) { c.maxMemory = n })
}

// PublicAddressesOnly makes the converter connect to public addresses only. It
// refuses loopback, link-local, private (RFC 1918), shared, unique local, multicast
// and other reserved addresses, IPv4 addresses within IPv6 addresses included. It
// checks the address of each connection after the name is resolved, also those of
// redirects and of a [Resolver]. The converter does not use a proxy then, because a
// proxy would choose the address.
//
// Use it for definitions from strangers, which could otherwise make the program
// connect to hosts that only the program can reach. Services inside a cluster have
// private addresses and cannot be called with it.
func PublicAddressesOnly() Option {
	return clientOption(func(c *clientConfig) { c.publicOnly = true })
}

// Transport sets the transport of requests. The transport then decides which
// certificates to trust, how to resolve a service and when to close
// connections: the caBundle of the definition is not used, a service has the
// address https://name.namespace.svc:port, and New refuses the options [TLS],
// [ClientCertificate], [Resolve] and [PublicAddressesOnly]. Closing the converter does
// not close connections of rt. A nil rt means the default transport.
func Transport(rt http.RoundTripper) Option {
	return clientOption(func(c *clientConfig) { c.transport = rt })
}

// TLS sets the base of the TLS configuration, which the option copies. The certificates of
// the caBundle, if any, are trusted in addition to config.RootCAs, or instead of those of
// the system if config has none. A ServerName in config takes precedence. The version of
// TLS is at least 1.2, whatever config says. A nil config means the default.
func TLS(config *tls.Config) Option {
	return clientOption(func(c *clientConfig) { c.tls = config.Clone() })
}

// ClientCertificate adds a certificate for webhooks that request one. The
// request of the webhook selects among several.
func ClientCertificate(cert tls.Certificate) Option {
	return clientOption(func(c *clientConfig) { c.certificates = append(c.certificates, cert) })
}

// A Resolver returns the host and port of a service, such as "10.0.0.7:9443".
// The certificate must be for name.namespace.svc in any case. A converter calls
// the Resolver for each new connection, from several goroutines.
type Resolver func(ctx context.Context, namespace, name string, port int32) (hostPort string, err error)

// Resolve sets the Resolver of service addresses. The default looks up name.namespace.svc,
// which works inside a cluster. It has no effect on definitions with a URL.
func Resolve(r Resolver) Option {
	return clientOption(func(c *clientConfig) { c.resolver = r })
}
