package objectmeta

import (
	"cmp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// PrepareCreate changes new metadata as kube-apiserver does before validation. It sets the
// generation to 1, and removes creationTimestamp, uid, deletionTimestamp,
// deletionGracePeriodSeconds, selfLink, and managed fields that cannot be decoded. The caller then
// enters the namespace and drops duplicate owners.
func (m *Meta) PrepareCreate() {
	m.removed = 1<<memberCreationTimestamp | 1<<memberUID | 1<<memberDeletionTimestamp | 1<<memberDeletionGracePeriodSeconds | 1<<memberSelfLink
	m.created, m.UID, m.deleted, m.selfLink = "", "", "", ""
	m.gracePeriod = optional[int64]{}
	if !m.decodesManaged() {
		m.setManaged(nil)
	}
	m.Generation = 1
}

// PrepareUpdate changes the metadata of an update as kube-apiserver does before validation.
//
//   - It drops duplicate owners, selfLink, and a single empty entry of managedFields.
//   - It copies the generation of old.
//   - It copies uid and deletionGracePeriodSeconds of old, if the new object has none.
//   - It copies creationTimestamp and deletionTimestamp of old, if old has them.
//
// It returns the warning about owners, if any. The caller increments the generation if more than
// metadata differs.
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

// PrepareStatusUpdate copies old to m, without selfLink. m keeps its own managedFields.
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

// PlaceholderName returns a name that is validated in place of a generated name. It is at most 58
// bytes of generateName and then 00000, so it has at most 63 bytes. The server never generates
// 00000.
//
// See https://kubernetes.io/docs/reference/using-api/api-concepts/#generated-values.
func PlaceholderName(generateName string) string {
	const longest, suffix = 58, "00000"
	return generateName[:min(len(generateName), longest)] + suffix
}

// EnterNamespace sets the namespace. It is the namespace of the request, else of the object, else
// "default". It is "" for a cluster-scoped object. EnterNamespace returns false if the object names
// another namespace. kube-apiserver then refuses the request.
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

// DropDuplicateOwners drops repeated owner references. It returns the server's warning, if any.
func (m *Meta) DropDuplicateOwners() []string { return m.dropDuplicateOwners("") }

// DropMutatedOwners is [Meta.DropDuplicateOwners], with the warning that the server gives after
// mutating admission.
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

// UniqueOwners returns the distinct owner references, their indexes in refs, and the server's
// warning about repetitions.
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

func ownerWarning(when string, dropped []string) []string {
	if len(dropped) == 0 {
		return nil
	}
	return []string{".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, and may reject " +
		"such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(dropped, ", ")}
}

// distinctOwners returns the indexes of the distinct owner references, and the uids of repetitions.
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
