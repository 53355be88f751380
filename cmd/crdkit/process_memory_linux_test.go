package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestManyFiles judges 250 files and 5,000 files of 8 KiB. The peak of the memory does not
// grow with the number of the files, whose texts have 40 MiB.
func TestManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 5,250 files; skipped with -short")
	}
	few := peakOfAdmit(t, 250)
	many := peakOfAdmit(t, 5_000)
	t.Logf("peak memory: %d KiB for 250 files, %d KiB for 5,000 files", few, many)
	if grown := many - few; grown > 20<<10 {
		t.Errorf("the peak memory grows by %d KiB", grown)
	}
}

// peakOfAdmit returns the peak memory in KiB of a process that judges n files.
func peakOfAdmit(t *testing.T, n int) int {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, "crd.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
	objects := filepath.Join(dir, "objects")
	if err := os.Mkdir(objects, 0o777); err != nil {
		t.Fatal(err)
	}
	text := widget + "list: [a]\n# " + strings.Repeat("a", 8<<10) + "\n"
	for i := range n {
		writeFile(t, objects, fmt.Sprintf("%d.yaml", i), text)
	}
	cmd := command(t, dir, "admit", "-c", "crd.yaml", "objects")
	cmd.Env = append(cmd.Env, peakFile+"="+filepath.Join(dir, "peak"))
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if want := fmt.Sprintf("%d admitted, 0 refused, 0 undecided\n", n); err != nil || !strings.HasSuffix(string(out), want) {
		t.Fatalf("%v\n%s\nno %q", err, errOut.String(), want)
	}
	written, err := os.ReadFile(filepath.Join(dir, "peak"))
	if err != nil {
		t.Fatal(err)
	}
	peak, err := strconv.Atoi(string(written))
	if err != nil {
		t.Fatal(err)
	}
	return peak
}
