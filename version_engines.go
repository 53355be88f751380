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

// The engines do the work of requests on the map carrier, except for the rules.
// Making an engine cannot fail, so each one is made at its first use: most
// requests on the JSON carrier need none of them. Versions with the same schema
// share their engines.
type engines struct {
	node      *schema.Node // nil if there is no schema
	reference bool         // use the reference implementations
	// version is the version of Kubernetes whose formats apply, "" for the
	// default.
	version string

	making    sync.Mutex
	pruner    atomic.Pointer[pruning.Pruner]
	defaulter atomic.Pointer[defaulting.Defaulter]
	embedded  atomic.Pointer[objectmeta.Embedded]
	validator atomic.Pointer[validation.Validator]
	pairs     atomic.Pointer[correlate.Schema]
}

// newEngines returns engines for a schema. With the reference implementations
// it makes them at once.
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
	return initializeOnce(&e.making, &e.pruner, func() *pruning.Pruner {
		return pruning.New(e.node, optionIf[pruning.Option](e.reference, testopt.Reference{})...)
	})
}

func (e *engines) setDefaults() *defaulting.Defaulter {
	if d := e.defaulter.Load(); d != nil {
		return d
	}
	return initializeOnce(&e.making, &e.defaulter, func() *defaulting.Defaulter {
		return defaulting.New(e.node, optionIf[defaulting.Option](e.reference, testopt.Reference{})...)
	})
}

func (e *engines) resources() *objectmeta.Embedded {
	if r := e.embedded.Load(); r != nil {
		return r
	}
	return initializeOnce(&e.making, &e.embedded, func() *objectmeta.Embedded {
		return objectmeta.NewEmbedded(e.node, optionIf(e.reference, objectmeta.Reference())...)
	})
}

func (e *engines) validate() *validation.Validator {
	if v := e.validator.Load(); v != nil {
		return v
	}
	return initializeOnce(&e.making, &e.validator, func() *validation.Validator {
		opts := optionIf[validation.Option](e.reference, testopt.Reference{})
		return validation.New(e.node, append(opts, validation.KubernetesVersion(e.version))...)
	})
}

// correlate returns the schema that finds, for a value of a new object, the
// corresponding value of the old object. It returns nil if there is no schema.
func (e *engines) correlate() *correlate.Schema {
	if s := e.pairs.Load(); s != nil || e.node == nil {
		return s
	}
	return initializeOnce(&e.making, &e.pairs, func() *correlate.Schema { return correlate.New(e.node) })
}

// initializeOnce initializes *at under making, unless that is done, and returns
// its value.
func initializeOnce[T any](making *sync.Mutex, at *atomic.Pointer[T], make func() *T) *T {
	making.Lock()
	defer making.Unlock()
	if done := at.Load(); done != nil {
		return done
	}
	done := make()
	at.Store(done)
	return done
}

// optionIf returns a list of o, or nil if wanted is false.
func optionIf[O any](wanted bool, o O) []O {
	if !wanted {
		return nil
	}
	return []O{o}
}
