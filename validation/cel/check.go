package cel

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/schema"
)

// Limits of the server.
const (
	expressionLimit = 10_000_000
	schemaLimit     = 100_000_000
)

// mostExpensive is how many expressions are named if the whole is too much.
const mostExpensive = 4

// checkOptions are those of a check of rules.
type checkOptions struct {
	perCall   uint64
	path      *field.Path
	fragment  bool
	reference bool // leave all to cel-go
	minor     int  // of the server, 1.x

	rules, messages map[string]bool // that are stored already
	unchanged       bool            // what one rule costs is no error
	syntaxChecked   bool            // by the caller
	faulty          map[string]bool // paths of schemas that are left out
}

// checkRules returns the errors of the rules of n and below.
func checkRules(n *schema.Node, o checkOptions) field.ErrorList {
	if !hasRules(n) {
		return nil
	}
	s, err := newSurvey(n, o)
	if err != nil {
		return field.ErrorList{field.InternalError(o.path, err)}
	}
	_, _, errs := s.totals()
	return slices.Concat(s.syntax, s.errs, errs)
}

// totals returns what all expressions may cost together, the errors for single
// expressions that cost too much, and those for the total.
func (s *survey) totals() (total uint64, each, all field.ErrorList) {
	var t tally
	for i := range s.findings {
		for _, e := range s.expressions(&s.findings[i]) {
			t.observe(e.path, e.total)
			if e.limit != nil && !s.options.unchanged {
				each = append(each, e.limit)
			}
		}
	}
	return t.total, each, t.errors(s.options.path)
}

// An estimated expression is one that counts.
type estimated struct {
	path  *field.Path
	total uint64
	limit *field.Error // if it is too much
}

// expressions returns the rule and the messageExpression of a finding.
func (s *survey) expressions(f *finding) []estimated {
	rule := estimated{path: f.path().Child("rule")}
	_, _, rule.total = s.cardinalityOf(f)
	rule.limit = overLimit(rule.path, "estimated rule cost", rule.total, expressionLimit)
	out := []estimated{rule}
	if f.message.tree != nil && f.message.why == "" {
		message := estimated{path: f.path().Child("messageExpression"), total: f.message.cost}
		message.limit = overLimit(message.path, "estimated messageExpression cost", message.total, expressionLimit)
		out = append(out, message)
	}
	return out
}

// judge reports what is wrong with a rule, in the order of the server.
func (s *survey) judge(f *finding) {
	costs := s.expressions(f)
	s.tooMuch(costs[0].limit)
	path, r := f.path(), f.rule
	if f.condition.why != "" {
		s.report(field.Invalid(path.Child("rule"), ruleValueOf(r), f.condition.why))
	}
	if f.message.why != "" {
		s.report(field.Invalid(path.Child("messageExpression"), ruleValueOf(r), f.message.why))
	} else if len(costs) > 1 {
		s.tooMuch(costs[1].limit)
	}
	switch {
	case f.usesOldSelf && f.spot.uncorrelated != nil:
		s.report(field.Invalid(path.Child("rule"), r.Rule,
			fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", f.spot.uncorrelated)))
	case !f.usesOldSelf && r.SetOptionalOldSelf:
		s.report(field.Invalid(path.Child("optionalOldSelf"), r.OptionalOldSelf, "may not be set if oldSelf is not used in rule"))
	}
}

func (s *survey) tooMuch(err *field.Error) {
	if err != nil && !s.options.unchanged {
		s.report(err)
	}
}

// A tally adds up what expressions cost.
type tally struct {
	total uint64
	most  []estimated // the most expensive ones, if they are expensive at all
}

func (t *tally) observe(path *field.Path, cost uint64) {
	t.total = add(t.total, cost)
	if cost < schemaLimit/100 {
		return
	}
	t.most = append(t.most, estimated{path: path, total: cost})
	slices.SortStableFunc(t.most, func(a, b estimated) int {
		switch {
		case a.total > b.total:
			return -1
		case a.total < b.total:
			return 1
		}
		return 0
	})
	t.most = t.most[:min(len(t.most), mostExpensive)]
}

// errors returns what is wrong with the total.
func (t *tally) errors(path *field.Path) field.ErrorList {
	err := overLimit(path, "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", t.total, schemaLimit)
	if err == nil {
		return nil
	}
	var errs field.ErrorList
	for _, e := range t.most {
		errs = append(errs, field.Forbidden(e.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
	}
	return append(errs, err)
}

// overLimit returns the error for a cost beyond a limit, nil if it is not.
func overLimit(path *field.Path, what string, cost, limit uint64) *field.Error {
	if cost <= limit {
		return nil
	}
	return field.Forbidden(path, fmt.Sprintf("%s exceeds budget by factor of %s (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
		what, factorText(float64(cost)/float64(limit))))
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

// checkSyntax returns what is wrong with rules at first sight.
func checkSyntax(rules []schema.Rule, n *schema.Node, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	path = path.Child("x-kubernetes-validations")
	for i := range rules {
		r, path := &rules[i], path.Index(i)
		errs = append(errs, ruleSyntax(r, path)...)
		if r.MessageExpression != "" && isBlank(r.MessageExpression) {
			errs = append(errs, field.Required(path.Child("messageExpression"), "messageExpression must be non-empty if specified"))
		}
		if reason := apiextensionsv1.FieldValueErrorReason(r.Reason); (reason != "" || r.SetReason) && !slices.Contains(reasons(), string(reason)) {
			errs = append(errs, field.NotSupported(path.Child("reason"), reason, reasons()))
		}
		errs = append(errs, fieldPathSyntax(r.FieldPath, n, path.Child("fieldPath"))...)
	}
	return errs
}

// ruleSyntax returns at most one error about rule and message.
func ruleSyntax(r *schema.Rule, path *field.Path) field.ErrorList {
	message := strings.TrimSpace(r.Message)
	switch {
	case isBlank(r.Rule):
		return field.ErrorList{field.Required(path.Child("rule"), "rule is not specified")}
	case r.Message != "" && message == "":
		return field.ErrorList{field.Invalid(path.Child("message"), r.Message, "must be non-empty if specified")}
	case hasLineBreak(message):
		return field.ErrorList{field.Invalid(path.Child("message"), r.Message, "must not contain line breaks")}
	case message == "" && hasLineBreak(strings.TrimSpace(r.Rule)):
		return field.ErrorList{field.Required(path.Child("message"), "message must be specified if rule contains line breaks")}
	}
	return nil
}

func fieldPathSyntax(text string, n *schema.Node, path *field.Path) field.ErrorList {
	if text == "" {
		return nil
	}
	var errs field.ErrorList
	if isBlank(text) {
		errs = append(errs, field.Invalid(path, text, "must be non-empty if specified"))
	}
	if hasLineBreak(text) {
		errs = append(errs, field.Invalid(path, text, "must not contain line breaks"))
	}
	if n != nil {
		if _, err := crdpath.ParseField(text, n); err != nil {
			errs = append(errs, field.Invalid(path, text, "must be a valid path"))
		}
	}
	return errs
}

func hasLineBreak(text string) bool { return strings.ContainsAny(text, "\r\n") }

// reasons are the values of reason that the server knows, sorted.
func reasons() []string {
	return []string{
		string(apiextensionsv1.FieldValueDuplicate), string(apiextensionsv1.FieldValueForbidden),
		string(apiextensionsv1.FieldValueInvalid), string(apiextensionsv1.FieldValueRequired),
	}
}
