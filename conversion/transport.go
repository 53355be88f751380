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
	"sync/atomic"
	"time"
)

// newTransport returns a transport like that of the server. It uses HTTP/2 on
// the loopback interface only: connections that carry many requests would
// defeat the load balancing of a service.
func newTransport(e *endpoint, cfg clientConfig, conns *connections) (*http.Transport, error) {
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
		DialContext:            conns.tracking(dial),
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

// resolving returns a dial function that connects to the address of the
// resolver instead of the service's name.
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

// connections counts the calls of a client and knows its open connections. After
// close no call can begin, and the last one that ends closes the connections.
type connections struct {
	tracks bool // false for the transport of the caller
	mu     sync.Mutex
	calls  int
	closed bool
	open   map[*trackedConn]struct{}
}

// begin counts a call, which end ends. It returns ErrClosed after close.
func (c *connections) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.calls++
	return nil
}

func (c *connections) end() {
	c.mu.Lock()
	c.calls--
	c.mu.Unlock()
	c.closeUnused()
}

func (c *connections) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.closeUnused()
}

// closeUnused closes all connections if they are closed for calls and there is no
// call in progress.
func (c *connections) closeUnused() {
	c.mu.Lock()
	var open []*trackedConn
	if c.closed && c.calls == 0 {
		for conn := range c.open {
			open = append(open, conn)
		}
	}
	c.mu.Unlock()
	for _, conn := range open {
		_ = conn.Close()
	}
}

// tracking returns a dial function whose connections c knows. net/http lets a dial
// go on when its request ends; this one ends with the call that began it. A connection
// that is ready after c is closed for calls is closed.
func (c *connections) tracking(dial dialFunc) dialFunc {
	c.tracks = true
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		call, ok := ctx.Value(callKey{}).(context.Context)
		if !ok {
			call = ctx
		}
		defer context.AfterFunc(call, cancel)()
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		tracked := &trackedConn{Conn: conn, of: c}
		c.mu.Lock()
		if c.open == nil {
			c.open = map[*trackedConn]struct{}{}
		}
		c.open[tracked] = struct{}{}
		c.mu.Unlock()
		context.AfterFunc(call, tracked.closeIfSilent)
		c.closeUnused()
		return tracked, nil
	}
}

// callKey is the key of the context of a call among its own values. A dial finds it
// there, because net/http takes the values of the context and not its end.
type callKey struct{}

// A trackedConn is an open connection of a client.
type trackedConn struct {
	net.Conn
	of    *connections
	heard atomic.Bool // it has received something
}

func (c *trackedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && !c.heard.Load() {
		c.heard.Store(true)
	}
	return n, err
}

// closeIfSilent closes a connection whose handshake has no answer yet.
func (c *trackedConn) closeIfSilent() {
	if !c.heard.Load() {
		_ = c.Close()
	}
}

func (c *trackedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
