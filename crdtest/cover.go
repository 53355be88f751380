package crdtest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit/internal/coverage"
)

// coverFlag is the name of the flag that turns coverage on.
const coverFlag = "crdtest.cover"

// Main runs the tests of a package for a function TestMain, and records which parts of
// the definitions they exercise if the flag -crdtest.cover names a file:
//
//	func TestMain(m *testing.M) { crdtest.Main(m) }
//
//	go test ./... -crdtest.cover=$PWD/cover.html
//
// Main writes three files with the extensions .json, .txt and .html, whichever of them
// the flag has: the record, a summary with all goals that no test meets, and a page with
// the text of each definition in colours. It adds to a record that exists, so that the
// packages of one run have one record: remove it to begin anew. The counts of a
// definition whose text has changed since are dropped. A relative name is one in the
// directory of the package, as for all flags of tests.
//
// Every package that the command line names must have the flag. TestMain may do
// something before and after Main, which ends the program only if it cannot write the
// record.
func Main(m *testing.M) {
	if flag.Lookup(coverFlag) == nil {
		flag.Var(&collector{recorder: coverage.NewRecorder()}, coverFlag, "write the coverage of definitions to `file`, and to files with the extensions .json, .txt and .html")
	}
	m.Run()
	if c := activeCollector(); c != nil {
		if err := c.write(); err != nil {
			fmt.Fprintf(os.Stderr, "crdtest: writing the coverage: %v\n", err)
			os.Exit(1)
		}
	}
}

// A collector is the value of the flag, and records requests. Sets find it by the name of
// the flag, so that the package needs no variable.
type collector struct {
	file     string // "" if coverage is off
	recorder *coverage.Recorder
}

// String returns the value of the flag.
func (c *collector) String() string { return c.file }

// Set sets the value of the flag.
func (c *collector) Set(file string) error {
	c.file = file
	return nil
}

// activeCollector returns the collector, nil if coverage is off.
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

// observe records a request if coverage is on.
func (s *Set) observe(t testing.TB, r *Response) {
	t.Helper()
	c := activeCollector()
	if c == nil || r.Result.Refusal != nil {
		return
	}
	from := s.byName[r.version.Definition().Name()]
	source := coverage.Source{CRD: from.crd, File: from.file, Line: from.line, Text: from.bytes}
	req := coverage.Request{Object: r.Object.Object, Rules: !r.Result.Errors.BlocksRules()}
	if r.old != nil {
		req.Old = r.old.Object
	}
	if err := c.recorder.Observe(t.Context(), source, r.version.Name(), req); err != nil {
		t.Fatalf("crdtest: recording the coverage: %v", err)
	}
}

// lockTimeout is how long a process waits for others that write the same record.
const lockTimeout = 30 * time.Second

// write adds the record of this process to that in the file, and writes the three files.
func (c *collector) write() error {
	base := strings.TrimSuffix(c.file, filepath.Ext(c.file))
	unlock, err := lock(base + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	profile, err := coverage.Read(base + ".json")
	if err != nil {
		return err
	}
	profile.Merge(c.recorder.Profile())
	var record, text, page bytes.Buffer
	if err := errors.Join(profile.WriteJSON(&record), profile.WriteText(&text), profile.WriteHTML(&page)); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(base+".json", record.Bytes(), 0o644),
		os.WriteFile(base+".txt", text.Bytes(), 0o644),
		os.WriteFile(base+".html", page.Bytes(), 0o644),
	)
}

// lock creates a file that no other process has, and returns what removes it.
func lock(name string) (unlock func(), err error) {
	for deadline := time.Now().Add(lockTimeout); ; {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o644)
		switch {
		case err == nil:
			f.Close()
			return func() { os.Remove(name) }, nil
		case !errors.Is(err, os.ErrExist):
			return nil, err
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%s exists: another run writes the record, or was ended while it did; then remove it", name)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
