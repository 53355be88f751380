package objectmeta

import (
	"strconv"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// Write writes what changed since [Meta.ReadMap] to the metadata of obj, in place. It does nothing
// if the metadata is not an object.
func (m *Meta) Write(obj map[string]any) {
	out, ok := m.raw.(map[string]any)
	if m.raw != nil && !ok {
		return
	}
	if out == nil {
		out = map[string]any{}
	}
	for k := range memberUnknown {
		if m.removed.has(k) {
			delete(out, memberNames[k])
		}
		if s := m.text(k); s != nil && *s != textOf(out, k) {
			set(out, memberNames[k], *s, *s != "")
		}
	}
	if before, _ := out["generation"].(int64); m.Generation != before {
		set(out, "generation", m.Generation, m.Generation != 0)
	}
	if before, found := out["deletionGracePeriodSeconds"].(int64); m.gracePeriod != (optional[int64]{found, before}) {
		set(out, "deletionGracePeriodSeconds", m.gracePeriod.value, m.gracePeriod.set)
	}
	if m.changed.has(memberOwnerReferences) {
		out["ownerReferences"] = m.ownerList()
	}
	if m.changed.has(memberManagedFields) {
		list := make([]any, len(m.managed)) // a copy, because another object may have the entries
		for i, e := range m.managed {
			list[i] = jsonval.Clone(e.raw)
		}
		set(out, "managedFields", list, len(list) > 0)
	}
	m.removed, m.changed = 0, 0
	if len(out) == 0 && m.raw == nil {
		delete(obj, "metadata")
		return
	}
	obj["metadata"], m.raw = out, out
}

func set(out map[string]any, key string, v any, present bool) {
	if present {
		out[key] = v
	} else {
		delete(out, key)
	}
}

func (m *Meta) ownerList() []any {
	list := make([]any, len(m.owners))
	for i, o := range m.owners {
		e := map[string]any{"apiVersion": o.apiVersion, "kind": o.kind, "name": o.name, "uid": o.uid}
		set(e, "controller", o.controller.value, o.controller.set)
		set(e, "blockOwnerDeletion", o.blockDeletion.value, o.blockDeletion.set)
		list[i] = e
	}
	return list
}

// Append appends the metadata as JSON with sorted keys. The metadata must be valid and read from
// text.
func (m *Meta) Append(dst []byte) []byte {
	start := len(dst)
	for k := range memberUnknown {
		key := memberNames[k]
		switch k {
		case memberLabels:
			dst = appendPairs(dst, key, m.labels)
		case memberAnnotations:
			dst = appendPairs(dst, key, m.annotations)
		case memberGeneration:
			if m.Generation != 0 {
				dst = strconv.AppendInt(appendKey(dst, key), m.Generation, 10)
			}
		case memberDeletionGracePeriodSeconds:
			if m.gracePeriod.set {
				dst = strconv.AppendInt(appendKey(dst, key), m.gracePeriod.value, 10)
			}
		case memberFinalizers:
			for i, name := range m.finalizers {
				dst = appendString(next(dst, key, i), name)
			}
			dst = endList(dst, len(m.finalizers))
		case memberOwnerReferences:
			if len(m.owners) > 0 {
				dst, _ = jsonscan.Append(appendKey(dst, key), m.ownerList())
			}
		case memberManagedFields:
			for i := range m.managed {
				dst = m.managed[i].append(next(dst, key, i))
			}
			dst = endList(dst, len(m.managed))
		default:
			dst = appendText(dst, key, *m.text(k))
		}
	}
	return endObject(dst, start)
}

func (e *managedEntry) append(dst []byte) []byte {
	start := len(dst)
	dst = appendText(dst, "apiVersion", e.apiVersion)
	dst = appendText(dst, "fieldsType", e.fieldsType)
	if e.fieldsText != "" {
		dst = append(appendKey(dst, "fieldsV1"), e.fieldsText...)
	}
	dst = appendText(dst, "manager", e.manager)
	dst = appendText(dst, "operation", e.operation)
	dst = appendText(dst, "subresource", e.subresource)
	return endObject(appendText(dst, "time", e.time), start)
}

// endObject ends the object at start. It replaces the comma before the first member by a brace.
func endObject(dst []byte, start int) []byte {
	if start == len(dst) {
		dst = append(dst, ',')
	}
	dst[start] = '{'
	return append(dst, '}')
}

// next appends what comes before element i of a list: a comma, or the key and a bracket.
func next(dst []byte, key string, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return append(appendKey(dst, key), '[')
}

func endList(dst []byte, elements int) []byte {
	if elements == 0 {
		return dst
	}
	return append(dst, ']')
}

func appendKey(dst []byte, key string) []byte {
	return append(append(append(dst, ',', '"'), key...), '"', ':')
}

func appendString(dst []byte, s string) []byte {
	dst, _ = jsonscan.AppendString(dst, s) // cannot fail, because s is UTF-8
	return dst
}

func appendText(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	return appendString(appendKey(dst, key), s)
}

func appendPairs(dst []byte, key string, list []pair) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = appendKey(dst, key)
	start := len(dst)
	for _, p := range list {
		dst = append(append(append(appendKey(dst, p.key), '"'), p.value...), '"')
	}
	return endObject(dst, start)
}
