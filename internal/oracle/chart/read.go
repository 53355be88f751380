package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// An operation is one operation in the output of compare.
type operation struct {
	name, does string
	mean       float64 // geometric mean of the ratios; 0 if there is no line with it
	worst      float64
	worstCase  string
	cases      int       // without those that have nothing to do
	allocs     []float64 // of crdkit, of these cases
}

var (
	heading   = regexp.MustCompile(`^([a-z-]+): (.+)$`)
	rowEnd    = regexp.MustCompile(`^ *(.+?)  +[\d.]+  +[\d.]+  +[\d.]+x  +([\d.]+)  +[\d.]+(  .*)?$`)
	meanLine  = regexp.MustCompile(`^geomean ([a-z-]+) ([\d.]+) x$`)
	worstLine = regexp.MustCompile(`^worst ([a-z-]+) ([\d.]+) x \((.*)\)$`)
)

// read reads the output of compare. It ignores lines that it does not know, such as totals
// over the corpus.
func read(output io.Reader) ([]operation, error) {
	var all []operation
	lines := bufio.NewScanner(output)
	blank := true
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), " ")
		// An operation begins with its name after an empty line.
		if m := heading.FindStringSubmatch(line); m != nil && blank {
			all = append(all, operation{name: m[1], does: m[2]})
		}
		blank = line == ""
		if len(all) == 0 {
			continue
		}
		if err := all[len(all)-1].add(line); err != nil {
			return nil, err
		}
	}
	return all, lines.Err()
}

// add reads a line of the operation.
func (o *operation) add(line string) error {
	var err error
	switch {
	case meanLine.MatchString(line):
		m := meanLine.FindStringSubmatch(line)
		if m[1] != o.name {
			return fmt.Errorf("%q is below the operation %s", line, o.name)
		}
		o.mean, err = strconv.ParseFloat(m[2], 64)
	case worstLine.MatchString(line):
		m := worstLine.FindStringSubmatch(line)
		o.worstCase = m[3]
		o.worst, err = strconv.ParseFloat(m[2], 64)
	case rowEnd.MatchString(line):
		m := rowEnd.FindStringSubmatch(line)
		if strings.HasSuffix(m[1], "*") {
			return nil // nothing to do
		}
		var allocs float64
		allocs, err = strconv.ParseFloat(m[2], 64)
		o.cases++
		o.allocs = append(o.allocs, allocs)
	}
	return err
}

// find returns the operation of a name that has a mean.
func find(measured []operation, name string) (operation, bool) {
	for _, o := range measured {
		if o.name == name && o.mean > 0 {
			return o, true
		}
	}
	return operation{}, false
}
