package fuzz

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// hang is how long an execution may take.
const hang = 30 * time.Second

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

	count            atomic.Uint64
	slowestAt        uint64
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
	returned := false
	defer func() {
		if d.failed = !returned || t.Failed(); d.failed {
			d.printInput("failed")
		}
		d.report()
	}()
	ended := make(chan struct{})
	defer close(ended)
	go d.watch(ended)
	args := make([]reflect.Value, len(in.args)+1)
	args[0] = reflect.ValueOf(t)
	start := time.Now()
	for last := start; !d.limit.reached(d.count.Load(), d.elapsed) && !t.Failed(); {
		in.next(d.first + d.count.Load())
		d.count.Add(1)
		for i, arg := range in.args {
			args[i+1] = reflect.ValueOf(arg)
		}
		d.body.Call(args)
		now := time.Now()
		if took := now.Sub(last); took > d.slowest {
			d.slowest, d.slowestAt = took, d.last()
		}
		last, d.elapsed = now, now.Sub(start)
	}
	returned = true
}

// last returns the number of the last execution, which may still run.
func (d *driver) last() uint64 { return d.first + d.count.Load() - 1 }

// printInput prints the input of the last execution. It generates the input again,
// because a body may change its arguments.
func (d *driver) printInput(what string) {
	in := newInputs(d.seeds)
	in.next(d.last())
	fmt.Printf("fuzz %s: execution %d %s, input:\n%s", d.name, d.last(), what, encode(in.args))
}

// watch ends the process if one execution takes longer than hang.
func (d *driver) watch(ended <-chan struct{}) {
	for before := uint64(0); ; {
		select {
		case <-ended:
			return
		case <-time.After(hang):
		}
		if now := d.count.Load(); now > before {
			before = now
			continue
		}
		d.printInput(fmt.Sprintf("takes longer than %v", hang))
		stack := make([]byte, 1<<20)
		os.Stdout.Write(stack[:runtime.Stack(stack, true)])
		fmt.Printf("fuzz %s: %d executions, 1 failures, %.2f s\n", d.name, d.count.Load(), hang.Seconds())
		os.Exit(1)
	}
}

func (d *driver) report() {
	failures := 0
	if d.failed {
		failures = 1
	}
	fmt.Printf("fuzz %s: %d executions, %d failures, %.2f s, slowest %v (execution %d)\n",
		d.name, d.count.Load(), failures, d.elapsed.Seconds(), d.slowest.Round(time.Microsecond), d.slowestAt)
}
