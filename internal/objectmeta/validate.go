package objectmeta

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
)

// ValidateCreate returns the problems that the strategy for custom resources
// finds in the metadata of a new object, sorted by field, type and detail; nil
// if there are none. The name must be a DNS subdomain. There must be a
// namespace if and only if the resource is namespaced.
func ValidateCreate(obj map[string]any, namespaced bool, b Bounds) []Problem {
	if ValidCreate(obj, namespaced) {
		return nil
	}
	return createProblems(obj, namespaced, b)
}

// ValidCreate reports whether the fast checks accept the metadata of a new
// object. [ValidateCreate] then finds no problem. If they do not, it may still
// find none. ValidCreate does not allocate.
func ValidCreate(obj map[string]any, namespaced bool) bool {
	m, ok := obj["metadata"].(map[string]any)
	return ok && fastValidCreate(m, namespaced)
}

func createProblems(obj map[string]any, namespaced bool, b Bounds) []Problem {
	meta, errs := typedMeta(obj, b.Watch)
	if len(errs) > 0 {
		return rootProblems(obj, errs, b)
	}
	list := errorlimit.List{Limit: b.Limit, Watch: b.Watch}
	createRules(namespaced).inPieces(meta, &list, b.Watch)
	return rootProblems(obj, list.Errors(), b)
}

// ValidateUpdate returns the problems that the strategy for custom resources
// finds in the metadata of an object that replaces old, sorted by field, type
// and detail; nil if there are none. It finds changes of immutable members,
// missing members, and new values that are not valid. Updates of the status are
// checked in the same manner.
func ValidateUpdate(obj, old map[string]any, namespaced bool, b Bounds) []Problem {
	if ValidUpdate(obj, old) {
		return nil
	}
	return updateProblems(obj, old, namespaced, b)
}

// ValidUpdate is to [ValidateUpdate] what [ValidCreate] is to [ValidateCreate].
func ValidUpdate(obj, old map[string]any) bool {
	m, ok := obj["metadata"].(map[string]any)
	before, okOld := old["metadata"].(map[string]any)
	return ok && okOld && fastValidUpdate(m, before)
}

func updateProblems(obj, old map[string]any, namespaced bool, b Bounds) []Problem {
	meta, errs := typedMeta(obj, b.Watch)
	if len(errs) > 0 {
		return rootProblems(obj, errs, b)
	}
	before, errs := typedMeta(old, b.Watch)
	if len(errs) > 0 {
		return rootProblems(obj, errs, b)
	}
	list := errorlimit.List{Limit: b.Limit, Watch: b.Watch}
	updateRules(before, namespaced).inPieces(meta, &list, b.Watch)
	return rootProblems(obj, list.Errors(), b)
}

// ValidateCommonCreate returns the problems that the generic registry finds in
// the metadata of a new object. kube-apiserver calls it after every other
// check. It finds one problem that [ValidateCreate] does not: a slash or a
// percent sign before the dash at the end of a generateName.
func ValidateCommonCreate(obj map[string]any, namespaced bool, b Bounds) []Problem {
	m, ok := obj["metadata"].(map[string]any)
	if ok && fastValidCommonCreate(m, namespaced) {
		return nil
	}
	return commonProblems(obj, nil, namespaced, b)
}

// ValidateCommonUpdate returns the problems that the generic registry finds in
// the metadata of an object that replaces old. kube-apiserver reports them
// before those of [ValidateUpdate] and in addition to them. It applies the
// rules for new objects, of which ValidateUpdate omits those for names,
// namespaces and finalizers, and then the rules for updates.
func ValidateCommonUpdate(obj, old map[string]any, namespaced bool, b Bounds) []Problem {
	m, ok := obj["metadata"].(map[string]any)
	before, okOld := old["metadata"].(map[string]any)
	if ok && okOld && fastValidCommonCreate(m, namespaced) && fastValidUpdate(m, before) {
		return nil
	}
	if old == nil {
		old = map[string]any{}
	}
	return commonProblems(obj, old, namespaced, b)
}

// commonProblems checks a new object if old is nil. The strategy reports
// metadata that cannot be decoded, so this returns nil for it.
func commonProblems(obj, old map[string]any, namespaced bool, b Bounds) []Problem {
	meta, errs := typedMeta(obj, b.Watch)
	if len(errs) > 0 {
		return nil
	}
	list := errorlimit.List{Limit: b.Limit, Watch: b.Watch}
	commonCreateRules(namespaced).inPieces(meta, &list, b.Watch)
	if old != nil {
		before, invalid := typedMeta(old, b.Watch)
		if len(invalid) > 0 {
			return nil
		}
		commonUpdateRules(before).inPieces(meta, &list, b.Watch)
	}
	return rootProblems(obj, list.Errors(), b)
}

func rootPath() *field.Path { return field.NewPath("metadata") }

func rootProblems(obj map[string]any, errs field.ErrorList, b Bounds) []Problem {
	if len(errs) == 0 {
		return nil
	}
	metadata, _ := obj["metadata"].(map[string]any)
	l := newLocator(metadata, "metadata", "", b.Watch)
	problems := make([]Problem, len(errs))
	details := map[string]string{} // equal texts share memory; a text may have 200 bytes
	for i, err := range errs {
		if b.Watch.Ended() {
			return nil
		}
		if detail, ok := details[err.Detail]; ok {
			err.Detail = detail
		} else {
			details[err.Detail] = err.Detail
		}
		problems[i] = Problem{Err: err, Pointer: l.pointer(err)}
	}
	interrupt.Sort(b.Watch, problems, compareProblems)
	return problems
}
