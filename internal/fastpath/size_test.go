package fastpath

import (
	"testing"
	"unsafe"
)

// The structs that a walk reads for every value stay small.
func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, most uintptr
	}{
		{"node", unsafe.Sizeof(node{}), 64},
		{"member", unsafe.Sizeof(member{}), 64},
		{"members", unsafe.Sizeof(members{}), 64},
		{"entry", unsafe.Sizeof(entry{}), entrySize},
		{"note", unsafe.Sizeof(note{}), noteSize},
		{"textEdit", unsafe.Sizeof(textEdit{}), 56},
	} {
		if tt.got > tt.most {
			t.Errorf("a %s takes %d bytes, at most %d are meant", tt.name, tt.got, tt.most)
		}
	}
}
