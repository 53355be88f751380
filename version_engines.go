package crdkit

import (
	"sync"
	"sync/atomic"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/testopt"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// Engines are what walks over objects need, beside the rules. Making one cannot
// fail, so each is made when it is first asked for: most requests take the quick
// way, which needs none of them. Versions with the same schema share them.
type engines struct {
	node      *schema.Node // nil if there is no schema
	reference bool         // shortcuts are off
	// version of Kubernetes whose formats count, "" for the default
	version string

	making    sync.Mutex
	pruner    atomic.Pointer[pruning.Pruner]
	defaulter atomic.Pointer[defaulting.Defaulter]
	embedded  atomic.Pointer[objectmeta.Embedded]
	validator atomic.Pointer[validation.Validator]
	pairs     atomic.Pointer[correlate.Schema]
}

// newEngines makes all engines at once if shortcuts are off.
func newEngines(n *schema.Node, cfg config) *engines {
	e := &engines{node: n, reference: cfg.reference, version: cfg.version}
	if e.reference {
		e.prune()
		e.setDefaults()
		e.resources()
		e.validate()
	}
	return e
}

func (e *engines) prune() *pruning.Pruner {
	if p := e.pruner.Load(); p != nil {
		return p
	}
	return first(&e.making, &e.pruner, func() *pruning.Pruner {
		return pruning.New(e.node, option[pruning.Option](e.reference, testopt.Reference{})...)
	})
}

func (e *engines) setDefaults() *defaulting.Defaulter {
	if d := e.defaulter.Load(); d != nil {
		return d
	}
	return first(&e.making, &e.defaulter, func() *defaulting.Defaulter {
		return defaulting.New(e.node, option[defaulting.Option](e.reference, testopt.Reference{})...)
	})
}

func (e *engines) resources() *objectmeta.Embedded {
	if r := e.embedded.Load(); r != nil {
		return r
	}
	return first(&e.making, &e.embedded, func() *objectmeta.Embedded {
		return objectmeta.NewEmbedded(e.node, option(e.reference, objectmeta.Reference())...)
	})
}

func (e *engines) validate() *validation.Validator {
	if v := e.validator.Load(); v != nil {
		return v
	}
	return first(&e.making, &e.validator, func() *validation.Validator {
		opts := option[validation.Option](e.reference, testopt.Reference{})
		if formats, err := validation.KubernetesVersion(e.version); err == nil { // Compile refuses wrong versions
			opts = append(opts, formats)
		}
		return validation.New(e.node, opts...)
	})
}

// correlate returns what tells which value of an old object corresponds to one
// of a new object, nil if there is no schema.
func (e *engines) correlate() *correlate.Schema {
	if s := e.pairs.Load(); s != nil || e.node == nil {
		return s
	}
	return first(&e.making, &e.pairs, func() *correlate.Schema { return correlate.New(e.node) })
}

// first makes what is not there, once, whoever comes first.
func first[T any](making *sync.Mutex, at *atomic.Pointer[T], make func() *T) *T {
	making.Lock()
	defer making.Unlock()
	if done := at.Load(); done != nil {
		return done
	}
	done := make()
	at.Store(done)
	return done
}

// option returns an option if it is wanted.
func option[O any](wanted bool, o O) []O {
	if !wanted {
		return nil
	}
	return []O{o}
}
