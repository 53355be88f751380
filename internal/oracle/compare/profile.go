package main

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/oracle/processor"
)

// profileTime is how much processor time the profile of a case takes.
const profileTime = 4 * time.Second

// profile writes a processor profile of crdkit alone on a case to a file in dir, which
// has the names of the operation and of the case.
func profile(dir, op, name string, p *pair) (err error) {
	file, err := os.Create(filepath.Join(dir, op+"-"+strings.NewReplacer(" ", "-", ",", "").Replace(name)+".pprof"))
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(file.Close(), err) }()
	n := calibrate(p, p.ours)
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for start := processor.Time(); processor.Time()-start < profileTime; {
		spend(p, p.ours, n)
	}
	return nil
}
