package crdkit

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/definition"
	"github.com/crdkit/crdkit/validation/cel"
)

// checkEngines answer what package definition asks of engines.
type checkEngines struct {
	plain   bool
	notes   bool
	v1beta1 bool   // the definition is judged as one of v1beta1
	version string // of Kubernetes, see [KubernetesVersion]
}

func newCheckEngines(opts []Option) *checkEngines {
	var cfg config
	e := &checkEngines{}
	for _, opt := range opts {
		if opt != nil {
			opt.applyCompile(&cfg)
		}
		if _, ok := opt.(notesOption); ok {
			e.notes = true
		}
	}
	e.plain, e.v1beta1, e.version = cfg.plain, cfg.v1beta1, cfg.version
	return e
}

// strictness returns opts as they are for the version of the definition that
// is judged.
func (e *checkEngines) strictness(opts definition.Options, old *definition.Shape) definition.Options {
	if e.v1beta1 {
		return opts.V1beta1(old)
	}
	return opts
}

// Rules implements definition.Engines.
func (e *checkEngines) Rules(r definition.RuleCheck) field.ErrorList {
	opts := []cel.Option{
		cel.AtPath(r.Path),
		cel.Preexisting(r.Stored.Rules, r.Stored.Messages),
		cel.SyntaxChecked(r.Faulty),
		cel.KubernetesVersion(e.version),
	}
	if r.Unlimited {
		opts = append(opts, cel.Unchanged())
	}
	return cel.Check(r.Node, opts...)
}
