package objectmeta

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/internal/objectname"
)

// FastValidDefinition reports whether metadata of a new cluster-scoped object
// is valid. It accepts only a name, labels and annotations, which most
// definitions have. False means that the rules of apimachinery must decide.
func FastValidDefinition(meta *metav1.ObjectMeta) bool {
	return objectname.IsSubdomain(meta.Name) && meta.GenerateName == "" && meta.Namespace == "" && meta.Generation >= 0 &&
		meta.DeletionTimestamp == nil && meta.DeletionGracePeriodSeconds == nil &&
		len(meta.OwnerReferences) == 0 && len(meta.Finalizers) == 0 && len(meta.ManagedFields) == 0 &&
		fastValidTypedLabels(meta.Labels) && fastValidTypedAnnotations(meta.Annotations)
}

// StandInName returns a name in place of the one that the server generates from
// generateName. Generated names end in five random characters after at most 58 of
// generateName; this one ends in 00000, which the server never generates.
//
// See https://kubernetes.io/docs/reference/using-api/api-concepts/#generated-values.
func StandInName(generateName string) string {
	const longest, suffix = 58, "00000"
	return generateName[:min(len(generateName), longest)] + suffix
}

func fastValidTypedLabels(m map[string]string) bool {
	for k, v := range m {
		if !objectname.IsLabelValue(v) || !objectname.IsQualifiedName(k, false) {
			return false
		}
	}
	return true
}

func fastValidTypedAnnotations(m map[string]string) bool {
	size := 0
	for k, v := range m {
		if !objectname.IsQualifiedName(k, true) {
			return false
		}
		size += len(k) + len(v)
	}
	return size <= maxFastAnnotations
}
