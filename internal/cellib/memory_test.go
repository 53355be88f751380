package cellib

import (
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
