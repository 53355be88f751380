package fastpath

import "testing"

// Members are looked up in a map if there are not many more of them than entries.
// Those that are looked up in any case do not count.
func TestDense(t *testing.T) {
	for _, tt := range []struct {
		members, musts, entries int
		want                    bool
	}{
		{8, 0, 1, true}, {9, 0, 1, false}, {9, 0, 2, true}, {10, 0, 2, false}, {12, 0, 8, true}, {13, 0, 8, false},
		{18, 0, 9, true}, {19, 0, 9, false}, {40, 0, 20, true}, {41, 0, 20, false}, {11, 3, 1, true}, {12, 3, 1, false},
	} {
		n := &node{members: newMembers()}
		n.members.list, n.members.musts = make([]member, tt.members), tt.musts
		if got := n.dense(tt.entries); got != tt.want {
			t.Errorf("%d members, %d of them musts, %d entries: %t", tt.members, tt.musts, tt.entries, got)
		}
	}
}
