package fastpath

import (
	"context"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/schema"
)

// A Plan is what the fast path does to objects of one schema. It is immutable and
// safe for concurrent use.
type Plan struct {
	root       *node
	keep       *node
	reads      *readTree // what rules read of new objects
	cfg        Config
	apiVersion string // as JSON
	kind       string
	metadata   int // index of the member of root
	head       headText
	statusNode *node     // of the status
	walks      sync.Pool // of *walk
	values     sync.Pool // of *values
}

// A Config says which objects a [Plan] is for.
type Config struct {
	APIVersion, Kind string // of the objects
	Namespaced       bool   // objects live in namespaces
	// DropStatus removes the status of objects after defaulting, as the server does
	// on creation if the resource has the status subresource.
	DropStatus bool
	// Replicas and Selector are the paths to the fields of the scale subresource: numbers
	// of replicas, and a label selector.
	Replicas [][]string
	Selector []string
	// Minor is the minor version of Kubernetes whose formats apply, 0 for the newest.
	Minor int

	// Evaluate evaluates the rules. It returns their cost, and reports false unless all
	// of them hold. old is nil for a new object. The objects are good during the call
	// only. Without rules Evaluate is nil.
	Evaluate func(ctx context.Context, obj, old map[string]any) (cost uint64, ok bool)
	// NeedsOld means that rules read the object that an update replaces.
	NeedsOld bool
	// Reads returns what the rules of a schema read of new values as long as they
	// hold. If it is nil, rules read everything.
	Reads func(*schema.Node) *fieldaccess.ReadSet
}

// A Request is what differs from one request to the next.
type Request struct {
	Context context.Context
	// Namespace is the namespace of the request, "" for that of the object.
	Namespace string
	// Unknown says what happens to fields that the schema does not declare.
	Unknown Unknown
	// SameVersion declines updates whose objects have different resource versions.
	SameVersion bool
	// Buffer is what the object is appended to.
	Buffer []byte
}

// A Result is the answer to a request that the server admits.
type Result struct {
	// Object is the object to store, as the server encodes it.
	Object []byte
	// Warnings are those about undeclared fields, in the order of their paths, and then
	// those about finalizers.
	Warnings []string
	// Cost is what the rules have spent, in CEL cost units.
	Cost uint64
}
