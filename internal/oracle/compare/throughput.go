package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/testkit"
)

// throughputTurn is how long goroutines create objects in one turn.
const throughputTurn = 300 * time.Millisecond

// compareThroughput prints how many objects are created per second by one goroutine and
// by n of them, which share a version, and the ratio of the two.
func compareThroughput(dir string, rounds, n int) error {
	if n > runtime.NumCPU() {
		return fmt.Errorf("%d processors are wanted and %d are there", n, runtime.NumCPU())
	}
	cases, err := loadCases(dir)
	if err != nil {
		return err
	}
	fmt.Printf("creates per second from bytes, rules included, by 1 and by %d goroutines\n", n)
	logs, counted := 0.0, 0
	for _, c := range cases {
		if c.rules {
			continue
		}
		var one, many []float64
		for range rounds {
			one, many = append(one, throughput(c, 1)), append(many, throughput(c, n))
		}
		a, b := median(one), median(many)
		fmt.Printf("%32s  %10.0f  %10.0f  %.2fx\n", c.name, a, b, b/a)
		logs, counted = logs+math.Log(b/a), counted+1
	}
	fmt.Printf("geomean throughput %.2f x\n", math.Exp(logs/float64(counted)))
	return nil
}

// throughput returns the creates per second of n goroutines.
func throughput(c *testCase, n int) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	runtime.GC()
	raw := testkit.Encode(c.object)
	counts := make([]int, n)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range n {
		wg.Go(func() {
			count := 0 // not in counts, whose elements share a cache line
			for ; time.Since(start) < throughputTurn; count++ {
				if _, _, err := c.ours.CreateJSON(context.Background(), raw, crdkit.Warn); err != nil {
					panic(err)
				}
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
