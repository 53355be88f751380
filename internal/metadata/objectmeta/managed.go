package objectmeta

import (
	"errors"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
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
	m.managed, m.managedChanged = append(m.managed[:0], entries...), true
}

// resetsManaged reports whether a client asks to remove all managed fields.
func (m *Meta) resetsManaged() bool {
	return len(m.managed) == 1 && m.managed[0].raw != nil && len(m.managed[0].raw) == 0
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
		if key == "." {
			continue
		}
		if !strings.HasPrefix(key, "f:") {
			_, err := fieldpath.DeserializePathElement(key)
			if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
				continue
			}
			if err != nil {
				return false
			}
		}
		if !decodesFields(below) {
			return false
		}
	}
	return ok || v == nil
}

// fastElement reports whether the server can certainly decode an element of a field
// set. It is the text of a string.
func fastElement(s string) bool {
	kind, rest, ok := strings.Cut(s, ":")
	switch kind {
	case ".":
		return !ok
	case "f":
		return ok
	case "i":
		end := countEnd(rest, 0)
		return end > 0 && end == len(rest)
	case "v":
		rest, ok = cutScalar(rest)
		return ok && rest == ""
	case "k":
		rest, ok = strings.CutPrefix(rest, "{")
		for ok {
			if rest, ok = cutScalar(rest); !ok || !strings.HasPrefix(rest, ":") {
				return false
			}
			if rest, ok = cutScalar(rest[1:]); rest == "}" {
				return ok
			}
			rest, ok = strings.CutPrefix(rest, ",")
		}
	}
	return false
}

// cutScalar returns what follows the JSON scalar at the beginning of s, which is the text of
// a string. It reports false for other values and for strings with escapes.
func cutScalar(s string) (rest string, ok bool) {
	if quoted, isString := strings.CutPrefix(s, `\"`); isString {
		i := strings.IndexByte(quoted, '\\')
		return strings.CutPrefix(quoted[max(i, 0):], `\"`)
	}
	if end := countEnd(s, 0); end > 0 {
		return s[end:], true
	}
	if rest, ok = strings.CutPrefix(s, "true"); ok {
		return rest, true
	}
	return strings.CutPrefix(s, "false")
}
