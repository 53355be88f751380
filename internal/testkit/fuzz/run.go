package fuzz

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"
)

// The environment variables that control the sequential driver.
const (
	limitVariable = "CRDKIT_FUZZ"
	firstVariable = "CRDKIT_FUZZ_FIRST"
)

// Run runs a target. body is the argument of [testing.F.Fuzz]. Run must be the
// last call of the target, after all seeds were added.
func Run(f *testing.F, body any) {
	f.Helper()
	text := os.Getenv(limitVariable)
	if text == "" || flag.Lookup("test.fuzz").Value.String() != "" {
		f.Fuzz(body)
		return
	}
	d := driver{name: f.Name(), body: reflect.ValueOf(body)}
	var err error
	if d.limit, err = parseLimit(text); err != nil {
		f.Fatal(err)
	}
	if first := os.Getenv(firstVariable); first != "" {
		if d.first, err = strconv.ParseUint(first, 10, 64); err != nil {
			f.Fatalf("%s: %v", firstVariable, err)
		}
	}
	f.Fuzz(d.collector())
	if f.Failed() || len(d.seeds) == 0 {
		return
	}
	every := func(string, string) (bool, error) { return true, nil }
	if !testing.RunTests(every, []testing.InternalTest{{Name: d.name, F: d.run}}) {
		f.Fail()
	}
}

// A limit ends the driver: after a number of executions or after a duration.
type limit struct {
	executions uint64
	duration   time.Duration
}

func parseLimit(text string) (limit, error) {
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return limit{executions: n}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return limit{}, fmt.Errorf("%s=%q is neither a number of executions nor a duration", limitVariable, text)
	}
	return limit{duration: d}, nil
}

func (l limit) reached(executions uint64, elapsed time.Duration) bool {
	if l.duration > 0 {
		return elapsed >= l.duration
	}
	return executions >= l.executions
}

// A driver runs one target. The zero count, slowest and failed are those before
// the first execution.
type driver struct {
	name  string
	body  reflect.Value
	limit limit
	first uint64 // the number of the first execution
	seeds [][]any

	count, slowestAt uint64
	slowest, elapsed time.Duration
	failed           bool
}

// collector returns a function with the type of the body. It keeps the arguments
// as a seed and calls the body.
func (d *driver) collector() any {
	return reflect.MakeFunc(d.body.Type(), func(args []reflect.Value) []reflect.Value {
		seed := make([]any, len(args)-1)
		for i, arg := range args[1:] {
			seed[i] = arg.Interface()
			if b, ok := seed[i].([]byte); ok {
				seed[i] = append([]byte(nil), b...)
			}
		}
		d.seeds = append(d.seeds, seed)
		return d.body.Call(args)
	}).Interface()
}

// run executes the body until the limit or the first failure, then prints a line.
func (d *driver) run(t *testing.T) {
	in := newInputs(d.seeds)
	done := false
	defer func() {
		if d.failed = !done || t.Failed(); d.failed {
			fmt.Printf("fuzz %s: execution %d failed, input:\n%s", d.name, d.first+d.count-1, encode(in.args))
		}
		d.report()
	}()
	args := make([]reflect.Value, len(in.args)+1)
	args[0] = reflect.ValueOf(t)
	start := time.Now()
	for last := start; !d.limit.reached(d.count, d.elapsed) && !t.Failed(); {
		in.next(d.first + d.count)
		d.count++
		for i, arg := range in.args {
			args[i+1] = reflect.ValueOf(arg)
		}
		d.body.Call(args)
		now := time.Now()
		if took := now.Sub(last); took > d.slowest {
			d.slowest, d.slowestAt = took, d.first+d.count-1
		}
		last, d.elapsed = now, now.Sub(start)
	}
	done = true
}

func (d *driver) report() {
	failures := 0
	if d.failed {
		failures = 1
	}
	fmt.Printf("fuzz %s: %d executions, %d failures, %.2f s, slowest %v (execution %d)\n",
		d.name, d.count, failures, d.elapsed.Seconds(), d.slowest.Round(time.Microsecond), d.slowestAt)
}
