package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/validation/cel"
)

const rulesLong = `List the rules of definitions (x-kubernetes-validations): the path of the values
that a rule checks, its cost by the server's estimate, the variables and fields
that it reads, its message and its text.

The message of a messageExpression is "= expression". [*] denotes all elements of
a list or all entries of a map.

The exit code is 0, or 2 if a definition cannot be read or is not structural.`

const rulesExample = `  crdkit rules -c crd.yaml
  crdkit rules -c crds/ -R -o json | jq -r '.[].text'`

func newRules() *cobra.Command {
	e := &estimator{print: map[string]func(io.Writer, []estimatedVersion) error{
		"table": printRules,
		"json":  func(w io.Writer, all []estimatedVersion) error { return encodeJSON(w, rulesOf(all), "  ") },
	}}
	return e.command(&cobra.Command{
		Use:     "rules [-c CRD]...",
		Short:   "List rules with what they read and what they cost",
		Long:    rulesLong,
		Example: rulesExample,
	})
}

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

func rulesOf(all []estimatedVersion) []listedRule {
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

func printRules(out io.Writer, all []estimatedVersion) error {
	for i, e := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		rules := rulesOf([]estimatedVersion{e})
		if len(rules) == 0 {
			fmt.Fprintf(out, "%s %s has no rules\n", e.Definition, e.Version)
			continue
		}
		fmt.Fprintf(out, "%s %s\n", e.Definition, e.Version)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "PATH\tRULE\tCOST\tUSES\tMESSAGE\tTEXT")
		for _, r := range rules {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n", valueOr(r.Path, "(root)"), r.Index, r.cost(),
				valueOr(strings.Join(r.Uses, ", "), "-"), valueOr(r.message(), "-"), oneLine(r.Text))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
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

func valueOr(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
