package cel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celeval"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/validation"
)

// noRule is the index in errors that do not belong to one rule.
const noRule = -1

// maxMessageBytes is the length limit for the result of a messageExpression.
const maxMessageBytes = 5 * 1024

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

func (r *run) rules(n *node, value, old any) {
	r.place = place{}
	if n.broken != "" {
		r.fail(n, noRule, "rule compiler initialization error: "+n.broken)
		return
	}
	if n.ready(); len(n.rules) == 0 {
		return
	}
	if r.remaining <= 0 {
		r.fail(n, noRule, outOfBudget)
		r.stop()
		return
	}
	if r.cancelable && r.ended() {
		r.fail(n, noRule, interrupted(r.ctx).Error())
		r.stop()
		return
	}
	r.frame.Self, r.frame.Old, r.bound = value, old, false
	for i := range n.rules {
		r.rule(n, i)
		if r.stopped() {
			return
		}
	}
}

// rule runs one rule. It skips a transition rule that has neither an old value nor
// optionalOldSelf.
func (r *run) rule(n *node, i int) {
	rule := &n.rules[i]
	if rule.broken != "" {
		r.fail(n, i, "rule compile error: "+rule.broken)
		return
	}
	if rule.condition == nil || rule.usesOld && r.frame.Old == nil && !rule.optional {
		return
	}
	result, cost, err := r.evalRule(n, rule)
	switch cost {
	case costUnknown:
		text := "runtime cost could not be calculated for validation rule: " + rule.name + ", no further validation rules will be run"
		r.add(i, field.InternalError(nil, errors.New(text)))
		r.stop()
		return
	case costTooHigh:
		r.fail(n, i, outOfBudget)
		r.stop()
		return
	}
	if err != nil {
		r.reportError(n, i, err)
		return
	}
	if !result {
		r.reportFalse(n, i, r.frame.Self)
	}
}

// evalRule evaluates a rule with its closure. If the rule has no closure, or the closure
// declines, cel-go evaluates the rule.
func (r *run) evalRule(n *node, rule *rule) (bool, costProblem, error) {
	if x := &rule.fast; x.Compiled() {
		if result, cost, failed, ok := x.Eval(&r.frame); ok {
			err := r.evalError(failed)
			r.watch(rule.condition, true, err)
			return result, r.pay(cost), err
		}
	}
	r.bind(n)
	vars := &r.required
	if rule.optional {
		vars = &r.optional
	}
	result, cost, err := r.call(rule.condition, vars)
	r.watch(rule.condition, false, err)
	return result == types.True, cost, err
}

func (r *run) evalError(failed *celeval.EvalError) error {
	switch failed {
	case nil:
		return nil
	case celeval.Interrupted:
		return interrupted(r.ctx)
	case celeval.OverMemory:
		return celtypes.MemoryExceeded
	}
	return failed
}

// overCallLimit is the error of cel-go for an evaluation that exceeds [PerCallLimit].
var overCallLimit error = interpreter.EvalCancelledError{Message: "operation cancelled: actual cost limit exceeded", Cause: interpreter.CostLimitExceeded}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("%w: %w", interpreter.InterruptError{}, context.Cause(ctx))
}

// watch reports an evaluation to tests.
func (r *run) watch(of *expression, fast bool, err error) {
	if count := r.program.count; count != nil {
		count.All.Add(1)
		if fast {
			count.Fast.Add(1)
		}
	}
	if r.options.watch != nil {
		r.options.watch(evaluation{of: of, fast: fast, err: err, recovered: r.frame.Recovered, memory: r.frame.Memory.Taken})
	}
}

func (r *run) pay(cost uint64) costProblem {
	if cost > math.MaxInt64 || int64(cost) > r.remaining {
		return costTooHigh
	}
	r.remaining -= int64(cost)
	return costPaid
}

func (r *run) reportError(n *node, i int, err error) {
	rule := &n.rules[i]
	name, text := rule.name, err.Error()
	switch {
	case isOverCallLimit(err):
		r.fail(n, i, "'"+text+"': no further validation rules will be run due to call cost exceeds limit for rule: "+name)
		r.stop()
	case isOverMemory(err):
		r.fail(n, i, "'"+text+"': no further validation rules will be run due to call memory exceeds limit for rule: "+name)
		r.stop()
	default:
		r.fail(n, i, rule.errorText(err))
		if isInterrupted(err) {
			r.stop()
		}
	}
}

// isNoSuchOverload reports whether err is an error of cel-go for which the server has its
// own text.
func isNoSuchOverload(err error) bool { return strings.HasPrefix(err.Error(), "no such overload") }

func isOverCallLimit(err error) bool {
	cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err)
	return ok && cancelled.Cause == interpreter.CostLimitExceeded
}

func isOverMemory(err error) bool { return errors.Is(err, celtypes.MemoryExceeded) }

// isInterrupted reports whether an evaluation ended because the context did.
func isInterrupted(err error) bool { return errors.Is(err, interpreter.InterruptError{}) }

func (r *run) reportFalse(n *node, i int, value any) {
	rule := &n.rules[i]
	text := rule.text
	if rule.message != nil {
		made, err := r.message(n, rule)
		if err != nil {
			r.addUnlessRatcheted(rule, i, err)
			r.stop()
			return
		}
		if made != "" {
			text = made
		}
	}
	if n.omitValue {
		value = field.OmitValueType{}
	}
	failure := withReason(value, text, rule.reason)
	r.addUnlessRatcheted(rule, i, &failure)
}

// message evaluates a messageExpression. It returns "" if there is no usable result, or an
// error that ends the run. oldSelf is not an optional here, as in the server.
func (r *run) message(n *node, rule *rule) (text string, err *field.Error) {
	made, cost, evalErr := r.evalMessage(n, rule.message)
	switch {
	case cost == costUnknown:
		return "", field.InternalError(nil, fmt.Errorf("runtime cost could not be calculated for messageExpression: %q", rule.messageSource))
	case cost == costTooHigh:
		return "", field.Invalid(nil, n.typ, "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run")
	case isOverCallLimit(evalErr):
		return "", field.Invalid(nil, n.typ, fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", rule.messageSource))
	case isOverMemory(evalErr):
		return "", field.Invalid(nil, n.typ, fmt.Sprintf("no further validation rules will be run due to call memory exceeds limit for messageExpression: %q", rule.messageSource))
	case isInterrupted(evalErr):
		return "", field.Invalid(nil, n.typ, fmt.Sprintf("%v evaluating messageExpression: %q", evalErr, rule.messageSource))
	case evalErr != nil:
		return "", nil
	}
	made = strings.TrimSpace(made)
	if len(made) > maxMessageBytes || strings.Contains(made, "\n") {
		return "", nil
	}
	return made, nil
}

// evalMessage evaluates a messageExpression like evalRule. It returns "" if the result is not
// a string.
func (r *run) evalMessage(n *node, e *expression) (string, costProblem, error) {
	// Closures do not support an absent oldSelf.
	if x := e.fast; x != nil && (!e.usesOldSelf || n.usesOld && r.frame.Old != nil) {
		if _, cost, failed, ok := x.Eval(&r.frame); ok {
			err := r.evalError(failed)
			r.watch(e, true, err)
			return r.frame.Text, r.pay(cost), err
		}
	}
	r.bind(n)
	result, cost, err := r.call(e, &r.required)
	r.watch(e, false, err)
	text, _ := result.(types.String)
	return string(text), cost, err
}

// A costProblem says whether the budget covered the cost of an evaluation.
type costProblem uint8

const (
	costPaid    costProblem = iota
	costUnknown             // cel-go did not measure it
	costTooHigh             // it exceeds the budget
)

// call evaluates an expression with cel-go and subtracts the cost.
func (r *run) call(e *expression, vars *variables) (ref.Val, costProblem, error) {
	var result ref.Val
	var details *cel.EvalDetails
	program, err := e.program()
	if err != nil {
		return nil, costUnknown, err
	}
	r.frame.Memory.Begin()
	vars.memory = &r.frame.Memory
	if r.cancelable {
		result, details, err = program.ContextEval(r.ctx, vars)
	} else {
		result, details, err = program.Eval(vars)
	}
	cost := details.ActualCost()
	if cost == nil {
		return nil, costUnknown, err
	}
	if refused := r.frame.Memory.Refused; *cost+refused > r.program.limit && isOverMemory(err) {
		return nil, r.pay(*cost + refused), overCallLimit
	}
	return result, r.pay(*cost), err
}

// fail reports that a rule failed. As in the server, BadValue is the name of the type.
func (r *run) fail(n *node, i int, text string) { r.add(i, field.Invalid(nil, n.typ, text)) }

func (r *run) add(i int, err *field.Error) { r.addTo(&r.errors, &r.failed, i, err, nil) }

// addUnlessRatcheted adds the error of a rule. The error is ratcheted if the value is
// unchanged and the rule does not use oldSelf.
func (r *run) addUnlessRatcheted(rule *rule, i int, err *field.Error) {
	if !rule.usesOld && r.unchanged() {
		r.addTo(&r.ratcheted, &r.forgiven, i, err, rule)
	} else {
		r.addTo(&r.errors, &r.failed, i, err, rule)
	}
}

func (r *run) addTo(list *validation.ErrorList, count *int, i int, err *field.Error, below *rule) {
	if *count++; !r.holds(*count) {
		return
	}
	if *list == nil {
		*list = make(validation.ErrorList, 0, 8)
	}
	*list = append(*list, r.errorAt(i, err, below))
}

// holds reports whether a list may have this number of errors.
func (r *run) holds(count int) bool { return r.options.maxErrors <= 0 || count <= r.options.maxErrors }

// withReason returns the error of a rule that is false. It has no location yet.
func withReason(value any, text string, reason apiextensionsv1.FieldValueErrorReason) field.Error {
	switch reason {
	case apiextensionsv1.FieldValueForbidden:
		return *field.Forbidden(nil, text)
	case apiextensionsv1.FieldValueRequired:
		return *field.Required(nil, text)
	case apiextensionsv1.FieldValueDuplicate:
		return *field.Duplicate(nil, value)
	}
	return *field.Invalid(nil, value, text)
}

// errorAt returns err with the current location. index is the index of the rule, or noRule.
// below is the rule whose fieldPath is appended, or nil.
func (r *run) errorAt(index int, err *field.Error, below *rule) *validation.Error {
	if r.place == (place{}) {
		r.place = r.here()
	}
	at := r.place
	if below != nil && len(below.path) > 0 {
		if at.field += "." + below.pathText; len(r.path.Steps) == 0 {
			at.field = below.pathText
		}
		at.pointer += below.path.Pointer()
	}
	x := &struct { // one allocation
		field field.Error
		err   validation.Error
	}{field: *err}
	x.field.Field = at.field
	x.err = *validation.NewError(&x.field, validation.StepRules, at.pointer, at.schema)
	x.err.Rule = index
	return &x.err
}

// A place is the location of the value of the current rules.
type place struct{ field, pointer, schema string }

// here returns the current place. Its strings share one allocation.
func (r *run) here() place {
	var buf [512]byte
	b := r.path.AppendFieldPath(buf[:0])
	field := len(b)
	b = r.path.AppendPointer(b)
	pointer := len(b)
	all := string(r.path.AppendSchemaPointer(b))
	return place{all[:field], all[field:pointer], all[pointer:]}
}

func (r *rule) errorText(what error) string {
	if isNoSuchOverload(what) {
		return "'" + what.Error() + "': call arguments did not match a supported operator, function or macro signature for rule: " + r.name
	}
	return withServerTypes(what.Error()) + " evaluating rule: " + r.name
}

// withServerTypes replaces the Go type names of this module in an error text of cel-go by
// the names of the server.
func withServerTypes(text string) string {
	if !strings.Contains(text, "*celvalue.") {
		return text
	}
	return strings.NewReplacer("*celvalue.listValue", "*common.unstructuredList", "*celvalue.mapValue", "*common.unstructuredMap",
		"*celvalue.setList", "*common.unstructuredSetList", "*celvalue.mapList", "*common.unstructuredMapList",
		"*celvalue.sumOfSets", "*common.refValSetList", "*celvalue.sumOfMapLists", "*common.refValMapList").Replace(text)
}
