package conversion

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type client struct {
	http        *http.Client
	life        *lifetime
	own         bool // the caller did not set the transport
	url         string
	timeout     time.Duration
	maxResponse int64
	maxMemory   int64
}

func newClient(e *endpoint, opts []Option) (*client, error) {
	cfg := clientConfig{timeout: DefaultTimeout}
	for _, opt := range opts {
		if opt != nil {
			opt.applyNew(&cfg)
		}
	}
	life := newLifetime()
	transport := cfg.transport
	if transport != nil {
		if cfg.tls != nil || cfg.certificates != nil || cfg.resolver != nil || cfg.publicOnly {
			return nil, errors.New("conversion: the option Transport excludes TLS, ClientCertificate, Resolve and PublicAddressesOnly")
		}
	} else {
		own, err := newTransport(e, cfg, life)
		if err != nil {
			return nil, err
		}
		transport = own
	}
	address := url.URL{Scheme: e.scheme, Host: e.host, Path: e.path}
	if cfg.timeout > 0 {
		address.RawQuery = url.Values{"timeout": {cfg.timeout.String()}}.Encode()
	}
	return &client{
		http:        &http.Client{Transport: transport, CheckRedirect: checkRedirect},
		life:        life,
		own:         cfg.transport == nil,
		url:         address.String(),
		timeout:     cfg.timeout,
		maxResponse: cfg.maxResponse,
		maxMemory:   cfg.maxMemory,
	}, nil
}

func (c *client) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.timeout > 0 {
		return context.WithTimeout(ctx, c.timeout)
	}
	return context.WithCancel(ctx)
}

// post sends a review and returns the body of the response. Its errors have the texts of the
// server's client.
func (c *client) post(ctx context.Context, body []byte) (string, error) {
	for attempt := 1; ; attempt++ {
		resp, err := c.send(ctx, body)
		if err != nil {
			return "", err
		}
		wait, again := retryAfter(resp)
		if !again || attempt == maxAttempts {
			return c.receive(resp, len(body))
		}
		discard(resp)
		sleep(ctx, wait)
	}
}

func (c *client) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, */*")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "crdkit")
	return c.http.Do(req)
}

// retryAfter returns the delay of a Retry-After header in seconds, if there is one.
func retryAfter(resp *http.Response) (time.Duration, bool) {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode < 500 {
		return 0, false
	}
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	// The server's client overflows for a large number and does not wait.
	return time.Duration(min(int64(seconds), math.MaxInt64/int64(time.Second))) * time.Second, err == nil
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// discard reads the rest of a body, up to a limit, so that the connection can be reused.
func discard(resp *http.Response) {
	const slurp = 2 << 10
	_, _ = io.CopyN(io.Discard, resp.Body, slurp)
	_ = resp.Body.Close()
}

func (c *client) receive(resp *http.Response, sent int) (string, error) {
	defer discard(resp)
	text, err := c.read(resp, sent)
	if err != nil {
		return "", err
	}
	contentType := resp.Header.Get("Content-Type")
	if contentType == "" {
		contentType = "application/json"
	}
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return "", apierrors.NewInternalError(err)
	case resp.StatusCode < http.StatusOK || resp.StatusCode > http.StatusPartialContent:
		return "", statusError(resp, media, text)
	case text == "":
		return "", fmt.Errorf("0-length response with status code: %d and content type: %s", resp.StatusCode, contentType)
	}
	return text, nil
}

func (c *client) read(resp *http.Response, sent int) (string, error) {
	limit := positive(c.maxResponse, minResponseLimit+responseFactor*int64(sent))
	if resp.ContentLength > limit {
		return "", tooLarge(limit)
	}
	var text strings.Builder
	text.Grow(int(min(max(resp.ContentLength, 0), maxWhole))) // a wrong Content-Length must not take more memory
	_, err := io.Copy(&text, io.LimitReader(resp.Body, limit+1))
	var broken streamError
	switch {
	case errors.As(err, &broken):
		return "", fmt.Errorf("stream error when reading response body, may be caused by closed connection. Please retry. Original error: %w", err)
	case err != nil:
		return "", fmt.Errorf("unexpected error when reading response body. Please retry. Original error: %w", err)
	case int64(text.Len()) > limit:
		return "", tooLarge(limit)
	}
	return text.String(), nil
}

func tooLarge(limit int64) error {
	return fmt.Errorf("the response is larger than %d bytes", limit)
}

// A streamError receives the error of a reset HTTP/2 stream. net/http fills in its fields.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string {
	return fmt.Sprintf("stream error: stream ID %d; code %d", e.StreamID, e.Code)
}

// statusError returns the error of a response that is not a success: the Status in the body or, if
// there is none, the text of the body.
func statusError(resp *http.Response, media, body string) error {
	if status := decodeStatus(body); status != nil {
		return apierrors.FromObject(status)
	}
	text := "unknown"
	if strings.HasPrefix(media, "text/") || resp.Header.Get("Content-Type") == "" {
		text = strings.TrimSpace(body[:min(len(body), maxErrorText)])
	}
	return apierrors.NewGenericServerResponse(resp.StatusCode, http.MethodPost, schema.GroupResource{}, "", text, 0, true)
}

// newTransport returns a transport like the server's. It uses HTTP/2 only on the loopback
// interface: elsewhere one HTTP/2 connection would defeat load balancing.
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
		// Through a proxy, refusePrivate would not see the address of the webhook.
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
		MaxIdleConns:           idleConnections, // over all hosts
		MaxIdleConnsPerHost:    idleConnections,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}, nil
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// resolving returns a dial function that asks the resolver for the address of the service.
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

// A lifetime is the time in which a client may have connections. After close it ends as soon as no
// call is in progress.
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

// dialing returns a dial function whose connections close at the end of the lifetime. net/http may
// continue a dial after its request has ended.
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

// A lifetimeConn is a connection that closes at the end of a lifetime, unless forget was called.
type lifetimeConn struct {
	net.Conn
	forget func() bool
}

func (c *lifetimeConn) Close() error {
	c.forget()
	return c.Conn.Close()
}
