package cel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// String returns the report as a table: a line for each expression, then the
// bounds that make each expensive one fit, and the total. A report without
// expressions is one line.
func (r *CostReport) String() string {
	if r.Problem != "" {
		return "no estimate: " + r.Problem + "\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(r.Expressions) > 0 {
		fmt.Fprintln(w, "EXPRESSION\tCOST\tTIMES\tTOTAL\tOF LIMIT\t")
	}
	for i := range r.Expressions {
		c := &r.Expressions[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n",
			c.name(), count(c.Cost), c.times(), count(c.Total), percent(c.Factor()), c.verdict())
	}
	w.Flush()
	table := b.String()
	b.Reset()
	for line := range strings.Lines(table) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	for i := range r.Expressions {
		r.Expressions[i].advise(&b)
	}
	if len(r.Expressions) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "total %s of %s (%s)", count(r.Total), count(r.Limit), percent(r.Factor()))
	if r.Total > r.Limit {
		b.WriteString(": over the limit of the schema\n")
	} else {
		fmt.Fprintf(&b, ", %s left\n", count(r.Headroom()))
	}
	return b.String()
}

// name returns the name of an expression: the path of its value and the number of
// its rule.
func (c *ExpressionCost) name() string {
	path := c.Path
	if path == "" {
		path = "(root)"
	}
	name := path + " rule " + strconv.Itoa(c.Index)
	if c.Kind != RuleExpression {
		name += " " + c.Kind.String()
	}
	return name
}

func (c *ExpressionCost) times() string {
	if c.Bounded {
		return count(c.Cardinality)
	}
	return count(c.Cardinality) + " (unbounded)"
}

func (c *ExpressionCost) verdict() string {
	switch {
	case c.Problem != "":
		return "does not compile"
	case c.Over():
		return "OVER"
	}
	return ""
}

// advise writes the error of an expression that does not compile, and the bounds
// that make an expensive one fit.
func (c *ExpressionCost) advise(b *strings.Builder) {
	if c.Problem != "" {
		fmt.Fprintf(b, "\n%s: %s\n", c.name(), c.Problem)
	}
	if !c.Over() {
		return
	}
	fmt.Fprintf(b, "\n%s costs %s its limit:\n  %s\n", c.name(), times(c.Factor()), strings.ReplaceAll(c.Text, "\n", "\n  "))
	for _, bound := range c.Bounds {
		fmt.Fprintf(b, "  %s\n", bound.String())
	}
	switch {
	case c.Together > 0:
		fmt.Fprintf(b, "  no bound alone makes it fit; it fits if none of them is larger than %d\n", c.Together)
	case !slices.ContainsFunc(c.Bounds, func(b Bound) bool { return b.Fits > 0 }):
		b.WriteString("  no bound in the schema makes it fit: the expression itself is too expensive\n")
	}
}

// String returns the bound and the value with which the expression fits, such as
// "spec.hosts: maxItems is not declared (taken for 524287): 304 fits".
func (b Bound) String() string {
	path := b.Path
	if path == "" {
		path = "(root)"
	}
	is := fmt.Sprintf("is %d", b.Value)
	if !b.Declared {
		is = fmt.Sprintf("is not declared (taken for %d)", b.Value)
	}
	fits := "no value alone makes it fit"
	if b.Fits > 0 {
		fits = fmt.Sprintf("%d fits", b.Fits)
	}
	return fmt.Sprintf("%s: %s %s: %s", path, b.Keyword, is, fits)
}

// count formats a number of cost units.
func count(n uint64) string {
	if n == math.MaxUint64 {
		return "unlimited"
	}
	return strconv.FormatUint(n, 10)
}

func times(factor float64) string {
	if factor > 100 {
		return "more than 100 times"
	}
	return strconv.FormatFloat(factor, 'f', 2, 64) + " times"
}

func percent(factor float64) string {
	if factor > 100 {
		return ">10000%"
	}
	return strconv.FormatFloat(factor*100, 'f', 2, 64) + "%"
}
