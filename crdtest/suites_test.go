package crdtest_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/crdtest"
)

var suiteFiles = fstest.MapFS{
	"tests/crontabs.yaml": {Data: []byte(`
crdName: crontabs.jobs.example.org
tests:
  onCreate:
  - name: is admitted
    initial: &valid |
      apiVersion: jobs.example.org/v1
      kind: CronTab
      spec: {cronSpec: '* * * * *', image: i}
    expected: |
      apiVersion: jobs.example.org/v1
      kind: CronTab
      spec: {cronSpec: '* * * * *', image: i, replicas: 1, suspend: false, concurrencyPolicy: Allow, history: {failed: 1, successful: 3}}
  - name: should be refused
    initial: *valid
    expectedError: anything
`)},
	"tests/valid/other.yaml": {Data: []byte("apiVersion: example.org/v1\nkind: Other\nmetadata: {name: o}\n")},
}

// TestRunSuites runs cases that are as recorded, that are not, and that cannot be run.
func TestRunSuites(t *testing.T) {
	const differs = "tests/crontabs.yaml: should be refused"
	const other = "tests/valid/other.yaml: 0 o"
	for _, tt := range []struct {
		name string
		opts []crdtest.SuiteOption
		want []string
	}{
		{"all", nil, []string{
			differs + `: admitted, want "anything"`,
			other + ": no definition of Other.example.org",
		}},
		{"with an exception", []crdtest.SuiteOption{crdtest.Except(differs, "of a reason")}, []string{
			other + ": no definition of Other.example.org",
		}},
		{"with an exception for a case that cannot be run", []crdtest.SuiteOption{
			crdtest.Except(differs, "of a reason"), crdtest.Except(other, "of another"),
		}, nil},
		{"with a stale exception", []crdtest.SuiteOption{
			crdtest.Except(differs, "of a reason"),
			crdtest.Except("tests/crontabs.yaml: is admitted", "of a reason"),
		}, []string{
			"tests/crontabs.yaml: is admitted: the result is as recorded, but it is said to differ: of a reason",
			other + ": no definition of Other.example.org",
		}},
		{"with an exception for no case", []crdtest.SuiteOption{
			crdtest.Except(differs, "of a reason"), crdtest.Except("tests/gone.yaml: a", "of another"), nil,
		}, []string{
			"tests/gone.yaml: a: there is no such case, but it is said to differ: of another",
			other + ": no definition of Other.example.org",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := record(func(r testing.TB) { load(t).RunSuites(r, suiteFiles, tt.opts...) })
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), strings.TrimSpace(got)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunSuitesEndsTheTest(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t testing.TB)
		want string
	}{
		{"without files", func(t testing.TB) { crdtest.RunSuites(t, nil) }, "the file system is nil"},
		{"without a case", func(t testing.TB) { crdtest.RunSuites(t, fstest.MapFS{}) }, "no recorded case"},
	} {
		if got := record(tt.do); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
