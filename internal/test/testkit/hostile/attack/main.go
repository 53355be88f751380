//go:build unix

// Attack runs one case of package hostile in a process of its own and prints what it
// took:
//
//	go run ./internal/test/testkit/hostile/attack CASE SIZE
//
// It prints the size of the input in bytes, the verdict, the processor time of the
// operation in milliseconds, and the peak memory of the process in bytes. The limit of
// package runtime for memory is set as the promise about memory has it. The process uses
// two processors on every machine, because each one keeps memory of its own.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: attack CASE SIZE"))
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fail(err)
	}
	for _, c := range hostile.Cases() {
		if c.Name == os.Args[1] {
			if err := attack(c, n); err != nil {
				fail(err)
			}
			return
		}
	}
	fail(fmt.Errorf("no case has the name %q", os.Args[1]))
}

// programSize is what the resident memory has besides the memory that package runtime
// limits: the program itself, and what is allocated until a collection has ended.
const programSize = 32 << 20

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func attack(c hostile.Case, n int) error {
	runtime.GOMAXPROCS(2)
	in := c.Input(n)
	debug.SetMemoryLimit(int64(hostile.MemoryLimit(in) - programSize))
	run, err := c.Op(in)
	if err != nil {
		return err
	}
	start := processorTime()
	verdict := run(context.Background())
	spent := processorTime() - start
	fmt.Println(in.Size(), verdict, spent.Milliseconds(), peak())
	return nil
}

func usage() syscall.Rusage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fail(err)
	}
	return u
}

func processorTime() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak returns the peak of the resident memory in bytes. On Linux, the peak of rusage is
// not that of this program alone: it includes the process that started it.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if _, rest, ok := strings.Cut(string(status), "VmHWM:"); err == nil && ok {
		var kibibytes int64
		if _, err := fmt.Sscan(rest, &kibibytes); err == nil {
			return kibibytes * 1024
		}
	}
	max := int64(usage().Maxrss)
	if runtime.GOOS != "darwin" {
		max *= 1024 // darwin reports bytes, others kibibytes
	}
	return max
}
