package cellib

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

// InterruptFrequency is the number of loop steps between two checks of the
// context.
const InterruptFrequency = 100

// A feature is a part of the language, with the minor versions that have it.
type feature struct {
	since, until int // until is the first version without the feature, 0 if there is none
	options      []cel.EnvOption
}

// features returns all features in the order in which the server adds them. If
// several features add overloads to one function, cel-go tries the overloads of
// the earlier features first.
//
// See
// https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries.
func features() []feature {
	return []feature{
		{options: []cel.EnvOption{
			cel.HomogeneousAggregateLiterals(),
			cel.EagerlyValidateDeclarations(true),
			cel.DefaultUTCTimeZone(true),
			urls(),
			regex(),
			cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		}},
		{until: 37, options: []cel.EnvOption{lists(false)}},
		{since: 27, options: []cel.EnvOption{authorization()}},
		{since: 28, options: []cel.EnvOption{
			cel.CrossTypeNumericComparisons(true),
			cel.OptionalTypes(),
			quantities(),
		}},
		{since: 29, options: []cel.EnvOption{cel.ASTValidators(
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateRegexLiterals(),
			cel.ValidateHomogeneousAggregateLiterals(),
		)}},
		{until: 29, options: []cel.EnvOption{ext.Strings(ext.StringsVersion(0))}},
		{since: 29, options: []cel.EnvOption{ext.Strings(ext.StringsVersion(2))}},
		{since: 29, options: []cel.EnvOption{ext.Sets()}},
		{since: 30, options: []cel.EnvOption{addresses(), networks()}},
		{since: 31, options: []cel.EnvOption{formatLibrary()}},
		{since: 31, options: []cel.EnvOption{authorizationSelectors()}},
		{since: 32, options: []cel.EnvOption{ext.TwoVarComprehensions()}},
		{since: 33, options: []cel.EnvOption{versions()}},
		{since: 34, options: []cel.EnvOption{ext.Lists(ext.ListsVersion(3))}},
		{since: 37, options: []cel.EnvOption{lists(true)}},
	}
}

// Language returns the library with which kube-apiserver 1.minor extends a
// cel-go environment for rules. It includes the program options, but no cost
// limit.
func Language(minor int) cel.Library { return language(minor) }

type language int

// CompileOptions implements cel.Library.
func (minor language) CompileOptions() []cel.EnvOption {
	var options []cel.EnvOption
	for _, f := range features() {
		if int(minor) >= f.since && (f.until == 0 || int(minor) < f.until) {
			options = append(options, f.options...)
		}
	}
	return append(options, limitCopies)
}

// ProgramOptions implements cel.Library.
func (language) ProgramOptions() []cel.ProgramOption {
	return []cel.ProgramOption{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.CostTracking(&Costs{}),
		cel.InterruptCheckFrequency(InterruptFrequency),
	}
}
