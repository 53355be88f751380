package objectmeta

import (
	"errors"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// KeepManaged sets the managed fields to those from which kube-apiserver goes on when the
// object replaces old. They are its own, unless it has none or some that cannot be decoded,
// or unless the status is updated. Then they are those of old, or none if those cannot be
// decoded either. A list with one empty entry stays; [Meta.PrepareUpdate] removes it.
func (m *Meta) KeepManaged(old *Meta, status bool) {
	switch {
	case !status && (m.resetsManaged() || m.decodesManaged()):
	case old.decodesManaged():
		m.setManaged(old.managed)
	default:
		m.setManaged(nil)
	}
}

// setManaged sets the managed fields to copies of the entries.
func (m *Meta) setManaged(entries []managedEntry) {
	m.managed = append(m.managed[:0], entries...)
	m.changed.add(memberManagedFields)
}

// resetsManaged reports whether a client asks to remove all managed fields.
func (m *Meta) resetsManaged() bool {
	return len(m.managed) == 1 && m.managed[0].members == 0
}

// decodesManaged reports whether the server can decode the managed fields. If it cannot
// decode one entry, it ignores them all.
func (m *Meta) decodesManaged() bool {
	for i := range m.managed {
		if e := &m.managed[i]; !isOperation(e.operation) || e.apiVersion == "" || e.fieldsType != "FieldsV1" || !decodesFields(e.fields) {
			return false
		}
	}
	return len(m.managed) > 0
}

// decodesFields reports whether the server can decode a field set. It ignores elements
// of unknown types.
func decodesFields(v any) bool {
	m, ok := v.(map[string]any)
	for key, below := range m {
		if decodes, nested := decodesElement(key); !decodes || nested && !decodesFields(below) {
			return false
		}
	}
	return ok || v == nil
}

// decodesElement reports whether the server can decode the key of an element of a field
// set, and whether it then decodes what is below the key.
func decodesElement(key string) (decodes, below bool) {
	if key == "." {
		return true, false
	}
	if strings.HasPrefix(key, "f:") || strings.HasPrefix(key, "k:{") && jsonscan.SkipSorted(key, len("k:")) == len(key) {
		return true, true // without an allocation
	}
	_, err := fieldpath.DeserializePathElement(key)
	unknown := errors.Is(err, fieldpath.ErrUnknownPathElementType)
	return err == nil || unknown, !unknown
}
