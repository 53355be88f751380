package fuzz

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzAll has an argument of every type. It fails for some inputs if a test asks
// for it.
func FuzzAll(f *testing.F) {
	f.Add("text 12", []byte(`{"a":[1]}`), true, 3, int64(-1), uint8(7), uint16(9), uint64(1))
	f.Add("", []byte{}, false, 0, int64(0), uint8(0), uint16(0), uint64(0))
	fails := os.Getenv("FUZZ_TEST_FAILS")
	Run(f, func(t *testing.T, s string, b []byte, v bool, i int, n int64, u uint8, w uint16, x uint64) {
		if x%1000 == 17 {
			switch fails {
			case "error":
				t.Error("seventeen")
			case "panic":
				panic("seventeen")
			}
		}
	})
}

// target runs FuzzAll in a process of its own and returns its output.
func target(t *testing.T, env ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^FuzzAll$")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestRun(t *testing.T) {
	out, err := target(t, "CRDKIT_FUZZ=5000")
	if err != nil || !strings.Contains(out, "fuzz FuzzAll: 5000 executions, 0 failures,") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = target(t, "CRDKIT_FUZZ=50ms")
	if err != nil || !strings.Contains(out, " executions, 0 failures,") || strings.Contains(out, ": 0 executions") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = target(t, "CRDKIT_FUZZ="); err != nil || strings.Contains(out, "executions") {
		t.Errorf("without a limit: %v\n%s", err, out)
	}
	if out, err = target(t, "CRDKIT_FUZZ=x"); err == nil || !strings.Contains(out, "neither a number") {
		t.Errorf("a wrong limit: %v\n%s", err, out)
	}
}

// A failure prints the number of the execution, with which it can be repeated.
func TestRunFails(t *testing.T) {
	for _, fails := range []string{"error", "panic"} {
		out, err := target(t, "CRDKIT_FUZZ=100000", "FUZZ_TEST_FAILS="+fails)
		_, rest, found := strings.Cut(out, "fuzz FuzzAll: execution ")
		k, input, _ := strings.Cut(rest, " failed, input:\n")
		if err == nil || !found || !strings.HasPrefix(input, "go test fuzz v1\nstring(") || !strings.Contains(out, " 1 failures,") || !strings.Contains(out, "seventeen") {
			t.Fatalf("%s: %v\n%s", fails, err, out)
		}
		out, err = target(t, "CRDKIT_FUZZ=1", "CRDKIT_FUZZ_FIRST="+k, "FUZZ_TEST_FAILS="+fails)
		if err == nil || !strings.Contains(out, "execution "+k+" failed") {
			t.Errorf("%s: execution %s alone: %v\n%s", fails, k, err, out)
		}
	}
}

// The inputs depend on the number of the execution only, and differ.
func TestInputs(t *testing.T) {
	seeds := [][]any{{"text 12", []byte(`{"a":[1]}`)}, {"", []byte(nil)}}
	a, b := newInputs(seeds), newInputs(seeds)
	different := make(map[string]bool)
	for k := range uint64(2000) {
		a.next(k)
		b.next(1999 - k)
		b.next(k)
		if diff := cmp.Diff(a.args, b.args); diff != "" {
			t.Fatalf("execution %d:\n%s", k, diff)
		}
		different[encode(a.args)] = true
	}
	if len(different) < 1400 {
		t.Errorf("%d different inputs of 2000", len(different))
	}
	if seeds[0][0] != "text 12" || !bytes.Equal(seeds[0][1].([]byte), []byte(`{"a":[1]}`)) {
		t.Errorf("a seed changed: %q", seeds)
	}
}

func TestLimit(t *testing.T) {
	for text, want := range map[string]limit{"7": {executions: 7}, "2s": {duration: 2 * time.Second}} {
		if got, err := parseLimit(text); err != nil || got != want {
			t.Errorf("parseLimit(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"-1", "0s", "-1s", "much"} {
		if _, err := parseLimit(text); err == nil {
			t.Errorf("parseLimit(%q) succeeds", text)
		}
	}
}

// Diff agrees with cmp.Diff on equality, and compares values of a depth for which
// cmp.Diff takes forever.
func TestDiff(t *testing.T) {
	for _, tt := range []struct{ a, b any }{
		{map[string]any{"a": []any{int64(1)}}, map[string]any{"a": []any{int64(1)}}},
		{map[string]any{"a": []any{int64(1)}}, map[string]any{"a": []any{1.0}}},
		{"a", "b"}, {nil, nil}, {[]any{}, []any{nil}}, {[]string{"a"}, []string{"a"}},
	} {
		if got, want := Diff(tt.a, tt.b) == "", cmp.Equal(tt.a, tt.b); got != want {
			t.Errorf("Diff(%v, %v) says equal: %t", tt.a, tt.b, got)
		}
	}
	nested := func(leaf any) any {
		for range 500 {
			leaf = []any{leaf}
		}
		return leaf
	}
	if diff := Diff(nested("a"), nested("a")); diff != "" {
		t.Errorf("equal values differ: %s", diff)
	}
	if Diff(nested("a"), nested("b")) == "" {
		t.Error("different values are equal")
	}
}
