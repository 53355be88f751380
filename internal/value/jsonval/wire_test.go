package jsonval_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// TestWire compares Wire with encoding to JSON and decoding.
func TestWire(t *testing.T) {
	for _, v := range []any{
		nil, true, "1.0", int64(1), 1.0, 1.5, math.Copysign(0, -1), 1e18, 1e19, -1e19, 1e21, 1e300, 1e-9,
		float64(math.MaxInt64), float64(math.MinInt64), float64(1 << 53), float64(1<<53) + 2, float64(1 << 62), -float64(1 << 62), float64(1<<62) + 1<<20, math.Nextafter(1<<63, 0),
		[]any{1.0, []any{2.0, 2.5}, map[string]any{"a": 3.0}},
		map[string]any{"a": 1.0}, map[string]any{"a": 0.5}, []any{1.0}, []any{0.5}, map[string]any{}, []any{},
		map[string]any{"a": 1.0, "b": map[string]any{"c": []any{-7.0, nil}}, "d": 0.25},
	} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := utiljson.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		before := jsonval.Clone(v)
		wired := jsonval.IsWired(v)
		got := jsonval.Wire(v)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Wire(%s) (-want +got):\n%s", data, diff)
		}
		if wired != jsonval.Equal(before, got) {
			t.Errorf("IsWired(%s) = %t", data, wired)
		}
	}
}
