package cellib

import (
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// TestOrderedMap checks that the keys of a made map come in order.
func TestOrderedMap(t *testing.T) {
	want := []ref.Val{types.False, types.True, types.Int(-1), types.Double(0.5), types.Uint(2), types.String("a"), types.String("b")}
	entries := make(map[ref.Val]ref.Val)
	for _, k := range want {
		entries[k] = types.NullValue
	}
	it := OrderedMap(types.NewRefValMap(types.DefaultTypeAdapter, entries)).Iterator()
	for _, k := range want {
		if got := it.Next(); got != k {
			t.Errorf("%v comes before %v", got, k)
		}
	}
}
