package conversion_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// TestCloseManyConverters uses 500 converters in one process.
func TestCloseManyConverters(t *testing.T) {
	a := newAuthority(t)
	var open atomic.Int32
	s, stop := startServer(t, a, conversion.Handler(renaming), func(s *httptest.Server) {
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed:
				open.Add(-1)
			}
		}
	})
	defer stop()
	left := before()
	for _, closes := range []bool{true, false} {
		for range 500 {
			c := client(t, calling(s.URL, a.bundle()))
			if _, err := convert(c, "v1", object(beta)); err != nil {
				t.Fatal(err)
			}
			if closes {
				closeConverter(t, c)
			}
		}
		if open.Load() > 10 && closes {
			t.Errorf("%d connections are open after Close", open.Load())
		}
		if !closes {
			runtime.GC() // closes connections of converters that are garbage
			runtime.GC()
		}
		if goroutines, descriptors := left.after(); goroutines+descriptors > 0 && closes || descriptors > 20 {
			t.Errorf("closed %v: %d goroutines and %d descriptors are left", closes, goroutines, descriptors)
		}
	}
}

// TestClose closes a converter during a call, several times and at the same time.
func TestClose(t *testing.T) {
	a := newAuthority(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	good := conversion.Handler(renaming)
	s, stop := startServer(t, a, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		good.ServeHTTP(w, r)
	}), nil)
	defer stop()
	left := before()
	c := client(t, calling(s.URL, a.bundle()))
	done := make(chan error)
	go func() {
		_, err := c.Convert(context.Background(), objects(2, beta), "v1")
		done <- err
	}()
	<-arrived
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { closeConverter(t, c) })
	}
	group.Wait()
	for _, apiVersion := range []string{beta, stable} {
		if _, err := convert(c, "v1", object(apiVersion)); !errors.Is(err, conversion.ErrClosed) {
			t.Errorf("Convert of %s after Close = %v, want ErrClosed", apiVersion, err)
		}
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the call in progress: %v", err)
	}
	if goroutines, descriptors := left.after(); goroutines+descriptors > 0 {
		t.Errorf("%d goroutines and %d descriptors are left", goroutines, descriptors)
	}
}

// TestThousandsOfFailures leaves nothing, although nobody closes the converter before
// the end.
func TestThousandsOfFailures(t *testing.T) {
	a := newAuthority(t)
	n := 1000
	if testing.Short() {
		n = 300
	}
	var calls atomic.Int32
	s, stop := startServer(t, a, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch calls.Add(1) % 4 {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			http.Error(w, "broken", http.StatusInternalServerError)
		case 2:
			_, _ = io.WriteString(w, "{")
		default:
			spoiling(`"uid":"`, `"uid":"x`)(w, r)
		}
	}), nil)
	left := before()
	for _, crd := range []string{s.URL, "https://127.0.0.1:1"} {
		c := client(t, calling(crd, a.bundle()))
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				for range n / 10 {
					if _, err := convert(c, "v1", object(beta)); err == nil {
						t.Error("Convert succeeds")
					}
				}
			})
		}
		group.Wait()
		// One connection of HTTP/2 stays, on both sides.
		if goroutines, descriptors := left.above(10, 4); goroutines > 10 || descriptors > 4 {
			t.Errorf("%d goroutines and %d descriptors are left before Close", goroutines, descriptors)
		}
		closeConverter(t, c)
	}
	stop()
	if goroutines, descriptors := left.after(); goroutines+descriptors > 0 {
		t.Errorf("%d goroutines and %d descriptors are left", goroutines, descriptors)
	}
}

// TestMaxConcurrent occupies a handler that handles one request at a time.
func TestMaxConcurrent(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	full := conversion.Handler(blocking(entered, release), conversion.MaxConcurrent(1))
	text := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K"}]}}`
	var group sync.WaitGroup
	group.Go(func() { post(full, text) })
	<-entered
	if rec := post(full, text); rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "1" {
		t.Errorf("a second request: %d, %v", rec.Code, rec.Header())
	}
	close(release)
	group.Wait()
	go func() { <-entered }()
	if rec := post(full, text); rec.Code != http.StatusOK {
		t.Errorf("a request after the first: %d %s", rec.Code, rec.Body)
	}
}

// blocking is a conversion that reports when it begins and waits for release.
func blocking(entered, release chan struct{}) conversion.ConvertFunc {
	return func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		entered <- struct{}{}
		<-release
		return obj, nil
	}
}

func TestPublicAddressesOnly(t *testing.T) {
	a := newAuthority(t)
	s, stop := startServer(t, a, conversion.Handler(renaming), nil)
	defer stop()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, url := range []string{s.URL, "https://localhost:" + port, "https://[::ffff:127.0.0.1]:" + port, "https://[::1]:" + port, "https://0.0.0.0:" + port} {
		c := client(t, calling(url, a.bundle()), conversion.PublicAddressesOnly(), conversion.Timeout(5*time.Second))
		if _, err := convert(c, "v1", object(beta)); err == nil || !strings.Contains(err.Error(), "is not public") {
			t.Errorf("Convert at %s = %v, want that the address is not public", url, err)
		}
		closeConverter(t, c)
	}
	rebound := client(t, referring(serviceNamed("hook"), a.bundle()), conversion.PublicAddressesOnly(),
		conversion.Resolve(func(context.Context, string, string, int32) (string, error) { return s.Listener.Addr().String(), nil }))
	defer closeConverter(t, rebound)
	if _, err := convert(rebound, "v1", object(beta)); err == nil || !strings.Contains(err.Error(), "is not public") {
		t.Errorf("Convert at a resolved address = %v, want that it is not public", err)
	}
}
