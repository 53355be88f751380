package cellib

import (
	"math"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

func TestNodesCountsAValueAsATree(t *testing.T) {
	adapter := types.DefaultTypeAdapter
	list := adapter.NativeToValue([]any{"a", []any{"b"}})
	for name, tt := range map[string]struct {
		value ref.Val
		most  int
		want  int
	}{
		"scalar":             {types.Int(1), 100, 1},
		"list":               {list, 100, 4},
		"map":                {adapter.NativeToValue(map[string]any{"k": []any{"a"}}), 100, 3},
		"optional":           {types.OptionalOf(list), 100, 5},
		"optional, empty":    {types.OptionalNone, 100, 1},
		"more than the most": {adapter.NativeToValue(make([]string, 50)), 10, 10},
	} {
		if got := Nodes(tt.value, tt.most); got != tt.want {
			t.Errorf("%s: %d values, want %d", name, got, tt.want)
		}
	}
}

// TestMeter checks that a meter takes no more than its limit.
func TestMeter(t *testing.T) {
	m := Meter{Limit: 10}
	for _, step := range []struct {
		bytes uint64
		ok    bool
	}{{10, true}, {1, false}, {0, true}, {math.MaxUint64, false}} {
		if ok := m.Take(step.bytes); ok != step.ok {
			t.Errorf("%d more bytes after %d of %d: %v", step.bytes, m.Taken, m.Limit, ok)
		}
	}
	if !m.Exceeded || m.Taken != 10 {
		t.Errorf("exceeded is %v, taken are %d bytes", m.Exceeded, m.Taken)
	}
}
