package objectmeta

import (
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdkit/crdkit/internal/metadata/objectname"
)

// finalizerKubernetes is the finalizer of namespaces.
const finalizerKubernetes = "kubernetes"

// FinalizerWarnings returns the warnings of kube-apiserver about the names of the
// finalizers that old does not have, in increasing order of finalizer. old is empty when an
// object is created. Updates of the status have no such warnings.
func (m *Meta) FinalizerWarnings(old *Meta) []string {
	if !slices.ContainsFunc(m.finalizers, isWarnedOf) || slices.Equal(m.finalizers, old.finalizers) {
		return nil
	}
	before := make(map[string]bool, len(old.finalizers))
	for _, f := range old.finalizers {
		before[f] = true
	}
	var warnings []string
	for _, f := range slices.Compact(slices.Sorted(slices.Values(m.finalizers))) {
		if !before[f] {
			warnings = append(warnings, finalizerWarnings(f)...)
		}
	}
	return warnings
}

// isWarnedOf reports whether [finalizerWarnings] has warnings.
func isWarnedOf(name string) bool {
	return !objectname.IsQualifiedName(name, false) || !strings.Contains(name, "/") && !standardFinalizer(name)
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
