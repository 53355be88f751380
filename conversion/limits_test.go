package conversion_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crdkit/crdkit/conversion"
)

// padded gives a right answer that is made longer by spaces, with its length in
// the header or in chunks.
func padded(length int, chunked bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		conversion.Handler(renaming).ServeHTTP(rec, r)
		body := rec.Body.String()
		body += strings.Repeat(" ", length-len(body))
		w.Header().Set("Content-Type", "application/json")
		if !chunked {
			w.Header().Set("Content-Length", fmt.Sprint(length))
			_, _ = io.WriteString(w, body)
			return
		}
		_, _ = io.WriteString(w, body[:1])
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, body[1:])
	}
}

// TestResponseLimit pins that a response of just the limit is read, and one that is
// larger by a byte is not, however it is sent.
func TestResponseLimit(t *testing.T) {
	const limit = 4096
	a := newAuthority(t)
	for _, chunked := range []bool{false, true} {
		for length, want := range map[int]string{limit - 1: "", limit: "", limit + 1: "the response is larger than 4096 bytes"} {
			s := a.start(t, padded(length, chunked))
			_, err := convert(client(t, calling(s.URL, a.bundle()), conversion.MaxResponseBytes(limit)), "v1", object(beta))
			if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%d bytes, chunked %v: %v, want %q", length, chunked, err, want)
			}
		}
	}
}

// TestDefaultResponseLimit pins the default limit: 64 MiB and four times the size
// of the request.
func TestDefaultResponseLimit(t *testing.T) {
	a := newAuthority(t)
	var sent atomic.Int64
	s := a.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Store(r.ContentLength)
		w.Header().Set("Content-Length", fmt.Sprint(100<<20))
		w.(http.Flusher).Flush()
	}))
	_, err := convert(client(t, calling(s.URL, a.bundle())), "v1", object(beta))
	if want := fmt.Sprintf("the response is larger than %d bytes", 64<<20+4*sent.Load()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Convert = %v, want %s", err, want)
	}
}

// TestErrorOfResponse pins the errors of responses without success: the error of a Status, or the
// beginning of a text.
func TestErrorOfResponse(t *testing.T) {
	const unknown = `an error on the server ("unknown") has prevented the request from succeeding`
	a := newAuthority(t)
	for _, tt := range []struct {
		name, contentType, body string
		code                    int
		want                    string
	}{
		{"Status of a failure", "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no such thing","reason":"NotFound","code":404}`, 404, "no such thing"},
		{"Status without a type", "application/json", `{"status":"Failure","message":"no such thing"}`, 500, unknown},
		{"Status of a success", "application/json", `{"kind":"Status","apiVersion":"v1","status":"Success","message":"fine"}`, 500, unknown},
		{"another kind", "application/json", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`, 500, unknown},
		{"no document", "application/json", `{`, 500, unknown},
		{"nothing", "text/plain", "", 500, `an error on the server ("") has prevented the request from succeeding`},
		{"text", "text/plain; charset=utf-8", " out of order\n", 500, `an error on the server ("out of order") has prevented the request from succeeding`},
		{"text of just the limit", "text/plain", strings.Repeat("a", 2048), 500, `("` + strings.Repeat("a", 2048) + `")`},
		{"longer text", "text/plain", strings.Repeat("a", 2048) + "b", 500, `("` + strings.Repeat("a", 2048) + `")`},
		{"HTML", "text/html", "<p>", 500, `("<p>")`},
		{"bytes", "application/octet-stream", "out of order", 500, unknown},
		{"not found", "text/plain", "none", 404, "the server could not find the requested resource"},
		{"almost a success", "text/plain", "none", 300, "the server responded with the status code 300"},
		{"wrong content type", "text/", "none", 500, "mime: expected token after slash"},
	} {
		s := a.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", tt.contentType)
			w.WriteHeader(tt.code)
			_, _ = io.WriteString(w, tt.body)
		}))
		_, err := convert(client(t, calling(s.URL, a.bundle())), "v1", object(beta))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if isNotFound := tt.code == 404; apierrors.IsNotFound(err) != isNotFound {
			t.Errorf("%s: IsNotFound = %v", tt.name, !isNotFound)
		}
	}
}

// TestAttempts pins how often a webhook is called that always asks for another
// attempt, and that only such a response is repeated.
func TestAttempts(t *testing.T) {
	a := newAuthority(t)
	for _, tt := range []struct {
		name  string
		code  int
		after string
		want  int32
	}{
		{"unavailable", 503, "0", 11}, {"too many requests", 429, "0", 11}, {"first server error", 500, "0", 11},
		{"last client error", 499, "0", 1}, {"without a delay", 503, "", 1}, {"with a date", 503, "Wed, 21 Oct 2015 07:28:00 GMT", 1},
	} {
		var calls atomic.Int32
		s := a.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			_, _ = io.Copy(io.Discard, r.Body)
			if tt.after != "" {
				w.Header().Set("Retry-After", tt.after)
			}
			w.WriteHeader(tt.code)
		}))
		if _, err := convert(client(t, calling(s.URL, a.bundle())), "v1", object(beta)); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
		if got := calls.Load(); got != tt.want {
			t.Errorf("%s: %d calls, want %d", tt.name, got, tt.want)
		}
	}
}

// TestNoTimeout pins that a timeout that is not positive does not end a call. The request then has
// no timeout parameter.
func TestNoTimeout(t *testing.T) {
	a := newAuthority(t)
	for _, timeout := range []time.Duration{0, -time.Second} {
		r := &recorder{next: conversion.Handler(renaming)}
		s := a.start(t, r)
		if _, err := convert(client(t, calling(s.URL, a.bundle()), conversion.Timeout(timeout)), "v1", object(beta)); err != nil {
			t.Errorf("Timeout(%v): %v", timeout, err)
		}
		if len(r.seen) != 1 || strings.Contains(r.seen[0], "timeout") {
			t.Errorf("Timeout(%v): requests %q", timeout, r.seen)
		}
	}
}

// TestResolveServicesOnly pins that the resolver is asked for services and not for
// hosts of URLs, and that a service is looked up by its name without a resolver.
func TestResolveServicesOnly(t *testing.T) {
	a := newAuthority(t)
	s := a.start(t, conversion.Handler(renaming))
	c := client(t, calling(s.URL, a.bundle()), conversion.Resolve(func(context.Context, string, string, int32) (string, error) {
		t.Error("the resolver is asked for the host of a URL")
		return "", io.ErrNoProgress
	}))
	if _, err := convert(c, "v1", object(beta)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	alone := client(t, referring(apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook"}, a.bundle()))
	if out, err := alone.Convert(ctx, objects(1, beta), "v1"); err == nil || errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Convert with a service that does not exist = %v, %v, want an error", out, err)
	}
}

// TestFirstWrongLabel pins that the error names the first label or annotation that
// is not a string, in the order of keys.
func TestFirstWrongLabel(t *testing.T) {
	a := newAuthority(t)
	for _, kind := range []string{"labels", "annotations"} {
		s := a.start(t, spoiling(`"name":"first"`, `"name":"first","`+kind+`":{"a":"text","d":true,"b":1,"c":2,"e":"text"}`))
		_, err := convert(client(t, calling(s.URL, a.bundle())), "v1", named("first", beta))
		if want := "metadata." + kind + "[b] must be a string, but is int64 in converted object"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestSpacesOnly: a body without a document is an error.
func TestSpacesOnly(t *testing.T) {
	a := newAuthority(t)
	for _, body := range [][]byte{nil, bytes.Repeat([]byte(" "), 10)} {
		s := a.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = w.Write(body)
		}))
		if _, err := convert(client(t, calling(s.URL, a.bundle())), "v1", object(beta)); err == nil {
			t.Errorf("a body of %d spaces is no error", len(body))
		}
	}
}
