package testkit

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Varies replaces, in a record, a line that differs between runs.
const Varies = "varies"

// Recorded compares lines of text with those of a file, without the lines that
// are recorded as [Varies]. With -update it writes the file instead.
func Recorded(t testing.TB, file, got string) {
	t.Helper()
	if Update() {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, lines := strings.Split(string(text), "\n"), strings.Split(got, "\n")
	for i := range min(len(want), len(lines)) {
		if strings.TrimSpace(want[i]) == Varies {
			lines[i] = want[i]
		}
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("%s (-recorded +got):\n%s", file, diff)
	}
}
