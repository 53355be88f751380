package crdkit

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/definition"
	"github.com/crdkit/crdkit/validation/cel"
)

// checkEngines answer what package definition asks of engines.
type checkEngines struct {
	plain bool
	notes bool
}

func newCheckEngines(opts []Option) *checkEngines {
	var cfg config
	e := &checkEngines{}
	for _, opt := range opts {
		opt.applyCompile(&cfg)
		if _, ok := opt.(notesOption); ok {
			e.notes = true
		}
	}
	e.plain = cfg.plain
	return e
}

// Rules implements definition.Engines.
func (e *checkEngines) Rules(r definition.RuleCheck) field.ErrorList {
	opts := []cel.Option{
		cel.AtPath(r.Path),
		cel.Preexisting(r.Stored.Rules, r.Stored.Messages),
		cel.SyntaxChecked(r.Faulty),
	}
	if r.Unlimited {
		opts = append(opts, cel.Unchanged())
	}
	return cel.Check(r.Node, opts...)
}
