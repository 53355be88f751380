package objectmeta

import (
	"slices"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// maxFieldsDepth is the largest depth of a field set that is known to stay as it is.
// Whether deeper field sets do depends on the limit of JSON.
const maxFieldsDepth = 200

// ReadMap reads the metadata of obj in place of any before. Members that the server cannot
// decode are absent here and stay in obj until they are set; [Meta.ValidateCreate] and
// [Meta.ValidateUpdate] report them.
func (m *Meta) ReadMap(obj map[string]any) {
	m.Reset()
	raw := obj["metadata"]
	if values, ok := raw.(map[string]any); raw != nil && (!ok || !m.readMap(values) || m.unusual) {
		m.Reset()
		m.unusual = true
		m.readUnusual(values)
	}
	m.raw = raw
}

// readUnusual reads what the server finds in metadata that ObjectMeta writes in another
// form, or cannot decode. Labels and annotations matter only for other metadata.
func (m *Meta) readUnusual(values map[string]any) {
	u := unstructured.Unstructured{Object: map[string]any{"metadata": values}}
	for k := range memberUnknown {
		if into := m.text(k); into != nil {
			*into = textOf(values, k)
		}
	}
	m.Generation, m.gracePeriod = u.GetGeneration(), optionalOf(u.GetDeletionGracePeriodSeconds())
	m.finalizers = append(m.finalizers, u.GetFinalizers()...)
	m.owners = append(m.owners, ownersOf(u.GetOwnerReferences())...)
	var typed metav1.ObjectMeta
	if convert(map[string]any{"managedFields": values["managedFields"]}, &typed) != nil {
		return
	}
	if written, err := encode(&typed); err == nil {
		m.readMap(written)
	}
}

// textOf returns a member that is a string or a time, as ObjectMeta writes it. It returns ""
// for another value, and for the zero time.
func textOf(values map[string]any, k member) string {
	s, _ := values[memberNames[k]].(string)
	if k != memberCreationTimestamp && k != memberDeletionTimestamp || s == "" || canonicalTime(s) {
		return s
	}
	var t metav1.Time
	if t.UnmarshalQueryParameter(s) != nil {
		return ""
	}
	s, _ = t.ToUnstructured().(string) // nil for the zero time
	return s
}

// readMap reads values. It reports false if a value has an unusual type.
func (m *Meta) readMap(values map[string]any) bool {
	for key, v := range values {
		k := memberOf(key)
		m.unusual = m.unusual || k == memberUnknown
		m.omits = m.omits || v == nil
		if v != nil && k != memberUnknown && !m.readMember(k, v) {
			return false
		}
	}
	return true
}

func (m *Meta) readMember(k member, v any) (ok bool) {
	switch k {
	case memberCreationTimestamp, memberDeletionTimestamp:
		return m.readMapTime(m.text(k), v)
	case memberGeneration:
		m.Generation, ok = v.(int64)
		m.omits = m.omits || m.Generation == 0
	case memberDeletionGracePeriodSeconds:
		m.gracePeriod.value, ok = v.(int64)
		m.gracePeriod.set = ok
	case memberLabels:
		m.labels, ok = m.readMapPairs(m.labels, v)
	case memberAnnotations:
		m.annotations, ok = m.readMapPairs(m.annotations, v)
	case memberFinalizers:
		list, isList := v.([]any)
		ok = isList
		m.omits = m.omits || len(list) == 0
		for _, e := range list {
			s, isString := e.(string)
			m.finalizers, ok = append(m.finalizers, s), ok && isString
			m.isText(s)
		}
	case memberOwnerReferences:
		list, _ := v.([]any)
		m.owners = slices.Grow(m.owners, len(list))
		return m.readEntries(v, m.readMapOwner)
	case memberManagedFields:
		return m.readEntries(v, m.readMapManaged)
	default:
		into := m.text(k)
		*into, ok = v.(string)
		m.omits = m.omits || *into == ""
		m.isText(*into)
	}
	return ok
}

// isText notes a string that is not UTF-8.
func (m *Meta) isText(s string) { m.unusual = m.unusual || !utf8.ValidString(s) }

func (m *Meta) readMapTime(into *string, v any) (ok bool) {
	*into, ok = v.(string)
	m.unusual = m.unusual || !canonicalTime(*into)
	return ok
}

func (m *Meta) readMapPairs(into []pair, v any) ([]pair, bool) {
	values, ok := v.(map[string]any)
	m.omits = m.omits || len(values) == 0
	into = slices.Grow(into, len(values))
	for key, v := range values {
		s, isString := v.(string)
		into, ok = append(into, pair{key, s}), ok && isString
		m.isText(key)
		m.isText(s)
	}
	return into, ok
}

// readEntries reads a list of objects, each with the function.
func (m *Meta) readEntries(v any, entry func(map[string]any) bool) bool {
	list, ok := v.([]any)
	m.omits = m.omits || len(list) == 0
	for _, e := range list {
		values, isMap := e.(map[string]any)
		m.unusual = m.unusual || values == nil
		if ok = ok && isMap && entry(values); !ok {
			return false
		}
	}
	return ok
}

// readMapOwner reads an owner reference. ObjectMeta always writes its four strings.
func (m *Meta) readMapOwner(values map[string]any) bool {
	var o owner
	strings, ok := 0, true
	for key, v := range values {
		switch key {
		case "controller":
			o.controller.value, ok = v.(bool)
			o.controller.set = ok
		case "blockOwnerDeletion":
			o.blockDeletion.value, ok = v.(bool)
			o.blockDeletion.set = ok
		default:
			into := o.text(key)
			if into == nil {
				m.unusual = true
				continue
			}
			*into, ok = v.(string)
			m.isText(*into)
			strings++
		}
		if !ok {
			return false
		}
	}
	m.unusual = m.unusual || strings < 4
	m.owners = append(m.owners, o)
	return true
}

// text returns the field of a member that is a string, nil for another member.
func (o *owner) text(key string) *string {
	switch key {
	case "apiVersion":
		return &o.apiVersion
	case "kind":
		return &o.kind
	case "name":
		return &o.name
	case "uid":
		return &o.uid
	}
	return nil
}

func (m *Meta) readMapManaged(values map[string]any) bool {
	e := managedEntry{raw: values}
	for key, v := range values {
		switch key {
		case "fieldsV1":
			e.fields = v
			m.unusual = m.unusual || !isFieldSet(v, maxFieldsDepth)
		case "time":
			if !m.readMapTime(&e.time, v) {
				return false
			}
		default:
			into := e.text(key)
			if into == nil {
				m.unusual = true
				continue
			}
			s, ok := v.(string)
			if !ok {
				return false
			}
			*into = s
			m.isText(s)
			m.unusual = m.unusual || s == ""
		}
	}
	m.managed = append(m.managed, e)
	return true
}

// text returns the field of a member that is a string, nil for another member.
func (e *managedEntry) text(key string) *string {
	switch key {
	case "apiVersion":
		return &e.apiVersion
	case "fieldsType":
		return &e.fieldsType
	case "manager":
		return &e.manager
	case "operation":
		return &e.operation
	case "subresource":
		return &e.subresource
	}
	return nil
}

// isFieldSet reports whether v is a tree of maps, as field sets are.
func isFieldSet(v any, depth int) bool {
	values, ok := v.(map[string]any)
	if !ok || values == nil || depth == 0 {
		return false
	}
	for key, v := range values {
		if !utf8.ValidString(key) || !isFieldSet(v, depth-1) {
			return false
		}
	}
	return true
}

// canonicalTime reports whether s is a time as ObjectMeta writes it: RFC 3339 in UTC, in
// whole seconds, and not the zero time.
func canonicalTime(s string) bool {
	if len(s) != len("2006-01-02T15:04:05Z") || s[len(s)-1] != 'Z' {
		return false
	}
	t, err := time.Parse(time.RFC3339, s)
	return err == nil && !t.IsZero()
}

// Write writes to obj, in place, what changed since [Meta.ReadMap]. It does nothing if the
// metadata is not an object.
func (m *Meta) Write(obj map[string]any) {
	out, ok := m.raw.(map[string]any)
	if m.raw != nil && !ok {
		return
	}
	if out == nil {
		out = map[string]any{}
	}
	for k := range memberUnknown {
		if m.removed&(1<<k) != 0 {
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
	if m.ownersChanged {
		m.writeOwners(out)
	}
	if m.managedChanged {
		m.writeManaged(out)
	}
	m.removed, m.ownersChanged, m.managedChanged = 0, false, false
	if len(out) == 0 && m.raw == nil {
		delete(obj, "metadata")
		return
	}
	obj["metadata"], m.raw = out, out
}

// set sets a member, or removes it.
func set(out map[string]any, key string, v any, present bool) {
	if present {
		out[key] = v
	} else {
		delete(out, key)
	}
}

func (m *Meta) writeOwners(out map[string]any) {
	list := make([]any, len(m.owners))
	for i, o := range m.owners {
		e := map[string]any{"apiVersion": o.apiVersion, "kind": o.kind, "name": o.name, "uid": o.uid}
		set(e, "controller", o.controller.value, o.controller.set)
		set(e, "blockOwnerDeletion", o.blockDeletion.value, o.blockDeletion.set)
		list[i] = e
	}
	out["ownerReferences"] = list
}

// writeManaged writes copies of the entries, which another object may have.
func (m *Meta) writeManaged(out map[string]any) {
	if len(m.managed) == 0 {
		delete(out, "managedFields")
		return
	}
	list := make([]any, len(m.managed))
	for i, e := range m.managed {
		list[i] = jsonval.Clone(e.raw)
	}
	out["managedFields"] = list
}
