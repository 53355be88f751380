package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// memory is the limit of a test process in KiB: a mutant may never stop
// allocating.
const memory = 6 << 20

// A binary holds the compiled tests of one package.
type binary struct {
	pkg   string // import path
	dir   string
	path  string
	env   []string // of the tests
	tests []*test

	patience time.Duration // how long tests may run, besides a multiple of their usual time
}

// A test is one test, example or fuzz target.
type test struct {
	name    string
	took    time.Duration
	reaches map[int]bool // mutants whose code runs
}

// build compiles the tests of a package. It returns nil if there are none.
func build(p *goPackage, overlay, out string) (*binary, error) {
	b := &binary{pkg: p.path, dir: p.dir, path: filepath.Join(out, strings.ReplaceAll(p.path, "/", "_")+".test")}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", b.path, p.path)
	cmd.Dir = p.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -c %s: %w\n%s", p.path, err, text)
	}
	if _, err := os.Stat(b.path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return b, nil
}

// trace runs each test alone and without a mutant, to learn what it reaches
// and how long it takes. It returns the names of the tests that fail, which
// are then left out.
func (b *binary) trace(work string) (failing []string, err error) {
	names, err := b.command(context.Background(), nil, "-test.list", ".").Output()
	if err != nil {
		return nil, fmt.Errorf("tests of %s: %w", b.pkg, err)
	}
	for name := range strings.FieldsSeq(string(names)) {
		if strings.HasPrefix(name, "Benchmark") {
			continue
		}
		t := &test{name: name, reaches: make(map[int]bool)}
		file := filepath.Join(work, "trace")
		start := time.Now()
		if b.command(context.Background(), []string{"CRDKIT_MUTANT_TRACE=" + file}, "-test.run", pattern(t)).Run() != nil {
			failing = append(failing, name)
			continue
		}
		t.took = time.Since(start)
		if err := t.read(file); err != nil {
			return nil, err
		}
		b.tests = append(b.tests, t)
	}
	return failing, nil
}

// read takes the numbers of the reached mutants from file and removes it.
func (t *test) read(file string) error {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		id, err := strconv.Atoi(lines.Text())
		if err != nil {
			return err
		}
		t.reaches[id] = true
	}
	return os.Remove(file)
}

func pattern(tests ...*test) string {
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = regexp.QuoteMeta(t.name)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

func (b *binary) command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory)
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", script, b.path}, args...)...)
	cmd.Dir, cmd.Env = b.dir, append(slices.Clip(b.env), env...)
	return cmd
}

// A verdict says what became of a mutant.
type verdict string

const (
	unreached verdict = "unreached" // no test runs its code
	survived  verdict = "survived"
	killed    verdict = "killed"
	hung      verdict = "hung" // counts as killed
)

// judge runs the tests that reach the mutant, the short ones first.
func (b *binary) judge(id int) verdict {
	var short, slow []*test
	for _, t := range b.tests {
		switch {
		case !t.reaches[id]:
		case t.took < 500*time.Millisecond:
			short = append(short, t)
		default:
			slow = append(slow, t)
		}
	}
	result := unreached
	for _, tests := range [][]*test{short, slow} {
		if len(tests) == 0 {
			continue
		}
		if result = b.runWith(id, tests); result != survived {
			return result
		}
	}
	return result
}

func (b *binary) runWith(id int, tests []*test) verdict {
	limit := b.patience
	for _, t := range tests {
		limit += 5 * t.took
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := b.command(ctx, []string{"CRDKIT_MUTANT=" + strconv.Itoa(id)}, "-test.failfast", "-test.run", pattern(tests...)).Run()
	switch {
	case err == nil:
		return survived
	case ctx.Err() != nil:
		return hung
	}
	return killed
}
