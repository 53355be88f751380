package conversion

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"
)

// An Option changes how the converter that [New] returns calls a webhook.
// Without options it calls like kube-apiserver 1.37. A later option wins over
// an earlier one, and a nil Option changes nothing.
type Option interface{ applyNew(*clientConfig) }

type clientConfig struct {
	transport    http.RoundTripper
	tls          *tls.Config
	certificates []tls.Certificate
	resolver     Resolver
	timeout      time.Duration
	maxResponse  int64 // 0 for a limit that depends on the request
}

type clientOption func(*clientConfig)

func (f clientOption) applyNew(c *clientConfig) { f(c) }

// DefaultTimeout is how long one call may take, retries included, as on the
// server.
const DefaultTimeout = 30 * time.Second

// Timeout sets how long one call may take, from the request to the last byte of
// the answer. The default is [DefaultTimeout]; a duration that is not positive
// means that only the context ends a call. The webhook gets to know it as the
// query parameter timeout.
func Timeout(d time.Duration) Option {
	return clientOption(func(c *clientConfig) { c.timeout = max(d, 0) })
}

// MaxResponseBytes sets how large an answer may be after decompression; a
// larger one is an error. The default is 64 MiB and in addition four times the
// size of the request; n that is not positive means the default. The server
// has no limit.
func MaxResponseBytes(n int64) Option {
	return clientOption(func(c *clientConfig) { c.maxResponse = max(n, 0) })
}

// Transport makes rt carry the requests. Then whom to trust, how to resolve a
// service and when to close connections is the business of rt: the
// definition's caBundle is not used, a service is addressed as
// https://name.namespace.svc:port, and New refuses the options [TLS],
// [ClientCertificate] and [Resolve].
func Transport(rt http.RoundTripper) Option {
	return clientOption(func(c *clientConfig) { c.transport = rt })
}

// TLS sets the configuration that TLS starts from; it is copied. If the
// definition has a caBundle, its certificates are trusted in addition to the
// RootCAs of config, or instead of the system's if config has none. A ServerName
// in config is kept.
func TLS(config *tls.Config) Option {
	return clientOption(func(c *clientConfig) { c.tls = config.Clone() })
}

// ClientCertificate makes the client show a certificate if the webhook asks for
// one. Given several times, the webhook's request decides which.
func ClientCertificate(cert tls.Certificate) Option {
	return clientOption(func(c *clientConfig) { c.certificates = append(c.certificates, cert) })
}

// A Resolver finds where a service listens: a host and port, such as
// "10.0.0.7:9443". Whatever it returns, the certificate must be for
// name.namespace.svc. It is called for each new connection and must be safe for
// concurrent use.
type Resolver func(ctx context.Context, namespace, name string, port int32) (hostPort string, err error)

// Resolve sets how the address of a service is found. Without it the name
// name.namespace.svc is looked up, which works inside a cluster. It has no effect
// on definitions that give a URL.
func Resolve(r Resolver) Option {
	return clientOption(func(c *clientConfig) { c.resolver = r })
}
