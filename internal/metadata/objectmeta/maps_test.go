package objectmeta

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/schema"
)

// These functions do to the metadata of maps what the methods of Meta do.

func readMap(obj map[string]any) *Meta {
	m := new(Meta)
	m.ReadMap(obj)
	return m
}

func prepareCreate(obj map[string]any) []string {
	m := readMap(obj)
	defer m.Write(obj)
	m.PrepareCreate()
	return m.DropDuplicateOwners()
}

func prepareUpdate(obj, old map[string]any) []string {
	m := readMap(obj)
	defer m.Write(obj)
	return m.PrepareUpdate(readMap(old))
}

func prepareStatusUpdate(obj, old map[string]any) {
	m := readMap(obj)
	m.PrepareStatusUpdate(readMap(old))
	m.Write(obj)
}

func keepManaged(obj, old map[string]any, status bool) {
	m := readMap(obj)
	m.KeepManaged(readMap(old), status)
	m.Write(obj)
}

func enterNamespace(obj map[string]any, namespaced bool, namespace string) bool {
	m := readMap(obj)
	defer m.Write(obj)
	return m.EnterNamespace(namespaced, namespace)
}

func validCreate(obj map[string]any, namespaced bool) bool {
	return readMap(obj).ValidCreate(namespaced)
}

func validUpdate(obj, old map[string]any, namespaced bool) bool {
	m := readMap(obj)
	return m.ResourceVersion != "" && m.ValidUpdate(readMap(old), namespaced)
}

// createProblems, updateProblems and commonProblems ask the rules of apimachinery in any case.
func createProblems(obj map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	m := readMap(obj)
	return m.problems(m.strategyErrors(nil, namespaced), limit)
}

func updateProblems(obj, old map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	m := readMap(obj)
	return m.problems(m.strategyErrors(readMap(old), namespaced), limit)
}

func commonProblems(obj, old map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	m := readMap(obj)
	if old == nil {
		return m.problems(m.registryErrors(nil, namespaced), limit)
	}
	return m.problems(m.registryErrors(readMap(old), namespaced), limit)
}

// walkAndCoerce is [Embedded.Coerce] without a fast verdict.
func (e *Embedded) walkAndCoerce(obj any, o Options) ([]schema.Path, *field.Error) {
	c := coercion{of: e, options: o}
	return c.run(obj)
}

// Coerce calls [Decode] and then [Decoded.Restore].
func Coerce(obj map[string]any, o Options) ([]schema.Path, error) {
	d, unknown, err := Decode(obj, o)
	if err == nil {
		d.Restore(obj)
	}
	return unknown, err
}

// roundTrip is [Coerce] by way of JSON in any case.
func roundTrip(obj map[string]any, o Options) ([]schema.Path, error) {
	d, unknown, err := decodeMetadata(obj, o, true)
	if err == nil {
		d.Restore(obj)
	}
	return unknown, err
}

func finalizerWarningsOf(obj, old map[string]any) []string {
	return readMap(obj).FinalizerWarnings(readMap(old))
}
