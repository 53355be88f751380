package fastpath

import (
	"slices"
	"testing"
)

// TestMembersSort adds members to a sorted list that belong before, into and after it.
func TestMembersSort(t *testing.T) {
	m := &members{}
	for _, name := range []string{"b", "d", "f", "a", "e", "g", "c"} {
		m.list = append(m.list, member{name: name})
	}
	m.sort()
	var got []string
	for _, e := range m.list {
		got = append(got, e.name)
	}
	if want := []string{"a", "b", "c", "d", "e", "f", "g"}; !slices.Equal(got, want) {
		t.Errorf("sort = %q, want %q", got, want)
	}
}
