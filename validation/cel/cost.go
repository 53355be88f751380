package cel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/schema"
)

// A CostReport says what the rules of a schema may cost at most, as kube-apiserver
// estimates it when a definition is written. It also says which bounds would make an
// expensive rule cheap enough. It belongs to the caller.
type CostReport struct {
	// Expressions has the rules and messageExpressions of the schema itself, then of the
	// schemas in additionalProperties, properties (by name) and items.
	Expressions []ExpressionCost
	// Total is the cost of all expressions, in cost units of CEL.
	Total uint64
	// Limit is the limit of Total: [DefaultSchemaLimit].
	Limit uint64
	// Problem says why there is no estimate, "" if there is one.
	Problem string

	errs field.ErrorList
}

// An ExpressionCost is the estimate for one rule or one messageExpression.
type ExpressionCost struct {
	// Path is the path of the values from the root, such as "spec.listeners[*].hostnames".
	// [*] stands for all elements or entries. It is "" for the root.
	Path string
	// Field is the path of the expression in the schema, as in errors. Pointer is its JSON
	// Pointer (RFC 6901).
	Field, Pointer string
	// Index is the index of the rule in x-kubernetes-validations.
	Index int
	// Rule is the rule, Kind the kind of the expression, and Text its text.
	Rule schema.Rule
	Kind ExpressionKind
	Text string
	// Uses are the variables and fields that the expression reads, sorted, such as
	// "self.replicas" and "oldSelf". It is nil if the expression does not compile.
	Uses []string

	// Cost is the cost of one evaluation, in cost units of CEL.
	Cost uint64
	// Cardinality is the largest number of values in one object. It is 1 for a
	// messageExpression.
	Cardinality uint64
	// Bounded reports whether maxItems and maxProperties bound Cardinality. Otherwise
	// Cardinality is the number of values that fit into the largest request.
	Bounded bool
	// Total is Cost times Cardinality. It may be at most Limit, [DefaultExpressionLimit].
	Total, Limit uint64
	// Problem is the server's error for an expression that does not compile, or "".
	Problem string

	// Bounds are the bounds that the cost depends on, the most important first. It is nil if
	// Total is at most half of Limit.
	Bounds []Bound
	// Together is set only if Total exceeds Limit and no single bound can change that. If all
	// bounds have at most the value Together, the total is within the limit. Together is 0 if
	// no value is small enough.
	Together int64
}

// An ExpressionKind is the kind of an expression: a rule or a messageExpression.
type ExpressionKind uint8

const (
	RuleExpression    ExpressionKind = iota // the rule itself
	MessageExpression                       // the messageExpression of the rule
)

// String returns "rule" or "messageExpression".
func (k ExpressionKind) String() string {
	if k == MessageExpression {
		return "messageExpression"
	}
	return "rule"
}

// A Bound is a keyword that bounds the cost of an expression, or would if it were declared.
type Bound struct {
	// Path is the path of the values that have the keyword, as in [ExpressionCost.Path].
	Path string `json:"path"`
	// Keyword is "maxItems", "maxLength" or "maxProperties".
	Keyword string `json:"keyword"`
	// Value is the declared value. If Declared is false, it is what the estimate assumes.
	Value    int64 `json:"value"`
	Declared bool  `json:"declared"`
	// Fits is the largest value with which the total is within the limit, if all other
	// bounds stay the same. It is 0 if there is none.
	Fits int64 `json:"fits"`
	// Total is [ExpressionCost.Total] with a bound of Fits, or with a bound of 1 if Fits is
	// 0.
	Total uint64 `json:"total"`
}

// Factor returns the total divided by the limit.
func (c *ExpressionCost) Factor() float64 { return float64(c.Total) / float64(c.Limit) }

// Over reports whether the total exceeds the limit.
func (c *ExpressionCost) Over() bool { return c.Total > c.Limit }

// Factor returns the total divided by the limit.
func (r *CostReport) Factor() float64 { return float64(r.Total) / float64(r.Limit) }

func (r *CostReport) headroom() uint64 { return r.Limit - min(r.Total, r.Limit) }

// Over reports whether an expression or the total exceeds its limit.
func (r *CostReport) Over() bool {
	return r.Total > r.Limit || slices.ContainsFunc(r.Expressions, func(c ExpressionCost) bool { return c.Over() })
}

// Errors returns the server's errors for the costs: one for each expression over its limit,
// then one for the total. It returns nil if there are none. [Check] returns other errors too.
func (r *CostReport) Errors() field.ErrorList { return slices.Clone(r.errs) }

// Estimate returns what the rules of n and below may cost, as kube-apiserver
// estimates it when a definition is created or updated. The result is never nil.
// A nil n has no rules. Rules that do not compile cost nothing.
//
// See https://kubernetes.io/docs/reference/using-api/cel/#resource-constraints.
func Estimate(n *schema.Node, opts ...Option) *CostReport {
	r := &CostReport{Limit: DefaultSchemaLimit}
	o := newCompileOptions(opts)
	o.SyntaxChecked, o.Invalid = true, nil
	if o.wrong != nil {
		r.Problem = o.wrong.ErrorBody()
		return r
	}
	if !celtypes.HasRules(n) {
		return r
	}
	s, err := celcost.New(n, o.Options)
	if err != nil {
		r.Problem = err.Error()
		return r
	}
	total, each, all := s.Totals()
	r.Total, r.errs = total, append(each, all...)
	for _, f := range s.Ordered() {
		if o.Watch.Poll() {
			break
		}
		r.Expressions = append(r.Expressions, costsOf(s, f)...)
	}
	if err := o.Watch.Err(); err != nil {
		return &CostReport{Limit: DefaultSchemaLimit, Problem: err.Error()}
	}
	return r
}

func costsOf(s *celcost.Checker, f *celcost.RuleCost) []ExpressionCost {
	entry := func(kind ExpressionKind, text string, o celcost.Expression) ExpressionCost {
		at := f.At().Child(kind.String())
		c := ExpressionCost{
			Path:        f.Values(),
			Field:       at.Path().String(),
			Pointer:     at.Pointer(),
			Index:       f.Index,
			Rule:        *f.Rule,
			Text:        text,
			Kind:        kind,
			Cost:        o.Cost,
			Cardinality: 1,
			Bounded:     true,
			Limit:       DefaultExpressionLimit,
			Problem:     o.Problem,
		}
		if o.Tree != nil {
			c.Uses = fieldaccess.Uses(o.Tree)
		}
		return c
	}
	rule := entry(RuleExpression, f.Rule.Rule, f.Condition)
	rule.Cardinality, rule.Bounded, rule.Total = s.CardinalityOf(f)
	rule.depends(s.Bounds(f, false, rule.Total))
	out := []ExpressionCost{rule}
	if text := f.Rule.MessageExpression; text != "" && f.Condition.Tree != nil && f.Condition.Problem == "" {
		message := entry(MessageExpression, text, f.Message)
		message.Total = message.Cost
		message.depends(s.Bounds(f, true, message.Total))
		out = append(out, message)
	}
	return out
}

func (c *ExpressionCost) depends(on []celcost.Bound, together int64) {
	for _, b := range on {
		c.Bounds = append(c.Bounds, Bound(b))
	}
	c.Together = together
}

// MarshalJSON implements [json.Marshaler]. Counts above 2^53 are JSON numbers too. A decoder
// that uses floating point rounds them.
func (r *CostReport) MarshalJSON() ([]byte, error) {
	out := reportJSON{
		Expressions: []expressionJSON{},
		Total:       r.Total,
		Limit:       r.Limit,
		Factor:      r.Factor(),
		Headroom:    r.headroom(),
		Over:        r.Over(),
		Problem:     r.Problem,
		Errors:      []string{},
	}
	for i := range r.Expressions {
		out.Expressions = append(out.Expressions, r.Expressions[i].json())
	}
	for _, err := range r.errs {
		out.Errors = append(out.Errors, err.Error())
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // expressions have < and >
	err := enc.Encode(out)
	return b.Bytes(), err
}

type reportJSON struct {
	Total       uint64           `json:"total"`
	Limit       uint64           `json:"limit"`
	Factor      float64          `json:"factor"`
	Headroom    uint64           `json:"headroom"`
	Over        bool             `json:"over"`
	Problem     string           `json:"problem,omitempty"`
	Errors      []string         `json:"errors"`
	Expressions []expressionJSON `json:"expressions"`
}

type expressionJSON struct {
	Path        string  `json:"path"`
	Field       string  `json:"field"`
	Index       int     `json:"index"`
	Keyword     string  `json:"keyword"`
	Text        string  `json:"text"`
	Cost        uint64  `json:"cost"`
	Cardinality uint64  `json:"cardinality"`
	Bounded     bool    `json:"bounded"`
	Total       uint64  `json:"total"`
	Limit       uint64  `json:"limit"`
	Factor      float64 `json:"factor"`
	Over        bool    `json:"over"`
	Problem     string  `json:"problem,omitempty"`
	Bounds      []Bound `json:"bounds,omitempty"`
	Together    int64   `json:"together,omitempty"`
}

func (c *ExpressionCost) json() expressionJSON {
	return expressionJSON{
		Path: c.Path, Field: c.Field, Index: c.Index, Keyword: c.Kind.String(), Text: c.Text,
		Cost: c.Cost, Cardinality: c.Cardinality, Bounded: c.Bounded,
		Total: c.Total, Limit: c.Limit, Factor: c.Factor(), Over: c.Over(), Problem: c.Problem, Bounds: c.Bounds, Together: c.Together,
	}
}

// String returns the report as a table with a line for each expression. Below the table are
// the bounds that make expensive expressions fit, and the total.
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
		fmt.Fprintf(&b, ", %s left\n", count(r.headroom()))
	}
	return b.String()
}

// name returns the name of an expression, such as "spec.hosts rule 0".
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

// advise writes the error of an expression, and the bounds that make it fit.
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

// String returns a text such as
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
