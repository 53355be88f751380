package objectmeta

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ValidDefinition reports whether metadata of a new cluster-scoped object is certainly
// valid. It accepts only a name, labels and annotations, which most definitions have. The
// rule for names of definitions also refuses any generateName. False means that the rules of
// apimachinery must decide.
func ValidDefinition(meta *metav1.ObjectMeta) bool {
	if meta.GenerateName != "" || meta.DeletionTimestamp != nil || meta.DeletionGracePeriodSeconds != nil ||
		len(meta.OwnerReferences)+len(meta.Finalizers)+len(meta.ManagedFields) > 0 {
		return false
	}
	m := New()
	defer m.Release()
	m.Name, m.Namespace, m.Generation = meta.Name, meta.Namespace, meta.Generation
	for k, v := range meta.Labels {
		m.labels = append(m.labels, pair{k, v})
	}
	for k, v := range meta.Annotations {
		m.annotations = append(m.annotations, pair{k, v})
	}
	return m.ValidCreate(false)
}
