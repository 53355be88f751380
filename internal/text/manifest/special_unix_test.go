//go:build unix

package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSpecialFiles passes over a FIFO in a directory, and refuses a file that is too large
// without reading it.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.yaml")
	write(t, large, "")
	if err := os.Truncate(large, MaxFileBytes+1); err != nil { // without blocks on the disk
		t.Fatal(err)
	}
	r := NewReader(nil, false)
	var got []string
	for o := range r.Objects(t.Context(), dir) {
		got = append(got, strings.TrimPrefix(describe(o), dir))
	}
	if text := strings.Join(got, "\n"); text != "/large.yaml at 0:0: error: larger than 268435456 bytes" {
		t.Error(text)
	}
	if n := r.PassedOver().Special; n != 1 {
		t.Errorf("%d special files, want 1", n)
	}
}
