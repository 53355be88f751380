package fastpath

import (
	"hash/maphash"
	"sync"

	"github.com/crdkit/crdkit/internal/fieldaccess"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// A Plan is what is done to objects of one schema. It never changes and is
// safe for concurrent use.
type Plan struct {
	root           *node
	keep           *node
	createReads    *readTree // what rules read of new objects
	updateReads    *readTree // what rules read of the objects of an update
	cfg            Config
	apiVersion     string // as JSON
	kind           string
	metadata       int // index of the member of root
	seed           maphash.Seed
	walks          sync.Pool // of *walk
	checksMetadata bool
	values         sync.Pool // of *Values
	mapWalks       sync.Pool // of *mapWalk

	replicas bool // the number of replicas is checked

	dropsStatus     bool
	statusNode      *node           // of a status that is not dropped
	validatesStatus bool            // package validation has to judge it
	status          *leafcheck.Node // for status, nil if it is not declared
}

// A Config says what objects a [Plan] is for.
type Config struct {
	APIVersion, Kind string // of the objects
	// DropStatus removes the status of objects once defaults are set, as is
	// done to new objects of a resource with the status subresource.
	DropStatus bool
	// Replicas leads to the number of replicas, if there is one. See
	// [Plan.ChecksReplicas].
	Replicas []string
	// Reads returns what the rules of a schema read of its values as long as they
	// hold. If it is nil, rules read everything.
	Reads func(*schema.Node) *fieldaccess.ReadSet
	// OnlyStatus drops everything but status and what all objects have, and
	// holds nothing but status against the schema, as is done to new statuses.
	OnlyStatus bool
	// Minor is the minor version of Kubernetes whose formats count, 0 for the
	// newest.
	Minor int
}

// A Request is what differs from one call of [Plan.JSON] to the next.
type Request struct {
	// Report makes the call return the paths of undeclared fields.
	Report bool
	// Create prepares plain metadata as that of a new object, unless the schema
	// says anything of metadata. See [objectmeta.FastMeta].
	Create bool
	// Namespaced and Namespace are what Create goes by: whether objects have a
	// namespace, and that of the request, "" for that of the object.
	Namespaced bool
	Namespace  string
	// Splice keeps the text as it is wherever it does not have to change.
	Splice bool
	// Status is the text of the status that the object shall have if the plan
	// drops the one that it comes with, "" for none. It may have white space
	// inside, but not around it.
	Status string
	// Ratchet says which wrong values the object may keep, nil for none.
	Ratchet *Ratchet
}
