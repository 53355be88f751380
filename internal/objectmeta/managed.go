package objectmeta

import (
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// KeepManaged sets the managed fields of obj, in place, to those from which
// kube-apiserver goes on when obj replaces old. They are those of obj, unless obj has
// none or some that cannot be decoded, or unless the status is updated. Then they are
// those of old, or none if those cannot be decoded either. A list with one empty entry
// stays; [PrepareUpdate] removes it. The objects share no memory.
func KeepManaged(obj, old map[string]any, status bool) {
	m, _ := obj["metadata"].(map[string]any)
	if m == nil || !status && (resetsManaged(m["managedFields"]) || decodesManaged(m["managedFields"])) {
		return
	}
	delete(m, "managedFields")
	before, _ := old["metadata"].(map[string]any)
	if list := before["managedFields"]; decodesManaged(list) {
		m["managedFields"] = jsonval.Clone(list)
	}
}

// resetsManaged reports whether a client asks to remove all managed fields.
func resetsManaged(v any) bool {
	list, _ := v.([]any)
	if len(list) != 1 {
		return false
	}
	entry, ok := list[0].(map[string]any)
	return ok && len(entry) == 0
}

// decodesManaged reports whether the server can decode managed fields. If it cannot
// decode one entry, it ignores them all.
func decodesManaged(v any) bool {
	list, _ := v.([]any)
	for _, e := range list {
		m, _ := e.(map[string]any)
		if !fastManagedOperation(text(m, "operation")) || text(m, "apiVersion") == "" || m["fieldsType"] != "FieldsV1" || !decodesFields(m["fieldsV1"]) {
			return false
		}
	}
	return len(list) > 0
}

func fastManagedOperation(s string) bool {
	return s == string(metav1.ManagedFieldsOperationApply) || s == string(metav1.ManagedFieldsOperationUpdate)
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
