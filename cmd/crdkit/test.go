package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/internal/coverage"
	"github.com/crdkit/crdkit/internal/suite"
)

const testHelp = `test PATH...
Run recorded cases against definitions

Run recorded cases: objects with the verdict that a server must give.

PATH is a file, or a directory with everything below it. It has the cases and the
definitions. These files have cases:

  - suites of openshift/api, which are YAML with crdName and tests,
  - X.yaml, with the text of its refusal in X.yaml.err,
  - X.pre.yaml, which X.post.yaml updates, with the text of the refusal in
    X.post.yaml.tx_err,
  - objects in files or below directories whose name is "valid" or "invalid", or begins
    or ends with one of these words.

Other files have definitions. docs/testing.md describes the formats.

Standard output has

  text    the cases with another result than the recorded one, and a count
  junit   JUnit's XML: a suite for each file
  none    nothing

--cover writes which parts of the definitions the cases use: a record as JSON, a summary
as text and a page as HTML, in files with these extensions.

The exit code is 0 if all results are as recorded, 1 if some are not, and 2 if a case
cannot be run, because a file cannot be read or a definition is missing.

Examples:
  crdkit test tests config/crd
  crdkit test -o junit . > report.xml
  crdkit test --run 'onCreate|immutable' --cover cover.html .`

type tester struct {
	session
	pattern string
	cover   string

	text  io.Writer
	junit junitPrinter

	cases, wrong, stuck int // counts of all cases, of different results, and of cases that cannot be run
}

func newTest() *cobra.Command {
	c := &tester{}
	f := c.command(testHelp, cobra.MinimumNArgs(1), c.run).Flags()
	c.cmd.ValidArgsFunction = completeManifests
	c.addOutput("text", "junit", "none")
	f.StringVar(&c.pattern, "run", "", "run only cases whose file or name matches this regular expression")
	f.StringVar(&c.cover, "cover", "", "write the coverage of the definitions to this file, and to files with the extensions .json, .txt and .html")
	return c.cmd
}

func (c *tester) run(ctx context.Context, paths []string) error {
	wanted, err := regexp.Compile(c.pattern)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	suites, err := suite.Read(ctx, nil, nil, paths...)
	if err != nil {
		return err
	}
	var recorder *coverage.Recorder
	if c.cover != "" {
		recorder = coverage.NewRecorder()
		suites.Cover(recorder)
	}
	c.text, c.junit = io.Discard, junitPrinter{c.out, junitSuites{Name: "crdkit test"}}
	if c.output == "text" {
		c.text = c.out
	}
	for _, one := range suites.Cases {
		if !wanted.MatchString(one.String()) {
			continue
		}
		problem, err := one.Run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.report(one, problem, err)
	}
	if recorder != nil {
		if err := recorder.Save(c.cover); err != nil {
			return err
		}
	}
	if c.output == "junit" {
		if err := c.junit.end(); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.text, "%d cases, %d as recorded, %d not, %d cannot be run\n", c.cases, c.cases-c.wrong-c.stuck, c.wrong, c.stuck)
	switch {
	case c.cases == 0:
		return errors.New("no case matches --run")
	case c.stuck > 0:
		c.worst = exitUndecided
	case c.wrong > 0:
		c.worst = exitRefused
	}
	return nil
}

// report counts a result and prints it. Text output omits cases without a problem.
func (c *tester) report(one *suite.Case, problem string, err error) {
	c.cases++
	result := junitCase{Name: one.Name, ClassName: one.File, File: one.File, Line: one.Line}
	switch {
	case err != nil:
		c.stuck++
		result.Error = &junitProblem{Message: err.Error(), Type: codeUndecided}
		problem = fmt.Sprintf("cannot be run: %v", err)
	case problem != "":
		c.wrong++
		result.Failure = &junitProblem{Message: "the result is not as recorded", Type: "NotAsRecorded", Text: problem}
	}
	c.junit.add(result)
	if problem == "" {
		return
	}
	at := one.File
	if one.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, one.Line)
	}
	fmt.Fprintf(c.text, "%s: %s: %s\n", at, one.Name, problem)
}
