package compat

import (
	"context"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Compare compares two definitions of one kind: old, which is in use, and crd,
// which is to replace it. It changes and keeps neither.
//
// The error says why there is no comparison: a definition is nil or does not
// compile, the definitions have different groups, or different kinds and names, or ctx
// ended. If the
// time limit of [TimeLimit] ends the comparison, the report has what was decided.
// A nil ctx never ends.
func Compare(ctx context.Context, old, crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) (*Report, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	cfg := configOf(opts)
	limited, cancel := ctx, context.CancelFunc(func() {})
	if cfg.time > 0 {
		limited, cancel = context.WithTimeout(ctx, cfg.time)
	}
	defer cancel()
	p, err := newPair(ctx, old, crd)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	r.Findings = resourceFindings(limited, p)
	if old.Spec.Names.Kind != crd.Spec.Names.Kind {
		r.conclude()
		return r, nil
	}
	if cfg.conventions {
		r.Findings = append(r.Findings, conventionFindings(p)...)
	}
	lost := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == StoredVersionRemoved })
	for i := range p.versions {
		c := &comparison{pair: p, versionPair: &p.versions[i], ctx: limited, work: cfg.work, seekLeft: min(cfg.work, seekWork), lost: lost}
		r.Findings = append(r.Findings, c.listFindings()...)
		r.Findings = append(r.Findings, c.schemaFindings()...)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("compat: definition %s: the comparison ended early: %w", crd.Name, err)
		}
	}
	r.conclude()
	return r, nil
}
