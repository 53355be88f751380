package cel

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	"k8s.io/apiserver/pkg/cel/library"
)

// Versions of the language.
//
// A server knows every function that any version up to its own introduced, but
// admits only those in new rules which the version before it knows too. So the
// language of one minor version is that of stored rules in this version, and
// that of new rules in the next.

const (
	oldestMinor = 28
	newestMinor = 37
)

// languages make the language of each minor version when it is first needed.
var languages = func() (all [newestMinor - oldestMinor + 1]func() (*base, error)) {
	for i := range all {
		all[i] = sync.OnceValues(func() (*base, error) { return newBase(oldestMinor + i) })
	}
	return all
}()

// language returns what stored rules are written in at Kubernetes 1.minor, which
// lies between oldestMinor and newestMinor.
func language(minor int) (*base, error) { return languages[minor-oldestMinor]() }

// A feature is a part of the language, with the minor versions that have it.
type feature struct {
	since, until int // until is the first without it, 0 if there is none
	options      []cel.EnvOption
}

// features are in the order in which the server adds them.
//
// See https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries.
func features() []feature {
	return []feature{
		{options: []cel.EnvOption{
			cel.HomogeneousAggregateLiterals(),
			cel.EagerlyValidateDeclarations(true),
			cel.DefaultUTCTimeZone(true),
			library.URLs(),
			library.Regex(),
			cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		}},
		{until: 37, options: []cel.EnvOption{library.Lists(library.ListsVersion(0))}},
		{since: 27, options: []cel.EnvOption{library.Authz()}},
		{since: 28, options: []cel.EnvOption{
			cel.CrossTypeNumericComparisons(true),
			cel.OptionalTypes(),
			library.Quantity(),
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
		{since: 30, options: []cel.EnvOption{library.IP(), library.CIDR()}},
		{since: 31, options: []cel.EnvOption{library.Format()}},
		{since: 31, options: []cel.EnvOption{library.AuthzSelectors()}},
		{since: 32, options: []cel.EnvOption{ext.TwoVarComprehensions()}},
		{since: 33, options: []cel.EnvOption{library.SemverLib(library.SemverVersion(1))}},
		{since: 34, options: []cel.EnvOption{ext.Lists(ext.ListsVersion(3))}},
		{since: 37, options: []cel.EnvOption{library.Lists(library.ListsVersion(1))}},
	}
}

// serverLibrary is what kube-apiserver 1.minor makes known to rules.
type serverLibrary struct{ minor int }

// CompileOptions implements cel.Library.
func (l serverLibrary) CompileOptions() []cel.EnvOption {
	var options []cel.EnvOption
	for _, f := range features() {
		if l.minor >= f.since && (f.until == 0 || l.minor < f.until) {
			options = append(options, f.options...)
		}
	}
	return options
}
