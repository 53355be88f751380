package conversion_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

func tlsOf(cert tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{cert}}
}

// A hostileWebhook is a class of webhooks that attack the program that calls them.
type hostileWebhook struct {
	name  string
	serve http.Handler
	tune  func(*httptest.Server)
	raw   func(net.Conn) // in place of serve, without TLS
	opts  []conversion.Option
	objs  []*unstructured.Unstructured // one if nil
	want  string                       // in the error, "" for success
	bytes int                          // of the answer
}

// answerWith answers a review rightly, except that objects is the text of the
// converted objects, repeated until there are n bytes of it.
func answerWith(prefix, unit, suffix string, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		uid := uidOf(r)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"`+uid+`","result":{"status":"Success"},"convertedObjects":[`+prefix)
		_, _ = io.WriteString(w, strings.TrimPrefix(unit, ","))
		_ = repeat(w, unit, n)
		_, _ = io.WriteString(w, suffix+`]}}`)
	}
}

// repeat writes n bytes of unit.
func repeat(w io.Writer, unit string, n int) error {
	chunk := []byte(strings.Repeat(unit, 1+32<<10/len(unit)))
	for n > 0 {
		k, err := w.Write(chunk)
		if err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func uidOf(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	_, after, _ := bytes.Cut(body, []byte(`"uid":"`))
	uid, _, _ := bytes.Cut(after, []byte(`"`))
	return string(uid)
}

const converted = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":`

func raw(text string) func(*httptest.Server) http.Handler {
	return func(*httptest.Server) http.Handler {
		return hijacked(func(c net.Conn) { _, _ = io.WriteString(c, text) })
	}
}

func bomb(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		z := gzip.NewWriter(w)
		_ = repeat(z, " ", n)
		_ = z.Close()
	}
}

func hostileWebhooks(size int, other string) []hostileWebhook {
	good := conversion.Handler(renaming)
	http1 := func(s *httptest.Server) { s.EnableHTTP2 = false }
	short := []conversion.Option{conversion.Timeout(400 * time.Millisecond)}
	small := []conversion.Option{conversion.MaxResponseBytes(1 << 20)}
	ended := "context deadline exceeded"
	two := []*unstructured.Unstructured{named("first", beta), named("second", beta)}
	large := named("a", beta)
	large.Object["spec"] = map[string]any{"text": strings.Repeat("x", 8<<20)}
	rawAnswer := func(text string) http.Handler { return raw(text)(nil) }
	return []hostileWebhook{
		{name: "redirects to another host that it has no certificate of", serve: http.RedirectHandler(other, http.StatusTemporaryRedirect), want: "certificate signed by unknown authority"},
		{name: "redirects to plain http", serve: http.RedirectHandler("http://127.0.0.1:1/", http.StatusPermanentRedirect), want: "redirects to a URL without https"},
		{name: "redirects in a circle", serve: http.RedirectHandler("/again", http.StatusTemporaryRedirect), want: "stopped after 10 redirects"},
		{name: "answers without end", serve: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = repeat(w, " ", 1<<40) }), opts: small, want: "larger than 1048576 bytes", bytes: 1 << 20},
		{name: "answers slowly without end", serve: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}), opts: short, want: ended},
		{name: "does not read the request", serve: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Second) }), tune: http1, opts: short, objs: []*unstructured.Unstructured{large}, want: ended, bytes: 32 << 20},
		{name: "sends a compression bomb", serve: bomb(100 << 20), opts: small, want: "larger than 1048576 bytes", bytes: 1 << 20},
		{name: "announces more than it sends", serve: rawAnswer("HTTP/1.1 200 OK\r\nContent-Length: 60000000\r\n\r\n{}"), tune: http1, want: "unexpected EOF"},
		{name: "resets the stream of HTTP/2 at once", serve: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), want: "INTERNAL_ERROR"},
		{name: "resets the stream of HTTP/2 in the body", serve: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"kind":`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}), want: "stream error"},
		{name: "sends two lengths", serve: rawAnswer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n"), tune: http1, want: "multiple Content-Length"},
		{name: "sends a length and chunks", serve: rawAnswer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), tune: http1, want: "expected webhook response"},
		{name: "sends a wrong chunk", serve: rawAnswer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n{}\r\n"), tune: http1, want: "invalid"},
		{name: "sends a header without end", serve: hijacked(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			_ = repeat(c, "X-Filler: "+strings.Repeat("x", 1000)+"\r\n", 1<<30)
		}), tune: http1, want: "exceeded", bytes: 1 << 20},
		{name: "sends informal answers without end", serve: hijacked(func(c net.Conn) {
			_ = repeat(c, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 1<<30)
		}), tune: http1, want: "headers exceeded"},
		{name: "names another uid", serve: spoiling(`"uid":"`, `"uid":"x`), want: "expected response.uid="},
		{name: "reorders objects", serve: http.HandlerFunc(reordering), objs: two, want: "must have the same name: first != second"},
		{name: "renames an object", serve: spoiling(`"name":"a"`, `"name":"b"`), want: "must have the same name: a != b"},
		{name: "sends empty lists as objects", serve: answerWith("", ",[]", "", size), want: " objects, expected 1", bytes: size},
		{name: "sends small objects", serve: answerWith("", `,{"a":0}`, "", size), want: " objects, expected 1", bytes: size},
		{name: "sends an object of empty lists", serve: answerWith(converted+"[", ",[]", "]}", size), want: "would hold more than", bytes: size, opts: []conversion.Option{conversion.MaxResponseMemory(int64(size))}},
		{name: "sends an object of small objects", serve: answerWith(converted+"[", `,{"a":0}`, "]}", 3*size), want: "would hold more than", bytes: 3 * size},
		{name: "sends an object of a wrong uid, large", serve: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(`{"uid":"other"`))
			answerWith(converted+"[", ",0", "]}", size)(w, r)
		}), want: "expected response.uid=", bytes: size},
		{name: "sends an object of numbers", serve: answerWith(converted+"[", ",0", "]}", size/8), want: "", bytes: size / 8},
		{name: "sends YAML", serve: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = repeat(w, "- []\n", size) }), want: "not a regular review in JSON", bytes: size},
		{name: "sends aliases in YAML", serve: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "a: &a "+strings.Repeat("x", 500_000)+"\nb:\n"+strings.Repeat("- *a\n", 1000))
		}), want: "alias", bytes: 1 << 20},
		{name: "sends a list that is nested too deeply", serve: answerWith(converted, "[", "}", 2<<20), want: "not a regular review", bytes: 2 << 20},
		{name: "sends many wrong labels", serve: answerWith(strings.Replace(converted, `"name":"a"`, `"name":"a","labels":{`+wrongLabels(50_000)+`}`, 1)+"{", " ", "}}", 0), want: "and 49000 more", bytes: 4 << 20},
		{name: "sends a long label", serve: answerWith(strings.Replace(converted, `"name":"a"},"spec":`, `"name":"a","labels":{"a":"`, 1), "\\u0001", `"}},"spec":{}}`, size), want: "must be no more than 63 bytes", bytes: size},
		{name: "is overloaded for 317 years", serve: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "9999999999")
			w.WriteHeader(http.StatusTooManyRequests)
		}), opts: short, want: ended},
		{name: "does not speak TLS", raw: func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n"); _ = c.Close() }, want: "server gave HTTP response to HTTPS client"},
		{name: "does not shake hands", raw: func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, opts: short, want: ended},
		{name: "speaks TLS 1.1", serve: good, tune: func(s *httptest.Server) {
			s.TLS.MinVersion, s.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		}, opts: []conversion.Option{conversion.TLS(&tls.Config{MinVersion: tls.VersionTLS10})}, want: "protocol version"},
		{name: "resolves without end", serve: good, want: ended, opts: append(short, conversion.Resolve(func(ctx context.Context, _, _ string, _ int32) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}))},
	}
}

func wrongLabels(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"not valid! %d":"x"`, i)
	}
	return b.String()
}

// TestHostileWebhooks calls webhooks of every class. No call may take long, allocate
// more than 20 times the answer plus 64 MB, or leave anything.
func TestHostileWebhooks(t *testing.T) {
	size := 16 << 20
	if testing.Short() {
		size = 2 << 20
	}
	a := newAuthority(t)
	other, stop := startServer(t, newAuthority(t), conversion.Handler(renaming), nil)
	defer stop()
	table, passed := &classTable{}, 0
	for _, tt := range hostileWebhooks(size, other.URL) {
		if t.Run(tt.name, func(t *testing.T) { callHostile(t, a, tt, table) }) {
			passed++
		}
	}
	table.print("hostile webhooks", passed)
}

func callHostile(t *testing.T, a *authority, tt hostileWebhook, table *classTable) {
	left := before()
	var url string
	var stop func()
	if tt.raw != nil {
		url, stop = serveRaw(t, tt.raw)
		url = "https://" + url
	} else {
		s, end := startServer(t, a, tt.serve, tt.tune)
		url, stop = s.URL, end
	}
	crd := calling(url, a.bundle())
	if strings.HasPrefix(tt.name, "resolves") {
		crd = referring(serviceNamed("hook"), a.bundle())
	}
	c := client(t, crd, append([]conversion.Option{conversion.Timeout(time.Minute)}, tt.opts...)...)
	objs := tt.objs
	if objs == nil {
		objs = []*unstructured.Unstructured{named("a", beta)}
	}
	var err error
	begin := time.Now()
	bytes := allocated(func() { _, err = convert(c, "v1", objs...) })
	took := time.Since(begin)
	closeConverter(t, c)
	stop()
	goroutines, open := left.after()
	table.add(tt.name, took, bytes, goroutines, open, fmt.Sprint(err))
	switch {
	case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
		t.Errorf("Convert = %.300v, want %q", err, tt.want)
	case took > 20*time.Second:
		t.Errorf("it took %v", took)
	case bytes > mostBytes(tt.bytes):
		t.Errorf("%d bytes allocated for an answer of %d", bytes, tt.bytes)
	case goroutines+open > 0:
		t.Errorf("%d goroutines and %d descriptors are left", goroutines, open)
	}
}

// TestCancelEveryPhase ends calls in each of their phases.
func TestCancelEveryPhase(t *testing.T) {
	a := newAuthority(t)
	hang := func(ctx context.Context) { <-ctx.Done() }
	for _, tt := range []struct {
		name  string
		serve func(reached func()) http.Handler
		raw   func(reached func()) func(net.Conn)
		dial  bool
	}{
		{name: "dial", dial: true},
		{name: "handshake", raw: func(reached func()) func(net.Conn) {
			return func(c net.Conn) {
				_, _ = c.Read(make([]byte, 1))
				reached()
				_, _ = io.Copy(io.Discard, c)
			}
		}},
		{name: "header", serve: func(reached func()) http.Handler {
			return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				reached()
				hang(r.Context())
			})
		}},
		{name: "body", serve: func(reached func()) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, "{")
				w.(http.Flusher).Flush()
				reached()
				hang(r.Context())
				time.Sleep(200 * time.Millisecond)
			})
		}},
		{name: "wait", serve: func(reached func()) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(http.StatusServiceUnavailable)
				reached()
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			left := before()
			ctx, cancel := within(time.Minute)
			defer cancel()
			url, stop, opts := "", func() {}, []conversion.Option(nil)
			crd := referring(serviceNamed("hook"), a.bundle())
			switch {
			case tt.dial:
				opts = append(opts, conversion.Resolve(func(ctx context.Context, _, _ string, _ int32) (string, error) {
					cancel()
					<-ctx.Done()
					return "", ctx.Err()
				}))
			case tt.raw != nil:
				url, stop = serveRaw(t, tt.raw(cancel))
				crd = calling("https://"+url, a.bundle())
			default:
				s, end := startServer(t, a, tt.serve(cancel), nil)
				stop, crd = end, calling(s.URL, a.bundle())
			}
			c := client(t, crd, opts...)
			begin := time.Now()
			_, err := c.Convert(ctx, objects(1, beta), "v1")
			if !errors.Is(err, context.Canceled) || time.Since(begin) > 10*time.Second {
				t.Errorf("Convert = %v after %v, want context.Canceled", err, time.Since(begin))
			}
			closeConverter(t, c)
			stop()
			if goroutines, open := left.after(); goroutines+open > 0 {
				t.Errorf("%d goroutines and %d descriptors are left", goroutines, open)
			}
		})
	}
}
