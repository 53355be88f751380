package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// junitPrinter prints -o junit: the XML of Ant's JUnit task, which has no
// specification except its readers. A file is a suite, and a definition or object
// a case. A refused one is a failure, and an undecided one an error. Warnings
// and notes are output of the case.
//
// See https://github.com/testmoapp/junitxml.
type junitPrinter struct {
	out    io.Writer
	name   string // of all suites
	suites []*junitSuite
}

type junitSuites struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Errors   int           `xml:"errors,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	File      string        `xml:"file,attr"`
	Line      int           `xml:"line,attr,omitempty"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
	Out       string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (p *junitPrinter) print(f *finding) error {
	if n := len(p.suites); n == 0 || p.suites[n-1].Name != f.doc.File {
		p.suites = append(p.suites, &junitSuite{Name: f.doc.File})
	}
	suite := p.suites[len(p.suites)-1]
	suite.Tests++
	c := junitCase{Name: f.name, ClassName: f.doc.File, File: f.doc.File, Line: f.doc.Line}
	if c.Name == "" {
		c.Name = f.doc.Location()
	}
	problems, first := f.lines(levelError)
	rest, _ := f.lines(levelWarning, levelNote)
	c.Out = rest
	switch f.verdict() {
	case refused:
		suite.Failures++
		c.Failure = &junitProblem{Message: first, Type: "Refused", Text: problems}
	case undecided:
		suite.Errors++
		c.Error = &junitProblem{Message: first, Type: codeUndecided, Text: problems}
	}
	suite.Cases = append(suite.Cases, c)
	return nil
}

// lines returns the issues of some levels, and the message of the first one
// with the number of the others.
func (f *finding) lines(levels ...string) (lines, first string) {
	var b strings.Builder
	count := 0
	for _, i := range f.issues {
		for _, level := range levels {
			if i.level != level {
				continue
			}
			if count++; count == 1 {
				first = i.message()
			}
			b.WriteString(i.line(f.doc.File) + "\n")
		}
	}
	if count > 1 {
		first += fmt.Sprintf(" (and %d more)", count-1)
	}
	return b.String(), first
}

func (p *junitPrinter) end() error {
	all := junitSuites{Name: p.name, Suites: p.suites}
	for _, s := range p.suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "%s%s\n", xml.Header, text)
	return err
}
