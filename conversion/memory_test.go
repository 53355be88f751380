package conversion_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// A liveWriter is a response that keeps only the status and the beginning. It calls live
// before each write.
type liveWriter struct {
	httptest.ResponseRecorder
	live func()
	size int
}

func (w *liveWriter) Write(b []byte) (int, error) {
	w.live()
	if w.size += len(b); w.Body.Len() == 0 {
		_, _ = w.ResponseRecorder.Write(b[:min(len(b), 1000)])
	}
	return len(b), nil
}

// TestHandlerMemory measures the live memory of a handler while it converts and when it
// responds. It must not exceed 8 times the request.
func TestHandlerMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	const size, factor = 4 << 20, 8
	head := `{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","metadata":{"name":"a"},"spec":`
	many := func(unit string, n int) string { return "," + head + "[0" + strings.Repeat(unit, n/len(unit)) + "]}" }
	for _, tt := range []struct{ name, prefix, unit, suffix, want string }{
		{"a list of numbers", head + "[", ",0", "]}", "413 the request would take more than"},
		{"a list of strings", head + "[", `,"<<<<<<<<<<"`, "]}", "413 the request would take more than"},
		{"a string", head + `"`, "<", `"}`, `200 {`},
		{"a string with escapes", head + `"`, `\n`, `"}`, `200 {`},
		{"a string with separators of lines", head + `"`, "\u2028", `"}`, `200 {`},
		{"a string that is not UTF-8", head + `"`, "\xff", `"}`, "413 the request would take more than"},
		{"many lists of numbers", "", many(",0", size/20), "", `200 {`},
		{"many lists of maps", "", many(`,{"a":0}`, size/60), "", `200 {`},
		{"many numbers that become longer", "", many(",1e20", size/20), "", "the converted objects would take more than"},
		{"many objects", "", "," + head + `{"text":"<"}}`, "", `200 {`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var text strings.Builder
			reviewOf(tt.prefix, tt.unit, tt.suffix, size)(&text)
			var most, begin uint64
			calls := 0
			live := func() {
				if calls++; calls > 40 && calls%5000 > 0 {
					return
				}
				runtime.GC()
				var stats runtime.MemStats
				runtime.ReadMemStats(&stats)
				most = max(most, stats.HeapAlloc)
			}
			live()
			begin = most
			h := conversion.Handler(func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
				live()
				return renaming(ctx, obj, to)
			}, conversion.MaxRequestMemory(factor*size), conversion.MaxObjects(1<<20))
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(text.String()))
			r.Header.Set("Content-Type", "application/json")
			w := &liveWriter{ResponseRecorder: *httptest.NewRecorder(), live: live}
			h.ServeHTTP(w, r)
			got := fmt.Sprint(w.Code, " ", w.Body)
			t.Logf("%.1f times the request of %d bytes, answer of %d", float64(most-begin)/float64(text.Len()), text.Len(), w.size)
			if !strings.Contains(got, tt.want) || most-begin > factor*size {
				t.Errorf("%d bytes live, response %.300s, want %s", most-begin, got, tt.want)
			}
			if strings.Contains(got, "200 {") && w.size > text.Len()*5/4 {
				t.Errorf("a response of %d bytes to a request of %d", w.size, text.Len())
			}
		})
	}
}

// TestConcurrentMemory sends requests while another takes most of the memory.
func TestConcurrentMemory(t *testing.T) {
	const size = 100 << 10
	review := func(name string, size int) string {
		var text strings.Builder
		reviewOf(`{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","metadata":{"name":"`+name+`"},"spec":"`, "x", `"}`, size)(&text)
		return text.String()
	}
	started, end := make(chan struct{}), make(chan struct{})
	h := conversion.Handler(func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		switch obj.GetName() {
		case "wait":
			close(started)
			<-end
		case "fail":
			return nil, errors.New("no")
		case "grow":
			obj.Object["spec"] = strings.Repeat("x", 4*size)
			return obj, nil
		case "explode":
			obj.Object["spec"] = strings.Repeat("x", 40*size)
			return obj, nil
		}
		return renaming(ctx, obj, to)
	}, conversion.MaxConcurrentMemory(12*size))
	steps := func(when string, wants map[string]string) {
		for request, want := range wants {
			name, size := request, 10<<10
			if name == "large" {
				size = 100 << 10
			} else if name == "too large" {
				size = 300 << 10
			}
			rec := post(h, review(name, size))
			if got := fmt.Sprint(rec.Code, " ", rec.Body); !strings.HasPrefix(got, want) {
				t.Errorf("%s, %s: %.300s, want %s", when, request, got, want)
			}
			if (rec.Code == http.StatusTooManyRequests) != (rec.Header().Get("Retry-After") == "1") {
				t.Errorf("%s, %s: status %d, Retry-After %q", when, request, rec.Code, rec.Header().Get("Retry-After"))
			}
		}
	}
	failure := `200 {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u","convertedObjects":[],"result":{"metadata":{},"status":"Failure","message":"`
	idle := map[string]string{
		"small": "200 ", "large": "200 ", "grow": "200 ", "fail": failure + "objects[0] CronTab fail: no", "too large": "413 ",
		"explode": failure + "the converted objects would take more than 1228800 bytes of memory",
	}
	for range 20 { // nothing is kept
		steps("idle", idle)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if rec := post(h, review("wait", size)); rec.Code != http.StatusOK {
			t.Errorf("status %d: %s", rec.Code, rec.Body)
		}
	}()
	<-started
	steps("busy", map[string]string{"small": "200 ", "large": "429 ", "grow": "429 "})
	close(end)
	<-done
	steps("idle again", idle)
	// Memory is taken while a request arrives.
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, review("slow", 2*size)[:size*3/2])
		if rec := post(h, review("small", size)); rec.Code != http.StatusTooManyRequests {
			t.Errorf("while a request arrives: status %d, want 429", rec.Code)
		}
		_ = w.Close()
	}()
	req := httptest.NewRequest(http.MethodPost, "/", r)
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	if h.ServeHTTP(rec, req); rec.Code != http.StatusBadRequest {
		t.Errorf("half a request: status %d", rec.Code)
	}
	steps("after half a request", idle)
}
