package cel

import "k8s.io/apimachinery/pkg/util/validation/field"

// An Option changes how [Compile] works.
type Option interface{ applyCompile(*compileOptions) }

type compileOptions struct {
	perCall  uint64
	path     *field.Path
	fragment bool
	stored   bool
}

type compileOption func(*compileOptions)

func (f compileOption) applyCompile(o *compileOptions) { f(o) }

// PerCallLimit bounds what one rule may spend on one value, in cost units of
// CEL. Without it the bound is [DefaultPerCallLimit].
func PerCallLimit(units uint64) Option {
	return compileOption(func(o *compileOptions) { o.perCall = units })
}

// AtPath makes the errors of [Compile] name their place below path, such as
// spec.versions[0].schema.openAPIV3Schema. Without it places are named from
// the root of the schema.
func AtPath(path *field.Path) Option {
	return compileOption(func(o *compileOptions) { o.path = path })
}

// Fragment says that the schema is that of a part of an object: nothing is
// added to what it declares. Without it rules at the root can refer to
// apiVersion, kind, metadata.name and metadata.generateName, declared or not.
func Fragment() Option {
	return compileOption(func(o *compileOptions) { o.fragment = true })
}

// Stored makes [Compile] take the schema as kube-apiserver takes one that is
// already stored: it never refuses. A rule that does not compile is an error of
// every value that it is for, and a messageExpression that does not compile is
// ignored.
func Stored() Option {
	return compileOption(func(o *compileOptions) { o.stored = true })
}

// An EvalOption changes how one [Program.Eval] works.
type EvalOption interface{ applyEval(*evalOptions) }

type evalOptions struct {
	old    map[string]any
	budget uint64
}

type evalOption func(*evalOptions)

func (f evalOption) applyEval(o *evalOptions) { f(o) }

// Old gives the object that is replaced. Transition rules see it as oldSelf, and
// what the object breaks already is ratcheted. It is not changed; nil is as good
// as no option.
func Old(old map[string]any) EvalOption {
	return evalOption(func(o *evalOptions) { o.old = old })
}

// Budget bounds what all rules together may spend, in cost units of CEL.
// Without it the bound is [DefaultBudget].
func Budget(units uint64) EvalOption {
	return evalOption(func(o *evalOptions) { o.budget = units })
}
