package oracle

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// differing runs a case on both sides, which are expected to differ.
func differing(t *testing.T, url string, server *httptest.Server) (theirs, mine answer) {
	t.Helper()
	c := &conversionCase{input: "one object", to: "v1", reviews: []string{"v1"}, config: apiextensionsv1.WebhookClientConfig{URL: &url}}
	if server.Certificate() != nil {
		c.config.CABundle = certificatePEM(server.Certificate().Raw)
	}
	up, err := c.upstream(apiextensionsv1.WebhookConverter)
	if err != nil {
		t.Fatal(err)
	}
	theirs = c.runUpstream(t, up)
	ours, err := c.ours(apiextensionsv1.WebhookConverter)
	if err != nil {
		if !errors.Is(err, conversion.ErrNoWebhook) {
			t.Fatal(err)
		}
		return theirs, failed(err)
	}
	return theirs, c.runOurs(t, ours)
}

func wantDifference(t *testing.T, theirs, mine answer, want string) {
	t.Helper()
	if theirs.err != "" {
		t.Errorf("upstream: %v, want success", theirs)
	}
	if !strings.Contains(mine.err, want) {
		t.Errorf("ours: %v, want an error that contains %q", mine, want)
	}
}

func identity(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
	return obj, nil
}

// TestDifferenceConversionHTTPS is about conversion/https_only.
func TestDifferenceConversionHTTPS(t *testing.T) {
	good := conversion.Handler(identity)
	unencrypted := httptest.NewServer(good)
	defer unencrypted.Close()
	theirs, mine := differing(t, unencrypted.URL, unencrypted)
	wantDifference(t, theirs, mine, "'https' is the only allowed URL scheme")

	redirecting := httptest.NewTLSServer(http.RedirectHandler(unencrypted.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	theirs, mine = differing(t, redirecting.URL, redirecting)
	wantDifference(t, theirs, mine, "the webhook redirects to a URL without https")
}

// TestDifferenceConversionLimit is about conversion/response_limit.
func TestDifferenceConversionLimit(t *testing.T) {
	padded := httptest.NewTLSServer(withoutLength(func(w http.ResponseWriter, r *http.Request) {
		conversion.Handler(identity).ServeHTTP(w, r)
		for range 65 {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<20))
		}
	}))
	defer padded.Close()
	theirs, mine := differing(t, padded.URL, padded)
	wantDifference(t, theirs, mine, "the response is larger than")
}

// withoutLength lets a handler write more than it announced.
func withoutLength(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h(endless{w}, r) })
}

type endless struct{ http.ResponseWriter }

func (w endless) Write(data []byte) (int, error) {
	w.Header().Del("Content-Length")
	return w.ResponseWriter.Write(data)
}

// TestDifferenceConversionAgent is about conversion/user_agent.
func TestDifferenceConversionAgent(t *testing.T) {
	var mu sync.Mutex
	var agents []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		agents = append(agents, r.UserAgent())
		mu.Unlock()
		conversion.Handler(identity).ServeHTTP(w, r)
	}))
	defer server.Close()
	differing(t, server.URL, server)
	if len(agents) != 2 || agents[0] != "kube-apiserver-admission" || agents[1] != "crdkit" {
		t.Errorf("user agents %q", agents)
	}
}

// TestDifferenceConversionDefinition is about conversion/definition_answer.
func TestDifferenceConversionDefinition(t *testing.T) {
	for spec, theirText := range map[string]string{
		"{}": "unknown conversion",
		"5":  "cannot unmarshal number into Go struct field CustomResourceDefinition.spec",
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","spec":`+spec+`}`)
		}))
		theirs, mine := differing(t, server.URL, server)
		server.Close()
		if !strings.Contains(theirs.err, theirText) || !strings.Contains(mine.err, "unknown conversion") {
			t.Errorf("spec %s: upstream: %v; ours: %v", spec, theirs, mine)
		}
		if spec == "{}" && theirs.err != mine.err {
			t.Errorf("upstream: %s; ours: %s", theirs.err, mine.err)
		}
	}
}

// TestDifferenceConversionRetryAfter is about conversion/retry_after.
func TestDifferenceConversionRetryAfter(t *testing.T) {
	var calls atomic.Int32
	busy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.Header().Set("Retry-After", "9223372037")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer busy.Close()
	c := &conversionCase{input: "one object", to: "v1", reviews: []string{"v1"}, timeout: 200 * time.Millisecond,
		config: apiextensionsv1.WebhookClientConfig{URL: &busy.URL, CABundle: certificatePEM(busy.Certificate().Raw)}}
	ours, err := c.ours(apiextensionsv1.WebhookConverter)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.runOurs(t, ours); got.err == "" || calls.Load() != 1 {
		t.Errorf("ours: %d calls, %v; want one call and an error", calls.Load(), got)
	}
	c.timeout = 0
	theirs, err := c.upstream(apiextensionsv1.WebhookConverter)
	if err != nil {
		t.Fatal(err)
	}
	calls.Store(0)
	if got := c.runUpstream(t, theirs); got.err == "" || calls.Load() != 11 {
		t.Errorf("upstream: %d calls, %v; want 11 calls and an error", calls.Load(), got)
	}
}
