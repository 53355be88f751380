package compat

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// Compare compares two definitions of one kind: old is in use, and crd shall replace it. It does not
// change or keep them.
//
// Compare returns an error if a definition is nil or does not compile, if the groups differ, if
// both the kinds and the names differ, or if ctx ends. A nil ctx never ends. If the limit of
// [TimeLimit] ends the comparison, there is no error: the report has what was decided.
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
	lost := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == CodeStoredVersionRemoved })
	for i := range p.versions {
		c := &comparison{pair: p, versionPair: &p.versions[i], ctx: limited, work: workLimit, seekLeft: seekWork, lost: lost}
		r.Findings = append(r.Findings, c.listFindings()...)
		r.Findings = append(r.Findings, c.schemaFindings()...)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("compat: definition %s: the comparison ended early: %w", crd.Name, err)
		}
	}
	r.conclude()
	return r, nil
}

// workLimit limits the steps of the solver at each version, separately for writers and for readers.
const workLimit = 2_000_000

// An Option changes a comparison. A later option wins over an earlier one, and a nil Option changes
// nothing.
type Option interface{ apply(*config) }

type option func(*config)

func (f option) apply(c *config) { f(c) }

type config struct {
	time        time.Duration
	conventions bool
}

// TimeLimit ends a comparison after d. The report then has what was decided, and the rest is
// unknown. If d is not positive, there is no limit.
func TimeLimit(d time.Duration) Option {
	return option(func(c *config) { c.time = d })
}

// Conventions adds findings about new fields that break the conventions of the Kubernetes API, such
// as booleans and lists without a list type. Their verdict is compatible.
//
// See
// https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md.
func Conventions() Option {
	return option(func(c *config) { c.conventions = true })
}

func configOf(opts []Option) config {
	var c config
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	return c
}

// A comparison judges the change from one version to another.
type comparison struct {
	*pair
	*versionPair
	ctx      context.Context // ends when the time limit ends the comparison
	work     int             // the steps left of workLimit
	seekLeft int             // the steps left of seekWork
	lost     bool            // the new definition lacks a version of stored objects, so nothing is proved for them
	// sideFindings are about refusals that no goal explains, and about roles for which a goal is
	// undecided.
	sideFindings []Finding
	readerGoals  []readerGoal // see storageWalk
}

func (c *comparison) schemaFindings() []Finding {
	if c.sameSchema() {
		return c.guard(c.proved("the schema and the rules are equal"))
	}
	return c.guard(c.decide())
}

// sameSchema reports whether the two versions treat all objects in the same way.
func (c *comparison) sameSchema() bool {
	return c.before.node == c.after.node && c.old.Spec.PreserveUnknownFields == c.crd.Spec.PreserveUnknownFields &&
		(c.oldStorageNode == c.newStorageNode || !c.storesAnotherVersion()) && (c.oldStorageNode == c.readNode || !c.readsAnotherVersion())
}

func (c *comparison) finding(code Code, verdict Verdict, severity Severity, role Role) Finding {
	f := Finding{
		Code: code, Verdict: verdict, Severity: severity, Role: role,
		Version: c.after.version.Name(),
		Pointer: fmt.Sprintf("/spec/versions/%d", c.after.index),
	}
	if old := c.before.version.Name(); old != f.Version {
		f.OldVersion = old
	}
	if crdversion.Schema(&c.crd.Spec.Versions[c.after.index]) != nil {
		f.Pointer += "/schema/openAPIV3Schema"
	}
	return f
}

func (c *comparison) proved(reason string) []Finding {
	var out []Finding
	for _, role := range []Role{RoleWriters, RoleStored, RoleReaders} {
		if role == RoleStored && c.lost {
			continue
		}
		f := c.finding(CodeProved, VerdictCompatible, SeverityNote, role)
		f.Text = reason
		out = append(out, f)
	}
	return out
}
