package fastpath

import (
	"hash/maphash"
	"sync"

	"github.com/crdkit/crdkit/internal/fieldaccess"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// A Plan is what the fast path does to objects of one schema. It is immutable and
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
	head           headText
	seed           maphash.Seed
	walks          sync.Pool // of *walk
	checksMetadata bool
	readsMetadata  bool      // rules read the metadata of new objects
	readsBoth      bool      // rules read the metadata of the objects of an update
	values         sync.Pool // of *Values
	mapWalks       sync.Pool // of *mapWalk

	replicas bool // the walks check the number of replicas

	dropsStatus     bool
	statusNode      *node           // for a status that is not dropped
	validatesStatus bool            // Admits leaves the status to package validation
	status          *leafcheck.Node // nil if status is not declared
}

// RulesReadMetadata reports whether rules may read the metadata of an object that replaces
// another one. With both, it says so of rules that also read the replaced object, and of
// rules that fail.
func (p *Plan) RulesReadMetadata(both bool) bool { return p.readsMetadata || both && p.readsBoth }

// A Config says which objects a [Plan] is for.
type Config struct {
	APIVersion, Kind string // of the objects
	// DropStatus removes the status of objects after defaulting, as the server does
	// on creation if the resource has the status subresource.
	DropStatus bool
	Scale
	// Reads returns what the rules of a schema read of its values as long as they
	// hold. If it is nil, rules read everything.
	Reads func(*schema.Node) *fieldaccess.ReadSet
	// OnlyStatus drops all members but status, apiVersion, kind and metadata, and
	// validates only the status, as the server does on updates of the status.
	OnlyStatus bool
	// Minor is the minor version of Kubernetes whose formats apply, 0 for the
	// newest.
	Minor int
}

// A Request is what differs from one call of [Plan.JSON] to the next.
type Request struct {
	// Report makes the call return the paths of undeclared fields.
	Report bool
	// Create makes the walk prepare the metadata of a new object if
	// [objectmeta.FastMeta] can, unless the schema restricts metadata.
	Create bool
	// Namespaced and Namespace are for Create: whether objects have a namespace, and
	// the namespace of the request, "" for that of the object.
	Namespaced bool
	Namespace  string
	// Replaced is the text of the metadata of the object that this one replaces. Unless it
	// is empty, the walk prepares the metadata of both objects if [objectmeta.FastMeta]
	// can, and the schema does not restrict metadata. Namespaced and Namespace are for
	// this, too.
	Replaced string
	// Sent is Replaced for a walk over the object that is replaced, for an update of its
	// status: the text of the metadata that the client sends, "" for none.
	Sent string
	// SameVersion is for Replaced and Sent: both objects have the same resource version.
	SameVersion bool
	// SameMetadata is for Replaced: the walk prepares no metadata that the server changes,
	// apart from counting the generation.
	SameMetadata bool
	// LeaveMetadata makes the walk leave the metadata as it is and not look into it. See
	// [Output.MetadataText].
	LeaveMetadata bool
	// Splice keeps the spelling of the input.
	Splice bool
	// Status is the text of the status of the output if the plan drops that of the
	// input, "" for none. It must not have white space around it.
	Status string
	// Watch makes the walk decline when it ends.
	Watch *interrupt.Watch
	// NoteWrong makes the walk note wrong values and go on. See [Output.HasWrong].
	NoteWrong bool
	// NoteEqual, beside NoteWrong, makes the walk note lists of type set and map whose
	// elements are not distinct.
	NoteEqual bool
	// Ratchet says which wrong values the object may keep, nil for none. It is nil if
	// NoteWrong is set.
	Ratchet *Ratchet
}
