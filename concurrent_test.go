package crdkit_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/validation/cel"
)

var raceTime = flag.Duration("race-time", time.Second, "how long TestConcurrentEverything runs")

// concurrent is the number of goroutines of TestConcurrentEverything.
const concurrent = 64

// An operation is work whose outcome depends on k only, unless the context ends.
type operation func(ctx context.Context, k uint64) (string, error)

// TestConcurrentEverything runs all verbs over one Definition, one Catalog whose
// definitions are replaced and removed, one Program and one Handler in 64 goroutines.
// Every third context ends at a random moment. An outcome must be that of the same
// operation alone, or the error of the context. It is meant for the race detector.
func TestConcurrentEverything(t *testing.T) {
	s := newSubject(t, 5)
	catalog := newCatalog(t, parsedDefinition(t))
	operations := []operation{verbsOf(t, s), requestsOn(catalog), evaluations(t, s), reviews()}
	const inputs = 48
	want := make([][]string, len(operations))
	for i, do := range operations {
		for k := range uint64(inputs) {
			outcome, err := do(context.Background(), k)
			if err != nil {
				t.Fatalf("operation %d, input %d: %v", i, k, err)
			}
			want[i] = append(want[i], outcome)
		}
	}
	var (
		wg           sync.WaitGroup
		done, failed atomic.Uint64
		end          = time.Now().Add(*raceTime)
	)
	wg.Go(func() { replaceDefinitions(t, catalog, end) })
	for g := range uint64(concurrent) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(g, 3))
			for time.Now().Before(end) && !t.Failed() {
				i, k := rng.IntN(len(operations)), rng.Uint64N(inputs)
				ctx, cancel := context.WithCancel(context.Background())
				if rng.IntN(3) == 0 {
					ctx, cancel = context.WithTimeout(context.Background(), time.Duration(rng.IntN(300))*time.Microsecond)
				}
				outcome, err := operations[i](ctx, k)
				cancel()
				done.Add(1)
				switch {
				case err == nil && outcome != want[i][k]:
					t.Errorf("operation %d, input %d: %s, want %s", i, k, outcome, want[i][k])
				case errors.Is(err, context.DeadlineExceeded):
					failed.Add(1)
				case err != nil:
					t.Errorf("operation %d, input %d: %v", i, k, err)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d operations in %v, %d of them ended by their context", done.Load(), *raceTime, failed.Load())
}

// verbsOf makes requests in all verbs and forms on the versions of a definition.
func verbsOf(t *testing.T, s *subject) operation {
	objects := make([]*unstructured.Unstructured, 2)
	for i := range objects {
		for request := uint64(0); objects[i] == nil; request++ {
			objects[i] = s.admitted(t, i, rand.New(rand.NewPCG(request, 2)))
		}
	}
	return func(ctx context.Context, k uint64) (string, error) {
		i := int(k % 2)
		v, old := s.pairs[i].fast, objects[i]
		obj := &unstructured.Unstructured{Object: testkit.Mutate(rand.New(rand.NewPCG(k, 4)), old.Object)}
		raw, oldRaw := testkit.Encode(obj.Object), testkit.Encode(old.Object)
		var (
			res *crdkit.Result
			out []byte
			err error
		)
		switch k / 2 % 8 {
		case 0:
			res, err = v.Create(ctx, obj, crdkit.ReportChanges())
		case 1:
			out, res, err = v.CreateJSON(ctx, raw, crdkit.Strict)
		case 2:
			res, err = v.Update(ctx, obj, old)
		case 3:
			out, res, err = v.UpdateJSON(ctx, raw, oldRaw)
		case 4:
			if v.HasStatus() {
				out, res, err = v.UpdateStatusJSON(ctx, raw, oldRaw)
			}
		case 5:
			obj, err = v.Store(ctx, old)
		case 6:
			obj, _, err = v.Read(ctx, old)
		case 7:
			return fmt.Sprint(v.ValidJSON(raw)), nil
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s %v", out, testkit.Encode(obj.Object), render(res)), nil
	}
}

// requestsOn creates an object of a definition that may be replaced or removed.
func requestsOn(c *crdkit.Catalog) operation {
	return func(ctx context.Context, k uint64) (string, error) {
		c.Definitions()
		v, err := c.Version(cronTabKind("v1"))
		if err != nil {
			return "admitted", nil // it is removed at this moment
		}
		obj := cronTabObject("v1", map[string]any{"cronSpec": strings.Repeat("*", int(k)+1)})
		res, err := v.Create(ctx, obj)
		if err != nil {
			return "", err
		}
		if !res.Admitted() {
			return res.Err().Error(), nil
		}
		return "admitted", nil
	}
}

// replaceDefinitions replaces and removes the definition of a catalog.
func replaceDefinitions(t *testing.T, c *crdkit.Catalog, end time.Time) {
	for i := 0; time.Now().Before(end) && !t.Failed(); i++ {
		if err := c.Add(parsedDefinition(t, "default: UTC", fmt.Sprintf("default: UTC%d", i%3))); err != nil {
			t.Error(err)
		}
		if i%4 == 0 {
			c.Remove("crontabs.example.com")
		}
	}
}

// evaluations evaluates one program, which it compiles at first use.
func evaluations(t *testing.T, s *subject) operation {
	p, errs := cel.Compile(s.pairs[storage].fast.Schema(), cel.AtFirstUse())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return func(ctx context.Context, k uint64) (string, error) {
		obj := s.generate(storage, rand.New(rand.NewPCG(k, 5)))
		res := p.Eval(ctx, obj, cel.Old(obj))
		if err := ctx.Err(); err != nil {
			return "", err // the errors of the evaluation may say so, too
		}
		return fmt.Sprintf("%d %v", res.Cost, res.Errors), nil
	}
}

// reviews sends reviews of conversions to one handler.
func reviews() operation {
	h := conversion.Handler(func(ctx context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		return obj, ctx.Err()
	}, conversion.MaxConcurrent(concurrent))
	return func(ctx context.Context, k uint64) (string, error) {
		review := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u%d","desiredAPIVersion":"example.com/v1",
			"objects":[{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a"},"spec":{"n":%d}}]}}`, k, k)
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/convert", strings.NewReader(review))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, request)
		if err := ctx.Err(); err != nil {
			return "", err
		}
		return answer.Body.String(), nil
	}
}
