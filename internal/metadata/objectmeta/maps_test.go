package objectmeta

import "github.com/crdkit/crdkit/internal/failure/errorlimit"

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

func createProblems(obj map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	return readMap(obj).createProblems(namespaced, limit)
}

func updateProblems(obj, old map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	return readMap(obj).updateProblems(readMap(old), namespaced, limit)
}

func commonProblems(obj, old map[string]any, namespaced bool, limit *errorlimit.Limit) []Problem {
	if old == nil {
		return readMap(obj).commonProblems(nil, namespaced, limit)
	}
	return readMap(obj).commonProblems(readMap(old), namespaced, limit)
}

func finalizerWarningsOf(obj, old map[string]any) []string {
	return readMap(obj).FinalizerWarnings(readMap(old))
}
