package main

import (
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A campaign judges mutants that are chosen by chance.
type campaign struct {
	dir      string   // of the module
	patterns []string // packages whose sources are changed
	except   []string // packages among them that are not, without the module
	common   []string // packages whose tests run for all mutants
	n, least int      // of choose
	seed     uint64
	only     []int         // numbers of the mutants to judge; nil means all
	patience time.Duration // how long tests may run, besides a multiple of their usual time

	log io.Writer // of the progress

	chosen []*mutant
	judges []*goPackage // those of common
}

// prepare loads the packages and chooses the mutants.
func (c *campaign) prepare() error {
	fset := token.NewFileSet()
	packages, err := load(fset, c.dir, c.patterns...)
	if err != nil {
		return err
	}
	var possible [][]*mutant
	for _, p := range packages {
		if !slices.Contains(c.except, short(p.path)) {
			possible = append(possible, find(fset, p))
		}
	}
	c.chosen = choose(possible, c.n, c.least, c.seed)
	if c.common != nil {
		c.judges, err = load(fset, c.dir, c.common...)
	}
	return err
}

// run builds the tests, traces them and judges the chosen mutants.
func (c *campaign) run() ([]outcome, error) {
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	overlay, err := writeOverlay(work, c.chosen)
	if err != nil {
		return nil, err
	}
	binaries, err := c.binaries(work, overlay)
	if err != nil {
		return nil, err
	}
	var outcomes []outcome
	start := time.Now()
	for _, m := range c.chosen {
		if c.only != nil && !slices.Contains(c.only, m.id) {
			continue
		}
		o := c.judge(m, binaries)
		outcomes = append(outcomes, o)
		fmt.Fprintf(c.log, "%4.0fs %d %s %s\n", time.Since(start).Seconds(), m.id, o.verdict, m.key())
	}
	return outcomes, nil
}

// binaries builds and traces the tests of the packages of the chosen mutants and
// the common ones.
func (c *campaign) binaries(work, overlay string) (map[string]*binary, error) {
	packages := slices.Clone(c.judges)
	for _, m := range c.chosen {
		if c.only == nil || slices.Contains(c.only, m.id) {
			packages = append(packages, m.pkg)
		}
	}
	env := append(os.Environ(), "CRDKIT_CORPUS="+filepath.Join(work, "no-corpus"))
	binaries := make(map[string]*binary)
	for _, p := range packages {
		if _, done := binaries[p.path]; done {
			continue
		}
		b, err := build(p, overlay, work)
		if err != nil {
			return nil, err
		}
		binaries[p.path] = b
		if b == nil {
			continue
		}
		b.env, b.patience = env, c.patience
		start := time.Now()
		failing, err := b.trace(work)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(c.log, "%s: %d tests in %.1fs; fail without a mutant: %v\n", short(p.path), len(b.tests), time.Since(start).Seconds(), failing)
	}
	return binaries, nil
}

// judge runs the tests of the mutant's own package, then the common ones.
func (c *campaign) judge(m *mutant, binaries map[string]*binary) outcome {
	o := outcome{mutant: m, verdict: unreached}
	for _, p := range append([]*goPackage{m.pkg}, c.judges...) {
		b := binaries[p.path]
		if b == nil || p.path == o.by {
			continue
		}
		o.by = p.path
		switch v := b.judge(m.id); v {
		case killed, hung:
			o.verdict = v
			return o
		case survived:
			o.verdict = v
		}
	}
	return o
}
