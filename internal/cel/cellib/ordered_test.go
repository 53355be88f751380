package cellib

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// TestOrderedMap checks that the entries of a made map come in order. NaN has a value,
// which Get does not find.
func TestOrderedMap(t *testing.T) {
	want := []ref.Val{types.False, types.True, types.Int(-1), types.Double(0.5), types.Double(2), types.Int(2), types.Uint(2), types.Double(math.NaN()), types.String("a"), types.String("b")}
	values := make(map[ref.Val]ref.Val)
	for i, k := range want {
		values[k] = types.Int(i)
	}
	m := OrderedMap(types.NewRefValMap(types.DefaultTypeAdapter, values))
	var folded entries
	m.(traits.Foldable).Fold(&folded)
	it := m.Iterator()
	for i, k := range want {
		if got := it.Next(); fmt.Sprint(got) != fmt.Sprint(k) {
			t.Errorf("%v comes before %v", got, k)
		}
		if got := folded[i]; fmt.Sprint(got.key) != fmt.Sprint(k) || got.value != types.Int(i) {
			t.Errorf("entry %d is %v, want the key %v", i, got, k)
		}
	}
}
