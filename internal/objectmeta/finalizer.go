package objectmeta

import (
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdkit/crdkit/internal/objectname"
)

// finalizerKubernetes is the finalizer of namespaces.
const finalizerKubernetes = "kubernetes"

// FinalizerWarnings returns the warnings of kube-apiserver about the names of
// the finalizers that obj has and old has not, in increasing order of
// finalizer. old is nil when an object is created. Updates of the status have
// no such warnings.
func FinalizerWarnings(obj, old map[string]any) []string {
	if noFinalizerWarnings(obj, old) {
		return nil
	}
	before := map[string]bool{}
	for _, f := range finalizers(old) {
		before[f] = true
	}
	return warningsOf(finalizers(obj), before)
}

// warningsOf returns the warnings about the finalizers that are not in before, and sorts
// added.
func warningsOf(added []string, before map[string]bool) []string {
	var warnings []string
	slices.Sort(added)
	for _, f := range slices.Compact(added) {
		if !before[f] {
			warnings = append(warnings, finalizerWarnings(f)...)
		}
	}
	return warnings
}

// noFinalizerWarnings reports whether there is certainly no warning.
func noFinalizerWarnings(obj, old map[string]any) bool {
	m, _ := obj["metadata"].(map[string]any)
	list, _ := m["finalizers"].([]any)
	if len(list) == 0 {
		return true
	}
	before, _ := old["metadata"].(map[string]any)
	if sameList(m["finalizers"], before["finalizers"]) {
		return true
	}
	for _, e := range list {
		s, ok := e.(string)
		if !ok || !objectname.IsQualifiedName(s, false) || !strings.Contains(s, "/") && !standardFinalizer(s) {
			return false
		}
	}
	return true
}

// finalizers returns the finalizers of obj, nil unless all are strings.
func finalizers(obj map[string]any) []string {
	m, _ := obj["metadata"].(map[string]any)
	list, _ := m["finalizers"].([]any)
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

func finalizerWarnings(name string) []string {
	var warnings []string
	if !objectname.IsQualifiedName(name, false) {
		for _, msg := range validation.IsQualifiedName(name) {
			warnings = append(warnings, "metadata.finalizers: "+strconv.Quote(name)+": "+msg)
		}
	}
	if strings.Contains(name, "/") || standardFinalizer(name) {
		return warnings
	}
	hint := ""
	if strings.Contains(name, ".") {
		hint = "including a path (/) "
	}
	return append(warnings, "metadata.finalizers: "+strconv.Quote(name)+": prefer a domain-qualified finalizer name "+hint+
		"to avoid accidental conflicts with other finalizer writers")
}

func standardFinalizer(name string) bool {
	return name == metav1.FinalizerOrphanDependents || name == metav1.FinalizerDeleteDependents || name == finalizerKubernetes
}
