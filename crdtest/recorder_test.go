package crdtest_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// A recorder is a testing.TB that keeps what a test would print.
type recorder struct {
	testing.TB
	lines []string
	fatal bool
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return context.Background() }
func (r *recorder) Error(args ...any)        { r.lines = append(r.lines, fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

// ended is the value with which a recorder ends a test.
type ended struct{}

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	r.fatal = true
	panic(ended{})
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

// record runs a test and returns what it prints.
func record(test func(t testing.TB)) string {
	r := &recorder{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != (ended{}) {
				panic(p)
			}
		}()
		test(r)
	}()
	text := strings.Join(r.lines, "\n")
	if r.fatal {
		text += "\n(the test ends)"
	}
	return text
}

// oneFile returns a file system with the file a.yaml.
func oneFile(text string) fs.FS { return fstest.MapFS{"a.yaml": {Data: []byte(text)}} }
