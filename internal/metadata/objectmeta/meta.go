package objectmeta

import "sync"

// A Meta is the metadata of an object. It is read from a map or from text, prepared, checked, and
// written back. The zero Meta has no metadata, like a Meta after [Meta.Reset]. A Meta belongs to
// one goroutine.
//
// Times are in the form that ObjectMeta writes. If a Meta was read from text, annotation values and
// field sets are JSON text, and strings may be parts of the input.
type Meta struct {
	Name, GenerateName, Namespace, ResourceVersion, UID string

	Generation int64

	selfLink, created, deleted string // "" if absent
	gracePeriod                optional[int64]
	labels, annotations        []pair
	finalizers                 []string
	owners                     []owner
	managed                    []managedEntry

	raw     any     // metadata as read from a map, else nil
	removed members // members that Write removes, even if they cannot be decoded
	changed members // whether owner references or managed fields differ from raw
	seen    members // members that were read
	omits   bool    // a member is omitted when the metadata is written
	unusual bool    // ObjectMeta writes a member in another form, or cannot decode it
}

type pair struct{ key, value string }

// An optional is a value that may be absent.
type optional[T any] struct {
	set   bool
	value T
}

// An owner is an owner reference that can be compared with ==.
type owner struct {
	apiVersion, kind, name, uid string
	controller, blockDeletion   optional[bool]
}

type managedEntry struct {
	apiVersion, fieldsType, manager, operation, subresource, time string

	fieldsText string         // text of the field set, if read from text
	fields     any            // the field set, if read from a map
	raw        map[string]any // the entry, if read from a map
	members    int
}

// A member is a field of ObjectMeta. The constants are in the order of writing.
type member uint8

const (
	memberAnnotations member = iota
	memberCreationTimestamp
	memberDeletionGracePeriodSeconds
	memberDeletionTimestamp
	memberFinalizers
	memberGenerateName
	memberGeneration
	memberLabels
	memberManagedFields
	memberName
	memberNamespace
	memberOwnerReferences
	memberResourceVersion
	memberSelfLink
	memberUID
	memberUnknown
)

var memberNames = [memberUnknown]string{
	"annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generateName", "generation",
	"labels", "managedFields", "name", "namespace", "ownerReferences", "resourceVersion", "selfLink", "uid",
}

func memberOf(key string) member {
	for k, name := range memberNames {
		if key == name {
			return member(k)
		}
	}
	return memberUnknown
}

type members uint16

func (s *members) add(k member) bool {
	before := *s
	*s |= 1 << k
	return *s != before
}

func (s members) has(k member) bool { return s&(1<<k) != 0 }

func (k member) isTime() bool { return k == memberCreationTimestamp || k == memberDeletionTimestamp }

// text returns the field of a member that is a string or a time, nil for other members.
func (m *Meta) text(k member) *string {
	switch k {
	case memberCreationTimestamp:
		return &m.created
	case memberDeletionTimestamp:
		return &m.deleted
	case memberGenerateName:
		return &m.GenerateName
	case memberName:
		return &m.Name
	case memberNamespace:
		return &m.Namespace
	case memberResourceVersion:
		return &m.ResourceVersion
	case memberSelfLink:
		return &m.selfLink
	case memberUID:
		return &m.UID
	}
	return nil
}

// Reset removes the metadata. The memory is kept for reuse, unless it is large.
func (m *Meta) Reset() {
	const most = 10_000
	if len(m.labels)+len(m.annotations)+len(m.finalizers)+len(m.owners)+len(m.managed) > most {
		*m = Meta{}
		return
	}
	clear(m.labels)
	clear(m.annotations)
	clear(m.finalizers)
	clear(m.owners)
	clear(m.managed)
	*m = Meta{
		labels: m.labels[:0], annotations: m.annotations[:0], finalizers: m.finalizers[:0], owners: m.owners[:0], managed: m.managed[:0],
	}
}

var metas = sync.Pool{New: func() any { return new(Meta) }}

// New returns an empty Meta. [Meta.Release] makes its memory available for reuse.
func New() *Meta { return metas.Get().(*Meta) }

// Release makes the memory of m available for reuse. m must not be used afterwards.
func (m *Meta) Release() {
	m.Reset()
	metas.Put(m)
}
