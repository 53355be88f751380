//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit/internal/text/manifest"
)

// TestInterrupt interrupts the command while it waits for a FIFO and while it judges
// many objects. It ends soon, and says what it did not judge.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "crd.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
	writeFile(t, dir, "many.yaml", strings.Repeat(widget+"list: [a, a]\n", 100_000))
	for _, tt := range []struct {
		name, args string
		input      string // longer than the buffer of a pipe; if empty, the command prints something before the interrupt
		want       string
	}{
		{"many objects", "admit -c crd.yaml -o jsonl many.yaml", "", " judged, "},
		{"standard input", "admit -c crd.yaml crd.yaml -", strings.Repeat("#\n", 500_000), "error: interrupted: 0 objects were judged, the rest was not\n"},
		{"many objects to convert", "convert -c crd.yaml --to v1 many.yaml", "", "error: interrupted: "},
		{"many objects to get", "get -c crd.yaml -", strings.Repeat(widget+"list: [a, a]\n", 20_000), "error: interrupted: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := command(t, dir, strings.Fields(tt.args)...)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var errOut bytes.Buffer
			printed := make(chan struct{}, 1)
			cmd.Stdout, cmd.Stderr = signalWriter{printed}, &errOut
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if tt.input == "" {
				<-printed
			} else if _, err := io.WriteString(stdin, tt.input); err != nil { // ends when the command has read most of it
				t.Fatal(err)
			}
			start := time.Now()
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code is checked
			took := time.Since(start)
			t.Logf("ended after %v", took)
			if took > 5*time.Second { // some milliseconds on an idle machine
				t.Errorf("ended %v after the interrupt", took)
			}
			if code := cmd.ProcessState.ExitCode(); code != exitUndecided || !strings.Contains(errOut.String(), tt.want) || strings.Contains(errOut.String(), "context canceled") {
				t.Errorf("exit code %d, standard error %q, want code %d and %q", code, errOut.String(), exitUndecided, tt.want)
			}
		})
	}
}

// A signalWriter discards what is written, and says on a channel that something was.
type signalWriter struct{ written chan struct{} }

func (w signalWriter) Write(p []byte) (int, error) {
	select {
	case w.written <- struct{}{}:
	default:
	}
	return len(p), nil
}

// An interrupt may come while an object is judged or between two objects.
func TestWorklogReport(t *testing.T) {
	w := &worklog{}
	w.judged.Store(2)
	o := &manifest.Object{Document: &manifest.Document{File: "many.yaml", Number: 3}}
	for _, tt := range []struct {
		current *manifest.Object
		want    string
	}{
		{o, "error: interrupted: 2 objects were judged, many.yaml, document 3 and the rest were not\n"},
		{nil, "error: interrupted: 2 objects were judged, the rest was not\n"},
	} {
		w.current.Store(tt.current)
		var out bytes.Buffer
		if w.report(&out); out.String() != tt.want {
			t.Errorf("report prints %q, want %q", out.String(), tt.want)
		}
	}
}
