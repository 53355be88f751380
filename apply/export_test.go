package apply

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// TakesFast reports whether the fast merge takes an apply, rather than the field manager.
func (a *Applier) TakesFast(live, config *unstructured.Unstructured, manager string, force, status bool) bool {
	s := mainResource
	if status {
		s = statusResource
	}
	_, conflict, ok := a.fastMerge(s, live, config, manager, force)
	return ok || conflict != nil
}

// SharesTypes reports whether two Appliers have the same typed schema.
func (a *Applier) SharesTypes(b *Applier) bool {
	return a.types.kinds[a.version.GroupVersionKind()] == b.types.kinds[b.version.GroupVersionKind()]
}
