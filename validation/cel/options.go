package cel

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/celcost"
	"github.com/crdkit/crdkit/internal/celtypes"
	"github.com/crdkit/crdkit/internal/kubeversion"
	"github.com/crdkit/crdkit/internal/testopt"
)

// An Option changes how [Compile], [Check] and [Estimate] work. A nil Option
// changes nothing.
type Option interface {
	// CELOption seals the interface: only this module implements it.
	CELOption(testopt.Sealed)
}

type compileOptions struct {
	celcost.Options
	stored bool
	lazy   bool
	wrong  *field.Error // an option with a value that it cannot have
}

// Limits of the server. They are measured in cost units of CEL, which count
// steps of evaluation and the sizes of what the steps read.
const (
	// DefaultBudget is what all rules may spend on one object.
	DefaultBudget = 10_000_000
	// DefaultPerCallLimit is what one rule may spend on one value.
	DefaultPerCallLimit = 1_000_000
)

func newCompileOptions(opts []Option) compileOptions {
	o := compileOptions{Options: celcost.Options{PerCall: DefaultPerCallLimit, Minor: celtypes.NewestMinor}}
	for _, opt := range opts {
		switch opt := opt.(type) {
		case compileOption:
			opt(&o)
		case testopt.Reference:
			o.Reference = true
		}
	}
	if o.wrong != nil {
		o.wrong.Field = o.Path.String()
	}
	return o
}

type compileOption func(*compileOptions)

func (compileOption) CELOption(testopt.Sealed) {}

// PerCallLimit bounds what one rule may spend on one value, in cost units of
// CEL. Without it the bound is [DefaultPerCallLimit].
func PerCallLimit(units uint64) Option {
	return compileOption(func(o *compileOptions) { o.PerCall = units })
}

// AtPath makes the errors of [Compile] name their place below path, such as
// spec.versions[0].schema.openAPIV3Schema. Without it places are named from
// the root of the schema.
func AtPath(path *field.Path) Option {
	return compileOption(func(o *compileOptions) { o.Path = path })
}

// Fragment says that the schema is that of a part of an object: nothing is
// added to what it declares. Without it rules at the root can refer to
// apiVersion, kind, metadata.name and metadata.generateName, declared or not.
func Fragment() Option {
	return compileOption(func(o *compileOptions) { o.Fragment = true })
}

// Stored makes [Compile] take the schema as kube-apiserver takes one that is
// already stored: it never refuses. A rule that does not compile is an error of
// every value that it is for, and a messageExpression that does not compile is
// ignored.
func Stored() Option {
	return compileOption(func(o *compileOptions) { o.stored = true })
}

// AtFirstUse makes [Compile] put off what takes time: the rules of a schema are
// compiled when the first value comes along that they are for. It implies
// [Stored], as nothing is known of a rule that was not compiled. It is meant for
// definitions that were checked before, and for programs of which few runs are
// expected: of rules that no object reaches, next to nothing is kept.
func AtFirstUse() Option {
	return compileOption(func(o *compileOptions) { o.stored, o.lazy = true, true })
}

// KubernetesVersion follows the server of a version, such as "1.33" or "1.33.4".
// Without it, and with an empty text, the version is 1.37. Any text but a version
// from 1.29 to 1.37 is an error of [Compile] and [Check], which then do nothing
// else, and a problem of the report of [Estimate].
//
// Rules that run know the functions which the version knows. Rules that are
// new, as [Check] and [Estimate] take them, know those which the version before
// it knows too: a server admits no rule that it could not be rolled back with.
func KubernetesVersion(version string) Option {
	return compileOption(func(o *compileOptions) {
		v, err := kubeversion.Parse(version)
		if err != nil {
			o.wrong = field.Invalid(nil, version, "must be a version of Kubernetes "+kubeversion.Span)
			return
		}
		o.Minor = int(v)
	})
}

// Preexisting names the rules and messageExpressions that the old definition
// has, wherever it has them. [Check] and [Estimate] take those for stored, not
// new, so that they may use the functions of the version itself. The sets are of
// texts as they are; they are not changed and may be nil.
func Preexisting(rules, messageExpressions map[string]bool) Option {
	return compileOption(func(o *compileOptions) { o.Rules, o.Messages = rules, messageExpressions })
}

// Unchanged says that the version of the definition has the schema which it
// had before the update. [Check] then has no error for a single expression that
// costs too much; the total still counts.
func Unchanged() Option {
	return compileOption(func(o *compileOptions) { o.Unchanged = true })
}

// SyntaxChecked says that the caller has looked for what is wrong with rules at
// first sight, as [CheckSyntax] does, so that [Check] does not do it again.
// faulty names the schemas, by path as errors spell it, in which or below which
// the caller has found anything wrong: [Check] does not compile their rules, as
// the server does not. It is not changed and may be nil.
func SyntaxChecked(faulty map[string]bool) Option {
	return compileOption(func(o *compileOptions) { o.SyntaxChecked, o.Faulty = true, faulty })
}

// An EvalOption changes how one [Program.Eval] works. A nil one changes nothing.
type EvalOption interface{ applyEval(*evalOptions) }

type evalOptions struct {
	old    map[string]any
	budget uint64
	watch  func(evaluation) // nil but in tests
}

// An evaluation is what a test learns of one.
type evaluation struct {
	of   *expression
	fast bool // by the executor; else by cel-go
	err  error

	recovered int // panics of the frame
}

type oldOption map[string]any

func (old oldOption) applyEval(o *evalOptions) { o.old = old }

type budgetOption uint64

func (units budgetOption) applyEval(o *evalOptions) { o.budget = uint64(units) }

// Old gives the object that is replaced. Transition rules see it as oldSelf, and
// what the object breaks already is ratcheted. It is not changed; nil is as good
// as no option.
func Old(old map[string]any) EvalOption {
	return oldOption(old)
}

// Budget bounds what all rules together may spend, in cost units of CEL.
// Without it the bound is [DefaultBudget].
func Budget(units uint64) EvalOption {
	return budgetOption(units)
}
