package conversion_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crdkit/crdkit/conversion"
)

// spoiling gives a right answer with some text replaced.
func spoiling(pairs ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		conversion.Handler(renaming).ServeHTTP(rec, r)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.NewReplacer(pairs...).Replace(rec.Body.String()))
	}
}

// hijacked calls f with the connection of HTTP/1.1 after it has read the
// request.
func hijacked(f func(net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		f(conn)
	}
}

// TestFaultyWebhooks checks the errors of webhooks that fail or give wrong
// answers. internal/oracle compares the error texts with the server.
func TestFaultyWebhooks(t *testing.T) {
	a := newAuthority(t)
	http1 := func(s *httptest.Server) { s.EnableHTTP2 = false }
	with := func(cert tls.Certificate) func(*httptest.Server) {
		return func(s *httptest.Server) { s.TLS.Certificates = []tls.Certificate{cert} }
	}
	good := conversion.Handler(renaming)
	var calls atomic.Int32
	for _, tt := range []struct {
		name  string
		serve http.Handler
		tune  func(*httptest.Server)
		want  string // "" for success
	}{
		{"right", good, nil, ""},
		{"wrong authority", good, with(newAuthority(t).certificate(t, time.Time{}, "127.0.0.1")), "certificate signed by unknown authority"},
		{"wrong name", good, with(a.certificate(t, time.Time{}, "example.net")), "cannot validate certificate for 127.0.0.1"},
		{"expired", good, with(a.certificate(t, time.Now().Add(-time.Minute), "127.0.0.1")), "certificate has expired"},
		{"slow", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(30 * time.Millisecond)
			good.ServeHTTP(w, r)
		}), nil, ""},
		{"hanging", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}), nil, "context deadline exceeded"},
		{"hanging in the answer", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, "{")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			// A client that closes the connection still reads for a moment. It
			// must not read the end of the body.
			time.Sleep(200 * time.Millisecond)
		}), nil, "unexpected error when reading response body. Please retry. Original error: context deadline exceeded"},
		{"half closed", hijacked(func(c net.Conn) { _ = c.(*tls.Conn).CloseWrite() }), http1, "EOF"},
		{"short answer", hijacked(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}")
		}), http1, "Please retry. Original error: unexpected EOF"},
		{"oversized", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 5000))
		}), nil, "the response is larger than 4096 bytes"},
		{"oversized stream", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				_, _ = w.Write(bytes.Repeat([]byte(" "), 1000))
				w.(http.Flusher).Flush()
			}
		}), nil, "the response is larger than 4096 bytes"},
		{"malformed", spoiling(`"response":`, `"response"`), nil, "couldn't get version/kind; json parse error: invalid character"},
		{"wrong uid", spoiling(`"uid":"`, `"uid":"x`), nil, `expected response.uid="`},
		{"reordered", http.HandlerFunc(reordering), nil, "returned invalid converted object at index 0: must have the same name: first != second"},
		{"changes the name", spoiling(`"name":"first"`, `"name":"other"`), nil, "returned invalid converted object at index 0: must have the same name: first != other"},
		{"changes other metadata", spoiling(`"name":"first"`, `"name":"first","generation":7`), nil, ""},
		{"wrong labels", spoiling(`"name":"second"`, `"name":"second","labels":{"a b":"c"}`), nil, `invalid metadata in object at index 1: metadata.labels: Invalid value: "a b"`},
		{"one object", http.HandlerFunc(dropping), nil, "returned 1 objects, expected 2"},
		{"panicking", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), nil, "INTERNAL_ERROR"},
		{"flapping", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if calls.Add(1)%4 > 0 {
				w.Header().Set("Retry-After", "0")
				http.Error(w, "later", http.StatusServiceUnavailable)
				return
			}
			good.ServeHTTP(w, r)
		}), nil, ""},
		{"down", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "out of order", http.StatusInternalServerError)
		}), nil, `an error on the server ("out of order") has prevented the request from succeeding`},
		{"redirecting without TLS", http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect), nil, "redirects to a URL without https"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tune []func(*httptest.Server)
			if tt.tune != nil {
				tune = append(tune, tt.tune)
			}
			s := a.start(t, tt.serve, tune...)
			opts := []conversion.Option{conversion.MaxResponseBytes(4096)}
			if tt.want == "" {
				opts = nil
			}
			// Only webhooks that never answer have a short timeout, because a
			// TLS handshake takes a while on a busy machine.
			if strings.Contains(tt.want, "context deadline exceeded") {
				opts = append(opts, conversion.Timeout(time.Second))
			}
			c := client(t, calling(s.URL, a.bundle()), opts...)
			out, err := convert(c, "v1", named("first", beta), named("second", beta))
			if tt.want != "" {
				if out != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("Convert = %v, %v, want %q", out, err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if out[0].GetName() != "first" || out[1].GetName() != "second" || out[0].GetGeneration() != 0 {
				t.Errorf("Convert = %v", out)
			}
		})
	}
}

// edited gives a right answer with a changed list of objects.
func edited(w http.ResponseWriter, r *http.Request, change func([]any) []any) {
	rec := httptest.NewRecorder()
	conversion.Handler(renaming).ServeHTTP(rec, r)
	var review map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &review); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	response := review["response"].(map[string]any)
	response["convertedObjects"] = change(response["convertedObjects"].([]any))
	_ = json.NewEncoder(w).Encode(review)
}

func reordering(w http.ResponseWriter, r *http.Request) {
	edited(w, r, func(objects []any) []any { return []any{objects[1], objects[0]} })
}

func dropping(w http.ResponseWriter, r *http.Request) {
	edited(w, r, func(objects []any) []any { return objects[:1] })
}

// TestCancel cancels the context of calls.
func TestCancel(t *testing.T) {
	a := newAuthority(t)
	arrived := make(chan struct{})
	s := a.start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
	}))
	c := client(t, calling(s.URL, a.bundle()))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-arrived
		cancel()
	}()
	begin := time.Now()
	_, err := c.Convert(ctx, objects(1, beta), "v1")
	if !errors.Is(err, context.Canceled) || time.Since(begin) > 10*time.Second {
		t.Errorf("Convert = %v after %v, want context.Canceled at once", err, time.Since(begin))
	}
	retrying := a.start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := client(t, calling(retrying.URL, a.bundle())).Convert(ctx, objects(1, beta), "v1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Convert with a webhook that wants to wait = %v, want context.DeadlineExceeded", err)
	}
}

// TestOversizedDefault checks the default limit of the size of an answer.
func TestOversizedDefault(t *testing.T) {
	a := newAuthority(t)
	s := a.start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(100<<20))
		w.(http.Flusher).Flush()
	}))
	_, err := convert(client(t, calling(s.URL, a.bundle())), "v1", object(beta))
	if err == nil || !strings.Contains(err.Error(), "the response is larger than 6") {
		t.Errorf("Convert = %v, want an error that the response is too large", err)
	}
}
