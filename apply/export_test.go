package apply

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// SharesTypes reports whether two Appliers have the same typed schema.
func (a *Applier) SharesTypes(b *Applier) bool {
	return a.types.kinds[a.version.GroupVersionKind()] == b.types.kinds[b.version.GroupVersionKind()]
}

// MergeAlone applies a configuration with the field manager of apimachinery, and does
// nothing else.
func (a *Applier) MergeAlone(live, config *unstructured.Unstructured, manager string) error {
	f, err := a.manager(context.Background(), mainResource, true)
	if err != nil {
		return err
	}
	_, err = f.Apply(live, config, manager, true)
	return err
}
