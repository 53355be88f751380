package celcost

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
)

// The server's limits in cost units.
const (
	ExpressionLimit = 10_000_000
	SchemaLimit     = 100_000_000
)

// mostExpensive is the number of expressions in an error about the total cost.
const mostExpensive = 4

// Given is what a caller in this module knows about a schema. It is an option of package
// validation/cel.
type Given struct {
	Fragment bool // the schema is a part of a resource: no implied fields at its root
	// Stored makes cel.Compile accept all rules, as the server does for a stored definition. If a
	// rule does not compile, each value that it applies to has an error.
	Stored bool
	// AtFirstUse compiles the rules of a schema when its first value arrives. It implies Stored.
	AtFirstUse      bool
	Rules, Messages map[string]bool // texts of stored rules and messageExpressions
	Unchanged       bool            // an expression over its limit is no error
	SyntaxChecked   bool            // the caller has called CheckSyntax
	Invalid         map[string]bool // paths of schemas whose rules are skipped
}

func (Given) CELOption(testopt.Sealed) {}

// Default is an option of cel.Program.Eval. The object is a default: it is its own old object, and
// its errors are not forgiven.
type Default struct{}

func (Default) CELEvalOption(testopt.Sealed) {}

type Options struct {
	Given
	PerCall   uint64           // cost limit of one rule on one value, see celtypes.NewChecker
	At        *pathstack.Chain // location of the schema, nil for the root
	Reference bool             // use only cel-go
	Minor     int              // of the server, 1.x
	Watch     *interrupt.Watch // ends the work early; the result is then incomplete
	Limit     *errorlimit.Limit
}

// Check returns the errors of the rules of n and of all schemas below, in the server's order.
func Check(n *schema.Node, o Options) field.ErrorList {
	if !celtypes.HasRules(n) {
		return nil
	}
	s, err := New(n, o)
	if err != nil {
		return field.ErrorList{o.Limit.At(o.At, field.InternalError(o.At.Path(), err))}
	}
	_, _, errs := s.Totals()
	if err := o.Watch.Err(); err != nil {
		return field.ErrorList{o.Limit.At(o.At, field.InternalError(o.At.Path(), err))}
	}
	return slices.Concat(s.syntax.Errors(), s.errs.Errors(), errs)
}

// Totals returns the total cost, the errors of single expressions, and the errors of the total.
func (s *Checker) Totals() (total uint64, each, all field.ErrorList) {
	var t tally
	for i := range s.costs {
		if s.options.Watch.Ended() {
			break
		}
		for _, e := range s.expressions(&s.costs[i]) {
			t.observe(e.at, e.total)
			if e.limit != nil && !s.options.Unchanged {
				each = append(each, e.limit)
			}
		}
	}
	return t.total, each, t.errors(s.options.At, s.options.Limit)
}

// An estimate is the cost of a rule or messageExpression.
type estimate struct {
	at    *pathstack.Chain
	total uint64
	limit *field.Error // error if the cost is over the limit, else nil
}

func (s *Checker) expressions(f *RuleCost) []estimate {
	rule := estimate{at: f.At().Child("rule")}
	_, _, rule.total = s.CardinalityOf(f)
	rule.limit = overLimit(s.options.Limit, rule.at, "estimated rule cost", rule.total, ExpressionLimit)
	out := []estimate{rule}
	if f.Message.Tree != nil && f.Message.Problem == "" {
		message := estimate{at: f.At().Child("messageExpression"), total: f.Message.Cost}
		message.limit = overLimit(s.options.Limit, message.at, "estimated messageExpression cost", message.total, ExpressionLimit)
		out = append(out, message)
	}
	return out
}

// addErrors adds the errors of a rule, in the order of the server.
func (s *Checker) addErrors(f *RuleCost) {
	costs := s.expressions(f)
	s.tooMuch(costs[0].limit)
	at, r := f.At(), f.Rule
	if f.Condition.Problem != "" {
		s.invalid(at.Child("rule"), celtypes.RuleValueOf(r), f.Condition.Problem)
	}
	if f.Message.Problem != "" {
		s.invalid(at.Child("messageExpression"), celtypes.RuleValueOf(r), f.Message.Problem)
	} else if len(costs) > 1 {
		s.tooMuch(costs[1].limit)
	}
	switch {
	case f.usesOldSelf && f.site.uncorrelated != nil:
		s.invalid(at.Child("rule"), r.Rule,
			fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", f.site.uncorrelated.Path()))
	case !f.usesOldSelf && r.SetOptionalOldSelf:
		s.invalid(at.Child("optionalOldSelf"), r.OptionalOldSelf, "may not be set if oldSelf is not used in rule")
	}
}

func (s *Checker) tooMuch(err *field.Error) {
	if err != nil && !s.options.Unchanged {
		s.errs.Add(err)
	}
}

func (s *Checker) invalid(at *pathstack.Chain, value any, detail string) {
	s.errs.AddAt(at, field.Invalid(at.Path(), value, detail))
}

type tally struct {
	total uint64
	most  []estimate // the most expensive expressions
}

func (t *tally) observe(at *pathstack.Chain, cost uint64) {
	t.total = add(t.total, cost)
	if cost < SchemaLimit/100 {
		return
	}
	t.most = append(t.most, estimate{at: at, total: cost})
	slices.SortStableFunc(t.most, func(a, b estimate) int { return cmp.Compare(b.total, a.total) })
	t.most = t.most[:min(len(t.most), mostExpensive)]
}

func (t *tally) errors(at *pathstack.Chain, limit *errorlimit.Limit) field.ErrorList {
	err := overLimit(limit, at, "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", t.total, SchemaLimit)
	if err == nil {
		return nil
	}
	var errs field.ErrorList
	for _, e := range t.most {
		errs = append(errs, limit.At(e.at, field.Forbidden(e.at.Path(), "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema")))
	}
	return append(errs, err)
}

// overLimit returns an error if cost is over limit, else nil. l records the pointer of the error.
func overLimit(l *errorlimit.Limit, at *pathstack.Chain, what string, cost, limit uint64) *field.Error {
	if cost <= limit {
		return nil
	}
	return l.At(at, field.Forbidden(at.Path(), fmt.Sprintf("%s exceeds budget by factor of %s (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
		what, factorText(float64(cost)/float64(limit)))))
}

func factorText(factor float64) string {
	switch {
	case factor > 100:
		return "more than 100x"
	case factor < 1.5:
		return fmt.Sprintf("%fx", factor)
	default:
		return fmt.Sprintf("%.1fx", factor)
	}
}
