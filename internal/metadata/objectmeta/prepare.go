package objectmeta

import (
	"cmp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// PrepareCreate does to the metadata of a new object what kube-apiserver does before it
// validates it, as far as the object determines it. It removes the fields that belong to
// the server (creationTimestamp, uid, deletionTimestamp, deletionGracePeriodSeconds,
// selfLink) and managed fields that the server cannot decode, and sets the generation to 1.
// The caller then enters the namespace, and drops duplicate owner references.
func (m *Meta) PrepareCreate() {
	m.removed = 1<<memberCreationTimestamp | 1<<memberUID | 1<<memberDeletionTimestamp | 1<<memberDeletionGracePeriodSeconds | 1<<memberSelfLink
	m.created, m.UID, m.deleted, m.selfLink = "", "", "", ""
	m.gracePeriod = optional[int64]{}
	if !m.decodesManaged() {
		m.setManaged(nil)
	}
	m.Generation = 1
}

// PrepareUpdate does to the metadata of an object that replaces old what kube-apiserver
// does before it validates it. It drops duplicate owner references, removes selfLink and
// managed fields of one empty entry, and sets the generation of old. It copies uid and
// deletionGracePeriodSeconds from old if there are none, and creationTimestamp and
// deletionTimestamp if old has them. It returns the warning about owner references, if any.
//
// If the object differs from old in more than its metadata, the caller sets the next
// generation.
func (m *Meta) PrepareUpdate(old *Meta) []string {
	m.selfLink, m.removed, m.Generation = "", 1<<memberSelfLink, old.Generation
	if m.resetsManaged() {
		m.setManaged(nil)
	}
	m.UID = cmp.Or(m.UID, old.UID)
	m.created, m.deleted = cmp.Or(old.created, m.created), cmp.Or(old.deleted, m.deleted)
	if !m.gracePeriod.set {
		m.gracePeriod = old.gracePeriod
	}
	return m.DropDuplicateOwners()
}

// PrepareStatusUpdate replaces the metadata with that of old, except for managedFields and
// selfLink. An update of the status changes nothing else.
func (m *Meta) PrepareStatusUpdate(old *Meta) {
	own := *m
	*m = *old
	m.labels = append(own.labels[:0], old.labels...)
	m.annotations = append(own.annotations[:0], old.annotations...)
	m.finalizers = append(own.finalizers[:0], old.finalizers...)
	m.owners = append(own.owners[:0], old.owners...)
	m.selfLink, m.raw = "", jsonval.Clone(old.raw)
	m.managed = own.managed
	m.changed.add(memberManagedFields)
}

// StandInName returns a name in place of the one that the server generates from
// generateName. Generated names end in five random characters after at most 58 of
// generateName; this one ends in 00000, which the server never generates.
//
// See https://kubernetes.io/docs/reference/using-api/api-concepts/#generated-values.
func StandInName(generateName string) string {
	const longest, suffix = 58, "00000"
	return generateName[:min(len(generateName), longest)] + suffix
}

// EnterNamespace sets the namespace to that of the request, else to the one that the
// object names, else to "default", and to "" if objects have none. It reports false if the
// object names another one, which kube-apiserver refuses.
func (m *Meta) EnterNamespace(namespaced bool, request string) bool {
	own := m.Namespace
	if !namespaced {
		m.Namespace = ""
		return true
	}
	namespace := cmp.Or(request, own, "default")
	if own != "" && own != namespace {
		return false
	}
	m.Namespace = namespace
	return true
}

// DropDuplicateOwners drops owner references that equal an earlier one. It returns the
// warning of the server if there are any.
func (m *Meta) DropDuplicateOwners() []string { return m.dropDuplicateOwners("") }

// DropMutatedOwners is [Meta.DropDuplicateOwners] with the warning of the server about
// owner references that it finds after mutating admission, as in a PATCH.
func (m *Meta) DropMutatedOwners() []string { return m.dropDuplicateOwners(afterMutation) }

const afterMutation = " after mutating admission happens"

func (m *Meta) dropDuplicateOwners(when string) []string {
	if !sharedUID(m.owners) {
		return nil
	}
	kept, dropped := distinctOwners(m.owners)
	if len(dropped) > 0 {
		list := make([]owner, len(kept))
		for to, from := range kept {
			list[to] = m.owners[from]
		}
		m.owners = list
		m.changed.add(memberOwnerReferences)
	}
	return ownerWarning(when, dropped)
}

// UniqueOwners returns the owner references that do not equal an earlier one,
// the index that each had, and the warning of the server if there are
// duplicates.
func UniqueOwners(refs []metav1.OwnerReference) (kept []metav1.OwnerReference, was []int, warnings []string) {
	was, dropped := distinctOwners(ownersOf(refs))
	for _, i := range was {
		kept = append(kept, refs[i])
	}
	return kept, was, ownerWarning("", dropped)
}

// MutatedOwnersWarning returns the warning of [Meta.DropMutatedOwners].
func MutatedOwnersWarning(refs []metav1.OwnerReference) []string {
	_, dropped := distinctOwners(ownersOf(refs))
	return ownerWarning(afterMutation, dropped)
}

func ownersOf(refs []metav1.OwnerReference) []owner {
	list := make([]owner, len(refs))
	for i, ref := range refs {
		list[i] = owner{ref.APIVersion, ref.Kind, ref.Name, string(ref.UID), optionalOf(ref.Controller), optionalOf(ref.BlockOwnerDeletion)}
	}
	return list
}

func optionalOf[T any](v *T) optional[T] {
	if v == nil {
		return optional[T]{}
	}
	return optional[T]{set: true, value: *v}
}

// ownerWarning returns the warning about the owners that were dropped, nil if none was.
func ownerWarning(when string, dropped []string) []string {
	if len(dropped) == 0 {
		return nil
	}
	return []string{".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, and may reject " +
		"such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(dropped, ", ")}
}

// distinctOwners returns the indexes of the owner references that do not equal an earlier
// one, and the uids of the others.
func distinctOwners(list []owner) (kept []int, dropped []string) {
	seen := make(map[owner]bool, len(list))
	for i, o := range list {
		if seen[o] {
			dropped = append(dropped, o.uid)
			continue
		}
		seen[o] = true
		kept = append(kept, i)
	}
	return kept, dropped
}

// sharedUID reports whether two owner references may have the same uid.
func sharedUID(list []owner) bool {
	const few = 16
	if len(list) > few {
		return true
	}
	for i := range list {
		for j := range i {
			if list[i].uid == list[j].uid {
				return true
			}
		}
	}
	return false
}
