package schema

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/interrupt"
)

// sortByText sorts errs by their texts. Errors with equal texts, which occur if
// the name of a property looks like a path, are sorted by their parts.
func sortByText(errs field.ErrorList, watch *interrupt.Watch) {
	if len(errs) < 2 {
		return
	}
	type entry struct {
		text string
		err  *field.Error
	}
	entries := make([]*entry, len(errs))
	for i, err := range errs {
		if watch.Ended() {
			return
		}
		entries[i] = &entry{err.Error(), err}
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(
			cmp.Compare(a.text, b.text),
			cmp.Compare(a.err.Field, b.err.Field),
			cmp.Compare(a.err.Type, b.err.Type),
			cmp.Compare(a.err.Detail, b.err.Detail),
		)
	})
	for i, e := range entries {
		errs[i] = e.err
	}
}
