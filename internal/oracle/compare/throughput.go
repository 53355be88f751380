package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// throughputTurn is how long goroutines create objects in one turn.
const throughputTurn = 300 * time.Millisecond

// compareThroughput prints how many objects are created per second by one goroutine and
// by n of them, which share a version, and the ratio of the two: first with new memory for
// each output, then appended to a buffer of the goroutine.
func compareThroughput(dir string, rounds, n int) error {
	if n > runtime.NumCPU() {
		return fmt.Errorf("%d processors are wanted and %d are there", n, runtime.NumCPU())
	}
	cases, err := loadCases(dir)
	if err != nil {
		return err
	}
	cases = slices.DeleteFunc(cases, func(c *testCase) bool { return c.rules })
	for _, o := range []output{{"new memory", false}, {"appended", true}} {
		fmt.Printf("creates per second from bytes, rules included, by 1 and by %d goroutines, %s\n", n, o.name)
		logs, least := 0.0, math.Inf(1)
		for _, c := range cases {
			var one, many []float64
			for range rounds {
				one, many = append(one, throughput(c, 1, o.appended)), append(many, throughput(c, n, o.appended))
			}
			a, b := median(one), median(many)
			fmt.Printf("%32s  %10.0f  %10.0f  %.2fx\n", c.name, a, b, b/a)
			logs, least = logs+math.Log(b/a), min(least, b/a)
		}
		fmt.Printf("geomean throughput %s %.2f x, worst %.2f x\n", o.name, math.Exp(logs/float64(len(cases))), least)
	}
	return nil
}

// An output says where creates write the object.
type output struct {
	name     string
	appended bool
}

// throughput returns the creates per second of n goroutines.
func throughput(c *testCase, n int, appended bool) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	runtime.GC()
	raw := testkit.Encode(c.object)
	counts := make([]int, n)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range n {
		wg.Go(func() {
			var buf []byte
			options := []crdkit.JSONOption{crdkit.Warn}
			count := 0 // not in counts, whose elements share a cache line
			for ; time.Since(start) < throughputTurn; count++ {
				if appended {
					options = append(options[:1], crdkit.AppendTo(buf[:0]))
				}
				out, _, err := c.ours.CreateJSON(context.Background(), raw, options...)
				if err != nil {
					panic(err)
				}
				buf = out
			}
			counts[i] = count
		})
	}
	wg.Wait()
	took := time.Since(start).Seconds()
	total := 0
	for _, k := range counts {
		total += k
	}
	return float64(total) / took
}
