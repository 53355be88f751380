package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"time"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// measured is what a run took.
type measured struct {
	processor time.Duration // user and system
	peak      int64         // bytes of resident memory
}

// judge runs a tool several times over a directory. It returns the verdicts, which must be
// the same each time, and the medians of what the runs took.
func (t *tool) judge(dir string, runs int) (map[string]string, measured, error) {
	var (
		verdicts map[string]string
		all      []measured
	)
	for range runs {
		out, m, err := t.run(dir)
		if err != nil {
			return nil, measured{}, err
		}
		of, err := t.parse(out)
		if err != nil {
			return nil, measured{}, err
		}
		if verdicts != nil && !maps.Equal(verdicts, of) {
			return nil, measured{}, errors.New("two runs have different verdicts")
		}
		verdicts = of
		all = append(all, m)
	}
	median := measured{
		processor: middle(all, func(m measured) time.Duration { return m.processor }),
		peak:      middle(all, func(m measured) int64 { return m.peak }),
	}
	return verdicts, median, nil
}

func middle[T cmp.Ordered](all []measured, of func(measured) T) T {
	var values []T
	for _, m := range all {
		values = append(values, of(m))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// run runs a tool once. An exit code that is not 0 is no error.
func (t *tool) run(dir string) ([]byte, measured, error) {
	var out, errOut bytes.Buffer
	cmd := exec.Command(t.binary, append(slices.Clone(t.args), dir)...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	peak, err := testkit.RunPeak(cmd)
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return nil, measured{}, err
	}
	if out.Len() == 0 {
		return nil, measured{}, fmt.Errorf("no output: %s", errOut.String())
	}
	return out.Bytes(), measured{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak}, nil
}
