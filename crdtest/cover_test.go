package crdtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestCover runs other tests of this package with coverage, twice with one record.
func TestCover(t *testing.T) {
	dir := t.TempDir()
	runCover(t, "TestMutations$", filepath.Join(dir, "cover.html"))
	runCover(t, "TestUpdates$|TestVersions$", filepath.Join(dir, "cover"))
	text, err := os.ReadFile(filepath.Join(dir, "cover.txt"))
	if err != nil {
		t.Fatal(err)
	}
	testkit.Recorded(t, "testdata/cover.txt", string(text))
	page, err := os.ReadFile(filepath.Join(dir, "cover.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`<span class="part" title="bound: below `,
		`<div class="rule"><b class="full">rule: true`,
		`<span class="full" title="term: true`,
		`</body></html>`,
	} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page has no %s", part)
		}
	}
	tags := regexp.MustCompile(`</?(span|div|b|i|section)\b`).FindAllString(string(page), -1)
	depth := 0
	for _, tag := range tags {
		if strings.HasPrefix(tag, "</") {
			depth--
		} else {
			depth++
		}
	}
	if depth != 0 {
		t.Errorf("%d elements of the page are not closed", depth)
	}
}

func runCover(t *testing.T, tests, file string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run="+tests, "-crdtest.cover="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestCoverFails ends the process if the record cannot be written.
func TestCoverFails(t *testing.T) {
	for name, file := range map[string]string{
		"a directory that does not exist": filepath.Join(t.TempDir(), "none", "cover"),
		"a record that is something else": recordFile(t, "text"),
	} {
		cmd := exec.Command(os.Args[0], "-test.run=TestMutations$", "-crdtest.cover="+file)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "crdtest: writing the coverage: ") {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}

func recordFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cover.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
