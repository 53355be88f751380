package crdtest

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/crdkit/crdkit/internal/coverage"
	"github.com/crdkit/crdkit/internal/suite"
)

const coverFlag = "crdtest.cover"

// Main runs the tests of a package, from a function TestMain. If the flag -crdtest.cover names a
// file, Main records which parts of the definitions the tests exercise:
//
//	func TestMain(m *testing.M) { crdtest.Main(m) }
//
//	go test ./... -crdtest.cover=$PWD/cover.html
//
// With this flag, Main writes the record to cover.json, a summary with all goals that no test meets
// to cover.txt, and a page with the text of each definition in colors to cover.html. It adds to an
// existing record, so that all packages of a run share one record. Remove the record to begin anew.
// If the text of a definition has changed, its old counts are dropped.
//
// Main declares the flag, so every tested package must call Main. Main ends the program if m is nil
// or if it cannot write the record. With the flag, garbage is collected less often, as with
// GOGC=400, unless the environment sets GOGC.
func Main(m *testing.M) {
	if m == nil {
		fmt.Fprintln(os.Stderr, "crdtest: Main got no testing.M")
		os.Exit(1)
	}
	if flag.Lookup(coverFlag) == nil {
		flag.Var(&collector{recorder: coverage.NewRecorder()}, coverFlag, "write the coverage of definitions to `file`, and to files with the extensions .json, .txt and .html")
	}
	m.Run()
	if c := activeCollector(); c != nil {
		if err := c.recorder.Save(c.file); err != nil {
			fmt.Fprintf(os.Stderr, "crdtest: writing the coverage: %v\n", err)
			os.Exit(1)
		}
	}
}

// A collector is the value of the flag -crdtest.cover, and records requests.
type collector struct {
	file     string // "" if coverage is off
	recorder *coverage.Recorder
}

func (c *collector) String() string { return c.file }

// gcPercent is the GOGC of a process with coverage. The process is short and makes much garbage.
const gcPercent = 400

func (c *collector) Set(file string) error {
	c.file = file
	if file != "" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	return nil
}

// activeCollector returns the collector, or nil if coverage is off.
func activeCollector() *collector {
	f := flag.Lookup(coverFlag)
	if f == nil {
		return nil
	}
	if c, ok := f.Value.(*collector); ok && c.file != "" {
		return c
	}
	return nil
}

func (s *Set) observe(t testing.TB, r *Response) {
	t.Helper()
	c := activeCollector()
	if c == nil {
		return
	}
	source := s.byName[r.version.Definition().Name()].Source
	request := suite.Request{Object: r.Object, Old: r.old, Result: r.Result}
	if err := request.Record(t.Context(), c.recorder, source, r.version); err != nil {
		t.Fatalf("crdtest: recording the coverage: %v", err)
	}
}
