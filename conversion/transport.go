package conversion

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// newTransport returns a transport like the server's. It uses HTTP/2 on the loopback
// interface only, because of load balancing.
func newTransport(e *endpoint, cfg clientConfig, life *lifetime) (*http.Transport, error) {
	config := cfg.tls
	if config == nil {
		config = &tls.Config{}
	}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	roots, err := e.trust(config.RootCAs)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoWebhook, err)
	}
	config.RootCAs = roots
	config.Certificates = slices.Concat(config.Certificates, cfg.certificates)
	if config.ServerName == "" {
		config.ServerName = e.serverName
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(e.loopback)
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	dial, proxy := dialer.DialContext, http.ProxyFromEnvironment
	if cfg.publicOnly {
		// A proxy would resolve names and choose addresses.
		dialer.Control, proxy = refusePrivate, nil
	}
	if cfg.resolver != nil && e.serverName != "" {
		dial = resolving(dialer, e, cfg.resolver)
	}
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            life.dialing(dial),
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    handshakeTimeout,
		MaxIdleConns:           idleConnections, // also with redirects to many hosts
		MaxIdleConnsPerHost:    idleConnections,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}, nil
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// resolving returns a dial function that asks the resolver for the address of a service.
func resolving(dialer *net.Dialer, e *endpoint, resolve Resolver) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == e.host {
			var err error
			if address, err = resolve(ctx, e.namespace, e.name, e.port); err != nil {
				return nil, err
			}
		}
		return dialer.DialContext(ctx, network, address)
	}
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != "https" {
		return errors.New("the webhook redirects to a URL without https")
	}
	if len(via) >= maxRedirects {
		return errors.New("stopped after 10 redirects")
	}
	return nil
}

// A lifetime is how long a client has connections: until close, when no call is in
// progress.
type lifetime struct {
	ctx    context.Context
	end    context.CancelFunc
	mu     sync.Mutex
	calls  int
	closed bool
}

func newLifetime() *lifetime {
	l := &lifetime{}
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// begin counts a call. It returns ErrClosed after close.
func (l *lifetime) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.calls++
	return nil
}

func (l *lifetime) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls--; l.closed && l.calls == 0 {
		l.end()
	}
}

func (l *lifetime) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed = true; l.calls == 0 {
		l.end()
	}
}

// dialing returns a dial function whose connections close at the end of the lifetime:
// net/http lets a dial go on after its request.
func (l *lifetime) dialing(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		defer context.AfterFunc(l.ctx, cancel)()
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &lifetimeConn{conn, context.AfterFunc(l.ctx, func() { _ = conn.Close() })}, nil
	}
}

// A lifetimeConn is a connection that closes when a lifetime ends. forget ends that.
type lifetimeConn struct {
	net.Conn
	forget func() bool
}

func (c *lifetimeConn) Close() error {
	c.forget()
	return c.Conn.Close()
}
