package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

const costHelp = `cost [-c CRD]...
Estimate what rules cost, and say which bounds would make them fit

Print the maximal cost of the rules of definitions (x-kubernetes-validations), as
kube-apiserver estimates it when a definition is created.

The cost of a rule is multiplied by how often its value can occur in an object. The
server refuses a definition if one rule or messageExpression costs more than 10,000,000
units, or all of a schema more than 100,000,000.

For an expression over its limit, the report names the bounds of the schema that cause
the cost, each with the largest value that makes the expression fit. crdkit has
estimated the expression with each of these values.

The exit code is 0 if all costs are within their limits, 1 if one is not or a rule does
not compile, and 2 if a definition cannot be read or is not structural.

Examples:
  crdkit cost -c crd.yaml
  crdkit cost -c crds/ -R -o json | jq '.[] | select(.report.over) | .definition'`

// An estimator is the state of crdkit cost and crdkit rules. Both print parts of the same
// estimate.
type estimator struct {
	session
	table   func(io.Writer, estimatedVersion) error
	json    func([]estimatedVersion) any
	verdict bool // the exit code reports rules over a limit
}

type estimatedVersion struct {
	File       string          `json:"file"`
	Document   int             `json:"document"`
	Definition string          `json:"definition"`
	Version    string          `json:"version"`
	Report     *cel.CostReport `json:"report"`
}

func newCost() *cobra.Command {
	e := &estimator{table: printCosts, json: func(all []estimatedVersion) any { return all }, verdict: true}
	return e.subcommand(costHelp)
}

func newRules() *cobra.Command {
	e := &estimator{table: printRules, json: func(all []estimatedVersion) any { return rulesOf(all...) }}
	return e.subcommand(rulesHelp)
}

func (e *estimator) subcommand(help string) *cobra.Command {
	cmd := e.definitionCommand(help, 0, e.run)
	e.addRecursive()
	e.addOutput("table", "json")
	e.addVersion()
	return cmd
}

func (e *estimator) run(ctx context.Context, _ []string) error {
	all := []estimatedVersion{}
	err := e.eachDefinition(ctx, func(d *parsedDefinition) error {
		all = append(all, e.estimate(d)...)
		return nil
	})
	if err != nil {
		return err
	}
	if e.verdict && slices.ContainsFunc(all, estimatedVersion.refused) {
		e.worst = max(e.worst, exitRefused)
	}
	if e.output == "json" {
		return encodeJSON(e.out, e.json(all), "  ")
	}
	out := textWriter{e.out}
	for i, one := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := e.table(out, one); err != nil {
			return err
		}
	}
	return nil
}

func (e estimatedVersion) refused() bool {
	return e.Report.Over() || slices.ContainsFunc(e.Report.Expressions, func(c cel.ExpressionCost) bool { return c.Problem != "" })
}

// estimate estimates the versions of a definition. It prints errors and goes on.
func (e *estimator) estimate(d *parsedDefinition) []estimatedVersion {
	var all []estimatedVersion
	for i, v := range d.crd.Spec.Versions {
		props, path := crdversion.Schema(&v), crdversion.SchemaPath(i)
		if props == nil {
			continue
		}
		n, errs := schema.Compile(props, schema.AtPath(path), schemaopt.WithoutAnnotations{})
		if len(errs) > 0 {
			e.undecided(locate(d.Object, errorlist.Of(errs)))
			continue
		}
		report := cel.Estimate(n, cel.AtPath(path), cel.KubernetesVersion(e.version))
		if report.Problem != "" {
			e.undecided(locate(d.Object, errors.New(report.Problem)))
			continue
		}
		all = append(all, estimatedVersion{File: d.File, Document: d.Number, Definition: d.crd.Name, Version: v.Name, Report: report})
	}
	return all
}

func printCosts(w io.Writer, e estimatedVersion) error {
	_, err := fmt.Fprintf(w, "%s %s\n%s", e.Definition, e.Version, e.Report)
	return err
}

const rulesHelp = `rules [-c CRD]...
List rules with what they read and what they cost

List the rules of definitions (x-kubernetes-validations). Each has the path of the
values that it checks, its cost as the server estimates it, the variables and fields
that it reads, its message and its text.

A messageExpression is shown as "= expression". [*] stands for all elements of a list or
all entries of a map.

The exit code is 0, or 2 if a definition cannot be read or is not structural.

Examples:
  crdkit rules -c crd.yaml
  crdkit rules -c crds/ -R -o json | jq -r '.[].text'`

// A listedRule is the output of -o json for a rule.
type listedRule struct {
	Definition        string   `json:"definition"`
	Version           string   `json:"version"`
	Path              string   `json:"path"`
	Index             int      `json:"index"`
	Field             string   `json:"field"`
	Text              string   `json:"text"`
	Message           string   `json:"message,omitempty"`
	MessageExpression string   `json:"messageExpression,omitempty"`
	Reason            string   `json:"reason,omitempty"`
	FieldPath         string   `json:"fieldPath,omitempty"`
	OptionalOldSelf   bool     `json:"optionalOldSelf,omitempty"`
	Uses              []string `json:"uses"`
	Cost              uint64   `json:"cost"`
	Cardinality       uint64   `json:"cardinality"`
	Total             uint64   `json:"total"`
	Problem           string   `json:"problem,omitempty"`
}

func rulesOf(all ...estimatedVersion) []listedRule {
	rules := []listedRule{}
	for _, e := range all {
		for _, c := range e.Report.Expressions {
			if c.Kind != cel.RuleExpression {
				continue
			}
			rules = append(rules, listedRule{
				Definition: e.Definition, Version: e.Version, Path: c.Path, Index: c.Index, Field: c.Field,
				Text: c.Text, Message: c.Rule.Message, MessageExpression: c.Rule.MessageExpression,
				Reason: c.Rule.Reason, FieldPath: c.Rule.FieldPath, OptionalOldSelf: c.Rule.OptionalOldSelf,
				Uses: append([]string{}, c.Uses...), Cost: c.Cost, Cardinality: c.Cardinality, Total: c.Total, Problem: c.Problem,
			})
		}
	}
	return rules
}

func printRules(out io.Writer, e estimatedVersion) error {
	rules := rulesOf(e)
	if len(rules) == 0 {
		_, err := fmt.Fprintf(out, "%s %s has no rules\n", e.Definition, e.Version)
		return err
	}
	fmt.Fprintf(out, "%s %s\n", e.Definition, e.Version)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PATH\tRULE\tCOST\tUSES\tMESSAGE\tTEXT")
	for _, r := range rules {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n", cmp.Or(r.Path, "(root)"), r.Index, r.cost(),
			cmp.Or(strings.Join(r.Uses, ", "), "-"), cmp.Or(r.message(), "-"), oneLine(r.Text))
	}
	return w.Flush()
}

func (r *listedRule) cost() string {
	switch {
	case r.Problem != "":
		return "does not compile"
	case r.Total == math.MaxUint64:
		return "unlimited"
	case r.Total > cel.DefaultExpressionLimit:
		return strconv.FormatUint(r.Total, 10) + " OVER"
	}
	return strconv.FormatUint(r.Total, 10)
}

func (r *listedRule) message() string {
	if r.MessageExpression != "" {
		return "= " + oneLine(r.MessageExpression)
	}
	return oneLine(r.Message)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
