package objectmeta

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// PrepareCreate changes the metadata of a new object, in place, as
// kube-apiserver does before it validates it, as far as the object determines
// it. It removes the fields that belong to the server (creationTimestamp, uid,
// deletionTimestamp, deletionGracePeriodSeconds, selfLink) and managed fields that the
// server cannot decode, and sets the generation to 1. The caller then checks the
// namespace with [EnterNamespace], and calls [DropDuplicateOwners].
func PrepareCreate(obj map[string]any) {
	if m, ok := obj["metadata"].(map[string]any); ok {
		for _, name := range [...]string{"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"} {
			delete(m, name)
		}
		if !decodesManaged(m["managedFields"]) {
			delete(m, "managedFields")
		}
	}
	SetGeneration(obj, 1)
}

// PrepareUpdate changes the metadata of an object that replaces old, in place,
// as kube-apiserver does before it validates it. It drops duplicate owner
// references, removes selfLink and managed fields of one empty entry, and sets the
// generation of old. It copies uid and
// deletionGracePeriodSeconds from old if obj does not have them, and
// creationTimestamp and deletionTimestamp if old has them. It returns the
// warning about owner references, if any.
//
// If obj differs from old in more than its metadata, the caller sets the next
// generation with [SetGeneration].
func PrepareUpdate(obj, old map[string]any) []string {
	warnings := DropDuplicateOwners(obj)
	SetGeneration(obj, Generation(old))
	before, _ := old["metadata"].(map[string]any)
	raw, found := obj["metadata"]
	m, ok := raw.(map[string]any)
	switch {
	case found && !ok:
	case m == nil:
		if m = inherit(map[string]any{}, before); len(m) > 0 {
			obj["metadata"] = m
		}
	default:
		delete(m, "selfLink")
		if resetsManaged(m["managedFields"]) {
			delete(m, "managedFields")
		}
		inherit(m, before)
	}
	return warnings
}

// inherit copies to m what an update cannot change in before. It returns m.
func inherit(m, before map[string]any) map[string]any {
	if uid := text(before, "uid"); uid != "" && text(m, "uid") == "" {
		m["uid"] = uid
	}
	keepTime(m, before, "creationTimestamp")
	keepTime(m, before, "deletionTimestamp")
	if grace, ok := before["deletionGracePeriodSeconds"].(int64); ok {
		if _, ok := m["deletionGracePeriodSeconds"].(int64); !ok {
			m["deletionGracePeriodSeconds"] = grace
		}
	}
	return m
}

// keepTime copies the time of this name from before to m, if before has one.
func keepTime(m, before map[string]any, name string) {
	s, ok := before[name].(string)
	if !ok || canonicalTime(s) && m[name] == s {
		return
	}
	if !canonicalTime(s) {
		var t metav1.Time
		if err := t.UnmarshalQueryParameter(s); err != nil || t.IsZero() {
			return
		}
		s, _ = t.ToUnstructured().(string)
	}
	m[name] = s
}

// PrepareStatusUpdate replaces the metadata of obj, in place, with a copy of
// that of old, except for managedFields and selfLink. An update of the status changes
// nothing else.
func PrepareStatusUpdate(obj, old map[string]any) {
	m, _ := obj["metadata"].(map[string]any)
	managed, found := readManaged(m["managedFields"])
	before, kept := old["metadata"]
	if !kept {
		delete(obj, "metadata")
	} else {
		obj["metadata"] = jsonval.Clone(before)
	}
	out, ok := obj["metadata"].(map[string]any)
	delete(out, "selfLink")
	switch {
	case found && !kept:
		obj["metadata"] = map[string]any{"managedFields": managed}
	case found && ok:
		out["managedFields"] = managed
	case ok:
		delete(out, "managedFields")
	}
}

// readManaged returns managed fields as ObjectMeta writes them, and reports
// whether they are a list whose entries can all be decoded.
func readManaged(v any) ([]any, bool) {
	list, ok := v.([]any)
	if !ok || canonicalList(v, canonicalManaged) {
		return list, ok
	}
	out := make([]any, 0, len(list))
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			return nil, false
		}
		var entry metav1.ManagedFieldsEntry
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, &entry); err != nil {
			return nil, false
		}
		written, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&entry)
		if err != nil {
			return nil, false
		}
		out = append(out, written)
	}
	return out, true
}

// Generation returns metadata.generation of obj, 0 if there is none.
func Generation(obj map[string]any) int64 {
	m, _ := obj["metadata"].(map[string]any)
	g, _ := m["generation"].(int64)
	return g
}

// SetGeneration sets metadata.generation; 0 removes it. It adds metadata to an
// object that has none. It does nothing if metadata is not an object.
func SetGeneration(obj map[string]any, generation int64) {
	raw, found := obj["metadata"]
	m, ok := raw.(map[string]any)
	switch {
	case ok && m != nil:
		setGeneration(m, generation)
	case !found && generation != 0:
		obj["metadata"] = map[string]any{"generation": generation}
	}
}

// NamespaceOf returns the namespace of an object: that of the request, else the
// one that the object names, else "default", and "" if objects have none. It
// reports false if the object names another one.
func NamespaceOf(namespaced bool, request, own string) (string, bool) {
	if !namespaced {
		return "", true
	}
	namespace := cmp.Or(request, own, "default")
	return namespace, own == "" || own == namespace
}

// EnterNamespace sets the namespace of obj to that of [NamespaceOf]. If the object
// names another one, EnterNamespace returns an error, which kube-apiserver returns
// as a bad request.
func EnterNamespace(obj map[string]any, namespaced bool, request string) error {
	u := unstructured.Unstructured{Object: obj}
	own := u.GetNamespace()
	namespace, ok := NamespaceOf(namespaced, request, own)
	if !ok {
		return errors.New("the namespace of the provided object does not match the namespace sent on the request")
	}
	if own != namespace {
		u.SetNamespace(namespace)
	}
	return nil
}

const duplicateOwnersFormat = ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"

// mutatedOwnersFormat is the warning of a PATCH.
const mutatedOwnersFormat = ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"

// DropDuplicateOwners drops owner references that equal an earlier one. It
// returns the warning of the server if there are any.
func DropDuplicateOwners(obj map[string]any) []string {
	return dropDuplicateOwners(obj, duplicateOwnersFormat)
}

// DropMutatedOwners is [DropDuplicateOwners] with the warning of the server
// about owner references that it finds after mutating admission.
func DropMutatedOwners(obj map[string]any) []string {
	return dropDuplicateOwners(obj, mutatedOwnersFormat)
}

func dropDuplicateOwners(obj map[string]any, format string) []string {
	m, _ := obj["metadata"].(map[string]any)
	list, ok := m["ownerReferences"].([]any)
	if !ok || !sharedUID(list) {
		return nil
	}
	u := unstructured.Unstructured{Object: obj}
	kept, _, dropped := distinctOwners(u.GetOwnerReferences())
	if len(dropped) == 0 {
		return nil
	}
	u.SetOwnerReferences(kept)
	return ownerWarning(format, dropped)
}

// UniqueOwners returns the owner references that do not equal an earlier one,
// the index that each had, and the warning of the server if there are
// duplicates.
func UniqueOwners(refs []metav1.OwnerReference) (kept []metav1.OwnerReference, was []int, warnings []string) {
	kept, was, dropped := distinctOwners(refs)
	return kept, was, ownerWarning(duplicateOwnersFormat, dropped)
}

// ownerWarning returns the warning about the owners that were dropped, nil if none was.
func ownerWarning(format string, dropped []string) []string {
	if len(dropped) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(format, strings.Join(dropped, ", "))}
}

// distinctOwners returns the owner references that do not equal an earlier one, the
// index that each had, and the uids of the others.
func distinctOwners(refs []metav1.OwnerReference) (kept []metav1.OwnerReference, was []int, dropped []string) {
	seen := make(map[ownerKey]bool, len(refs))
	for i, ref := range refs {
		key := keyOf(ref)
		if seen[key] {
			dropped = append(dropped, string(ref.UID))
			continue
		}
		seen[key] = true
		kept, was = append(kept, ref), append(was, i)
	}
	return kept, was, dropped
}

// sharedUID reports whether two owner references may have the same uid.
func sharedUID(list []any) bool {
	const few = 16
	if len(list) > few {
		return true
	}
	for i, e := range list {
		m, _ := e.(map[string]any)
		for _, other := range list[:i] {
			n, _ := other.(map[string]any)
			if text(m, "uid") == text(n, "uid") {
				return true
			}
		}
	}
	return false
}

// An ownerKey is an owner reference whose pointers are replaced by their values. Two
// owner references are equal if their keys are equal.
type ownerKey struct {
	apiVersion, kind, name    string
	uid                       types.UID
	controller, blockDeletion optionalBool
}

// An optionalBool is the value of a *bool.
type optionalBool struct{ set, value bool }

func keyOf(ref metav1.OwnerReference) ownerKey {
	return ownerKey{
		ref.APIVersion, ref.Kind, ref.Name, ref.UID,
		optional(ref.Controller), optional(ref.BlockOwnerDeletion),
	}
}

func optional(b *bool) optionalBool {
	if b == nil {
		return optionalBool{}
	}
	return optionalBool{set: true, value: *b}
}
