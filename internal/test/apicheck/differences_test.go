package apicheck

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// testOrPackage matches a test or a package in the last column of docs/DIFFERENCES.md.
var testOrPackage = regexp.MustCompile("`([^`]+)`|the root package")

// testFunc matches the head of a test.
var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// TestDifferences checks that every row of docs/DIFFERENCES.md has a reason, and names
// tests that exist in the packages which it names. Tests without a package are in the
// root package; a semicolon ends the list before it, and a subtest of TestRequests is a file.
func TestDifferences(t *testing.T) {
	testkit.DependOnSources(t)
	text, err := os.ReadFile("../../../docs/DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, tests := 0, testNames{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		rows++
		columns := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(columns) != 5 || strings.TrimSpace(columns[3]) == "" {
			t.Errorf("a row has %d columns or no reason: %s", len(columns), line)
			continue
		}
		for part := range strings.SplitSeq(columns[4], ";") {
			tests.check(t, strings.TrimSpace(columns[0]), part)
		}
	}
	if rows < 40 {
		t.Errorf("DIFFERENCES.md has %d rows, want at least 40", rows)
	}
}

// testNames has the tests of the directories that were asked for.
type testNames map[string]map[string]bool

// check checks the tests that a part of a row names.
func (n testNames) check(t *testing.T, row, part string) {
	var names []string
	named, placed := 0, false
	for _, m := range testOrPackage.FindAllStringSubmatch(part, -1) {
		if isTest := strings.HasPrefix(m[1], "Test") || strings.HasPrefix(m[1], "Fuzz"); isTest {
			if placed {
				names, placed = nil, false
			}
			names = append(names, m[1])
			named++
			continue
		}
		n.require(t, row, m[1], names)
		placed = true
	}
	if !placed {
		n.require(t, row, "", names)
	}
	if named == 0 {
		t.Errorf("%s names no test: %s", row, part)
	}
}

// require checks that a package has tests.
func (n testNames) require(t *testing.T, row, pkg string, names []string) {
	for _, name := range names {
		function, sub, _ := strings.Cut(name, "/")
		if !n.of(t, pkg)[function] {
			t.Errorf("%s: package %q has no %s", row, pkg, function)
		}
		if file := filepath.Join("../../../testdata/requests", sub+".txtar"); function == "TestRequests" && sub != "" {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", row, err)
			}
		}
	}
}

func (n testNames) of(t *testing.T, pkg string) map[string]bool {
	if n[pkg] != nil {
		return n[pkg]
	}
	files, err := filepath.Glob(filepath.Join("../../..", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	n[pkg] = map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			n[pkg][string(m[1])] = true
		}
	}
	return n[pkg]
}
