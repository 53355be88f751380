package definition

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/validation"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An Option changes what [Check], [CheckUpdate] and [CheckStatus] judge by, or
// what they report. Without options they judge as kube-apiserver 1.37 does. A
// later option wins over an earlier one, and a nil Option changes nothing.
type Option interface{ apply(*config) }

type option func(*config)

func (o option) apply(c *config) { o(c) }

type config struct {
	notes     bool
	v1beta1   bool   // judge by the rules of v1beta1
	version   string // of Kubernetes, "" for the default
	watch     *interrupt.Watch
	maxErrors int
	limit     *errorlimit.Limit // of maxErrors
	visitor   visitor           // for all walks of the check
}

// newConfig returns the options of a check, or a report if they are wrong.
func newConfig(opts []Option) (*config, *Report) {
	c := &config{}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(c)
		}
	}
	if c.watch.Poll() {
		return nil, undecided(c.watch.Err())
	}
	if c.maxErrors < 0 {
		return nil, refusal(field.Invalid(nil, c.maxErrors, "must be a number of errors, or 0 for the default"))
	}
	c.limit = errorlimit.New(c.maxErrors)
	c.limit.KeepPointers()
	if _, err := kubeversion.Parse(c.version); err == nil {
		return c, nil
	}
	return nil, refusal(field.Invalid(nil, c.version, "must be a version of Kubernetes "+kubeversion.Span))
}

// refusal returns a report with one error, which is about no part of the definition.
func refusal(err *field.Error) *Report {
	return &Report{Errors: validation.ErrorList{validation.NewError(err, stepDefinition, "", "")}}
}

func undecided(err error) *Report {
	r := refusal(field.InternalError(nil, fmt.Errorf("the check ended before it was done: %w", err)))
	r.Undecided = err
	return r
}

// WithContext ends a check when ctx ends: between the schemas of versions, between rules, and
// within rules that are evaluated for defaults. There is no verdict then, see
// [Report.Undecided]. A nil ctx never ends.
func WithContext(ctx context.Context) Option {
	return option(func(c *config) { c.watch = interrupt.New(ctx) })
}

// DefaultMaxErrors is how many errors a report has without [MaxErrors].
const DefaultMaxErrors = errorlimit.Default

// MaxErrors limits [Report.Errors] to n errors, those that come first in its order. The
// others are counted, see [Report.Omitted]. 0 means [DefaultMaxErrors]; [math.MaxInt]
// lifts the limit. The report of a check with a negative n has one error, about the option.
func MaxErrors(n int) Option { return option(func(c *config) { c.maxErrors = n }) }

// WithNotes adds advice to the report, see [Report.Notes]. This takes about as
// long as checking the rules again.
func WithNotes() Option { return option(func(c *config) { c.notes = true }) }

// KubernetesVersion judges rules as the server of a version does, such as "1.33"
// or "1.33.4", from 1.29 to 1.37: rules may use the functions that this server
// knows. Everything else, such as the formats of defaults and warnings, is that
// of 1.37. An empty version means 1.37. Any other text makes the check return a
// report with one error and nothing else.
//
// See https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries.
func KubernetesVersion(version string) Option {
	return option(func(c *config) { c.version = version })
}

// V1beta1Rules judges a definition as one that is sent as
// apiextensions.k8s.io/v1beta1, which servers up to 1.21 served:
// preserveUnknownFields may be true, versions need no schema, schemas need not be
// structural unless something else about them demands it and types may have any
// name, groups of the Kubernetes community need no approval, and defaults cannot
// be set unless the old definition has some. All other rules are those of 1.37.
//
// See https://kubernetes.io/docs/reference/using-api/deprecation-guide/#customresourcedefinition-v122.
func V1beta1Rules() Option { return option(func(c *config) { c.v1beta1 = true }) }
