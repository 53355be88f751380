package cel

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/test/testopt"
)

// An Option changes how [Compile], [Check] and [Estimate] work. A nil Option
// changes nothing.
type Option interface {
	// CELOption seals the interface: only this module implements it.
	CELOption(testopt.Sealed)
}

type compileOptions struct {
	celcost.Options
	wrong *field.Error // the error for an option with a wrong value
	count *testopt.Evaluations
	reads *fieldaccess.Program // nil if the caller does not need it
}

// Limits of the server, in cost units of CEL. The cost of an evaluation counts its steps and
// the sizes of the values that they read.
const (
	// DefaultBudget is the limit of all rules on one object together.
	DefaultBudget = 10_000_000
	// DefaultPerCallLimit limits the cost of one rule on one value.
	DefaultPerCallLimit = 1_000_000
)

// DefaultMemory is the limit for the memory of one evaluation, in bytes. It counts all
// strings, lists and maps that the evaluation makes, even if they are garbage already. Parts
// of the object do not count. The server has no limit.
const DefaultMemory = cellib.DefaultMemory

func newCompileOptions(opts []Option) compileOptions {
	o := compileOptions{Options: celcost.Options{PerCall: DefaultPerCallLimit, Minor: celtypes.NewestMinor}}
	for _, opt := range opts {
		switch opt := opt.(type) {
		case compileOption:
			opt(&o)
		case *interrupt.Watch:
			o.Watch = opt
		case *errorlimit.Limit:
			o.Limit = opt
		case *pathstack.Chain:
			o.At = opt
		case celcost.Given:
			o.Given = opt
		case testopt.Reference:
			o.Reference = true
		case *testopt.Evaluations:
			o.count = opt
		case *fieldaccess.Program:
			o.reads = opt
		}
	}
	if o.wrong != nil {
		o.wrong.Field = o.At.Path().String()
	}
	return o
}

type compileOption func(*compileOptions)

func (compileOption) CELOption(testopt.Sealed) {}

// PerCallLimit limits the cost of one rule on one value, in cost units of CEL.
// The default is [DefaultPerCallLimit].
func PerCallLimit(units uint64) Option {
	return compileOption(func(o *compileOptions) { o.PerCall = units })
}

// AtPath sets the path of the schema that errors begin with, such as
// spec.versions[0].schema.openAPIV3Schema. The default is the root.
func AtPath(path *field.Path) Option {
	return compileOption(func(o *compileOptions) { o.At = pathstack.At(path) })
}

// KubernetesVersion selects the version of the server, such as "1.33" or "1.33.4", from 1.29
// to 1.37. An empty text means 1.37, the default. For any other text, [Compile] and [Check]
// only return an error, and [Estimate] sets [CostReport.Problem].
//
// [Compile] knows the functions of the version. [Check] and [Estimate] are for new rules,
// which may only use functions that the previous version has too.
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

// WithContext ends [Compile], [Check] and [Estimate] early when ctx ends, at the latest
// after the current expression. Compile and Check then return a single internal error with
// the text of ctx's error, and Estimate sets [CostReport.Problem] to it.
// A nil ctx never ends.
func WithContext(ctx context.Context) Option {
	return compileOption(func(o *compileOptions) { o.Watch = interrupt.New(ctx) })
}

// An EvalOption changes one [Program.Eval]. A nil EvalOption changes nothing.
type EvalOption interface {
	// CELEvalOption seals the interface: only this module implements it.
	CELEvalOption(testopt.Sealed)
}

type evalOptions struct {
	old       map[string]any
	budget    uint64
	memory    uint64           // of one evaluation, in bytes
	maxErrors int              // 0: any number
	isDefault bool             // see celcost.Default
	watch     func(evaluation) // for tests
}

func (o *evalOptions) apply(opt EvalOption) {
	switch opt := opt.(type) {
	case oldOption:
		o.old = opt
	case budgetOption:
		o.budget = uint64(opt)
	case memoryOption:
		o.memory = uint64(opt)
	case maxErrorsOption:
		o.maxErrors = int(opt)
	case watchOption:
		o.watch = opt
	case celcost.Default:
		o.isDefault = true
	}
}

type watchOption func(evaluation)

func (watchOption) CELEvalOption(testopt.Sealed) {}

// An evaluation is reported to tests.
type evaluation struct {
	of   *expression
	fast bool // by a closure; otherwise by cel-go
	err  error

	recovered int    // number of panics that the frame recovered from so far
	memory    uint64 // bytes that the evaluation used
}

type oldOption map[string]any

func (oldOption) CELEvalOption(testopt.Sealed) {}

type budgetOption uint64

func (budgetOption) CELEvalOption(testopt.Sealed) {}

type memoryOption uint64

func (memoryOption) CELEvalOption(testopt.Sealed) {}

// Memory limits the memory of one evaluation of a rule or messageExpression, in bytes. 0
// means [DefaultMemory]. An evaluation that would exceed the limit is an error, and no rule
// runs after it. [math.MaxUint64] means no limit: rules of strangers can then use up the
// memory of the program.
func Memory(bytes uint64) EvalOption {
	return memoryOption(bytes)
}

type maxErrorsOption int

func (maxErrorsOption) CELEvalOption(testopt.Sealed) {}

// MaxErrors limits each list of the result to its first n errors, in the order in which
// rules run. [Result.Omitted] counts the other errors. By default, and if n is not positive,
// the lists have all errors.
func MaxErrors(n int) EvalOption { return maxErrorsOption(n) }

// Old sets the object that is replaced. Transition rules read it as oldSelf, and errors of
// unchanged values are ratcheted. It is not changed. A nil map means no old object.
func Old(old map[string]any) EvalOption {
	return oldOption(old)
}

// Budget limits the cost of all rules together, in cost units of CEL. The default
// is [DefaultBudget].
func Budget(units uint64) EvalOption {
	return budgetOption(units)
}
