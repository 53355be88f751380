package main

import (
	"cmp"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/definition"
)

// sarifPrinter prints -o sarif: one run of SARIF 2.1.0, with a result for each
// issue, and the rules that the results refer to.
//
// See https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
type sarifPrinter struct {
	out       io.Writer
	results   []sarifResult
	used      map[string]bool
	undecided bool
}

func newSARIF(out io.Writer) *sarifPrinter {
	return &sarifPrinter{out: out, results: []sarifResult{}, used: map[string]bool{}}
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	ShortDescription sarifMessage `json:"shortDescription"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

// A sarifInvocation reports whether the tool could do its work, not its
// results.
type sarifInvocation struct {
	ExecutionSuccessful bool `json:"executionSuccessful"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type sarifLogical struct {
	Name               string `json:"name"`
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

func (p *sarifPrinter) print(f *finding) error {
	p.undecided = p.undecided || f.err != nil
	for _, i := range f.issues {
		p.used[i.code] = true
		var related []sarifLocation
		for _, at := range i.also {
			related = append(related, sarifLocationOf(f, at))
		}
		p.results = append(p.results, sarifResult{
			RuleID:    i.code,
			Level:     i.level,
			Message:   sarifMessage{Text: withName(f.name, i.explained())},
			Locations: []sarifLocation{sarifLocationOf(f, place{i.pointer, i.position})},
			Related:   related,
		})
	}
	return nil
}

func sarifLocationOf(f *finding, at place) sarifLocation {
	location := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: fileURI(f.doc.File)}}}
	if at.position.IsValid() {
		location.Physical.Region = &sarifRegion{StartLine: at.position.Line, StartColumn: at.position.Column}
	}
	if f.name != "" {
		location.Logical = []sarifLogical{{Name: f.name, FullyQualifiedName: f.name + "#" + at.pointer}}
	}
	return location
}

// fileURI returns the reference to a file, relative if its name is.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
		if u.Path[0] != '/' {
			u.Path = "/" + u.Path
		}
	}
	return u.String()
}

func (p *sarifPrinter) end() error {
	rules := []sarifRule{}
	for _, id := range slices.Sorted(maps.Keys(p.used)) {
		rules = append(rules, sarifRule{ID: id, ShortDescription: sarifMessage{Text: describe(id)}})
	}
	for i := range p.results {
		p.results[i].RuleIndex, _ = slices.BinarySearchFunc(rules, p.results[i].RuleID, func(r sarifRule, id string) int {
			return cmp.Compare(r.ID, id)
		})
	}
	return encodeJSON(p.out, sarifLog{
		Schema:  sarifSchema,
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool:        sarifTool{Driver: sarifDriver{Name: "crdkit", InformationURI: "https://github.com/crdkit/crdkit", Rules: rules}},
			Invocations: []sarifInvocation{{ExecutionSuccessful: !p.undecided}},
			ColumnKind:  "unicodeCodePoints",
			Results:     p.results,
		}},
	}, "  ")
}

// describe returns the meaning of a code.
func describe(code string) string {
	switch code {
	case codeUndecided:
		return "The file, the definition or the object cannot be read"
	case codeWarning:
		return "The server accepts this with a warning"
	case codeNote:
		return "What crdkit did not do"
	case codeUnknownField:
		return "The server refuses this: Unknown field"
	case codeDuplicateField:
		return "The server refuses this: Duplicate field"
	}
	if text := definition.NoteCode(code).Description(); text != "" {
		return text
	}
	if text := describeCompat(code); text != "" {
		return text
	}
	if strings.HasPrefix(code, "FieldValue") {
		return "The server refuses this: " + field.ErrorType(code).String()
	}
	return "The server refuses this: " + code
}
