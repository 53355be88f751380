package celeval

import (
	"strconv"
	"testing"
)

// A memo has nothing of a request after its release, however many strings were added.
func TestMemoRelease(t *testing.T) {
	for n := range 10 {
		var m memo[int]
		for i := range n {
			s := strconv.Itoa(i)
			if v := m.add(s, i); *v != i || m.find(s) != v {
				t.Fatalf("%d strings: the last one is not found", i+1)
			}
		}
		m.release()
		if m != (memo[int]{}) {
			t.Errorf("after %d strings the memo has %v", n, m)
		}
	}
}
