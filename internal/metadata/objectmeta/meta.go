package objectmeta

import "sync"

// A Meta is the metadata of an object: read from a map or from text, prepared, checked, and
// written back. The zero Meta is none. [Meta.Reset] makes it new. It belongs to one
// goroutine.
//
// Times are as ObjectMeta writes them. Read from text, annotation values and field sets
// remain text, and strings may be parts of it.
type Meta struct {
	Name, GenerateName, Namespace, ResourceVersion, UID string

	Generation int64

	selfLink, created, deleted string // "" for none
	gracePeriod                optional[int64]
	labels, annotations        []pair
	finalizers                 []string
	owners                     []owner
	managed                    []managedEntry

	raw     any     // the value that was read from a map, nil if there is none
	removed members // members that obj may not have, even if they cannot be decoded
	changed members // owner references or managed fields, if they are not those of raw
	seen    members // the members that were read
	omits   bool    // a member is omitted when the metadata is written
	unusual bool    // ObjectMeta writes a member in another form, or cannot decode it
}

type pair struct{ key, value string }

// An optional is the value of a pointer.
type optional[T any] struct {
	set   bool
	value T
}

// An owner is an owner reference. Two owner references are equal if their owners are.
type owner struct {
	apiVersion, kind, name, uid string
	controller, blockDeletion   optional[bool]
}

// A managedEntry is an entry of managedFields.
type managedEntry struct {
	apiVersion, fieldsType, manager, operation, subresource, time string

	fieldsText string         // if it was read from text
	fields     any            // if it was read from a map
	raw        map[string]any // the entry in the map
	members    int
}

// A member is a member of ObjectMeta, in the order in which they are written.
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

// members is a set.
type members uint16

func (s *members) add(k member) bool {
	before := *s
	*s |= 1 << k
	return *s != before
}

func (s members) has(k member) bool { return s&(1<<k) != 0 }

func (k member) isTime() bool { return k == memberCreationTimestamp || k == memberDeletionTimestamp }

// text returns the field of a member that is a string or a time, nil for another member.
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

// Reset removes the metadata. It keeps the memory, unless it is large.
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

// New returns the metadata of an object without metadata.
func New() *Meta { return metas.Get().(*Meta) }

// Release keeps the memory of m for another use. m must not be used any more.
func (m *Meta) Release() {
	m.Reset()
	metas.Put(m)
}
