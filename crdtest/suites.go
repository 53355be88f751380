package crdtest

import (
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/crdkit/crdkit/internal/suite"
)

// A SuiteOption changes how [RunSuites] runs cases.
type SuiteOption func(*suiteOptions)

type suiteOptions struct{ except map[string]string }

// Except accepts that the result of a case differs from the recorded result, or that the case has
// no definition and cannot be run. The case fails if its result is as recorded. The test fails if
// there is no such case. name is the case as failures show it: its file, a colon, a space, and its
// name in the file. reason says why it differs. A nil SuiteOption changes nothing.
func Except(name, reason string) SuiteOption {
	return func(o *suiteOptions) { o.except[name] = reason }
}

// RunSuites runs the recorded cases of a file system, such as os.DirFS("tests"), against the
// definitions in it. Cases are suites of openshift/api with onCreate and onUpdate, and objects
// below directories named valid and invalid. docs/testing.md describes the formats. If t is a
// *testing.T, each file is a subtest, and each case is a subtest of its file.
//
// RunSuites ends the test if a file cannot be read, or if there is no case. A case without a
// definition fails.
func RunSuites(t testing.TB, files fs.FS, opts ...SuiteOption) {
	t.Helper()
	runSuites(t, files, nil, opts)
}

// RunSuites is the function [RunSuites], but the cases may also use the definitions of the set.
func (s *Set) RunSuites(t testing.TB, files fs.FS, opts ...SuiteOption) {
	t.Helper()
	var more []*suite.Definition
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		more = append(more, &suite.Definition{Source: s.byName[name].Source})
	}
	runSuites(t, files, more, opts)
}

func runSuites(t testing.TB, files fs.FS, more []*suite.Definition, opts []SuiteOption) {
	t.Helper()
	if files == nil {
		t.Fatal("crdtest: the file system is nil")
	}
	o := &suiteOptions{except: map[string]string{}}
	for _, opt := range opts {
		if opt != nil {
			opt(o)
		}
	}
	suites, err := suite.Read(t.Context(), files, more, ".")
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	if c := activeCollector(); c != nil {
		suites.Cover(c.recorder)
	}
	o.checkNames(t, suites.Cases)
	for cases := suites.Cases; len(cases) > 0; {
		n := 1
		for n < len(cases) && cases[n].File == cases[0].File {
			n++
		}
		ofFile := cases[:n]
		cases = cases[n:]
		run(t, ofFile[0].File, func(t testing.TB) {
			t.Helper()
			for _, c := range ofFile {
				run(t, c.Name, func(t testing.TB) {
					t.Helper()
					o.judge(t, c)
				})
			}
		})
	}
}

func (o *suiteOptions) checkNames(t testing.TB, cases []*suite.Case) {
	t.Helper()
	named := map[string]bool{}
	for _, c := range cases {
		named[c.String()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(o.except)) {
		if !named[name] {
			t.Errorf("%s: there is no such case, but it is said to differ: %s", name, o.except[name])
		}
	}
}

// judge runs a case. The test fails if the result is not as recorded. A case with an exception
// fails the test if its result is as recorded.
func (o *suiteOptions) judge(t testing.TB, c *suite.Case) {
	t.Helper()
	problem, err := c.Run(t.Context())
	reason, known := o.except[c.String()]
	switch {
	case err != nil && (!known || t.Context().Err() != nil):
		t.Errorf("%s: %v", c, err)
	case problem != "" && !known:
		t.Errorf("%s: %s", c, problem)
	case err == nil && problem == "" && known:
		t.Errorf("%s: the result is as recorded, but it is said to differ: %s", c, reason)
	}
}
