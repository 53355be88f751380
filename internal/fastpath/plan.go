package fastpath

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// newestMinor is the minor version of Kubernetes that is followed by default.
const newestMinor = 37

// A Plan is what is done to objects of one schema. It never changes and is
// safe for concurrent use.
type Plan struct {
	root            *node
	keep            *node
	needed          *needed
	neededForUpdate *needed
	cfg             Config
	apiVersion      string // as JSON
	kind            string
	metadata        int // index of the member of root
	seed            maphash.Seed
	walks           sync.Pool // of *walk
	checksMetadata  bool
	values          sync.Pool // of *Values
	mapWalks        sync.Pool // of *mapWalk

	replicas bool // the number of replicas is checked

	dropsStatus bool
	statusNode  *node           // of a status that is not dropped
	oddStatus   bool            // of which package validation has to judge
	status      *leafcheck.Node // for status, nil if it is not declared
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
	// Reads says what the rules of a schema look at, as long as none is broken, of
	// the value that they are on. If it is nil, they look at everything.
	Reads func(*schema.Node) *Reads
	// OnlyStatus drops everything but status and what all objects have, and
	// holds nothing but status against the schema, as is done to new statuses.
	OnlyStatus bool
	// Minor is the minor version of Kubernetes whose formats count, 0 for the
	// newest.
	Minor int
}

// A Request is what differs from one call to the next.
type Request struct {
	// Report makes the call return the paths of undeclared fields.
	Report bool
	// Metadata does to the metadata of the object what is to be done to it,
	// and returns what it is then. It may change its argument. It returns
	// false if the object is for the plain path.
	Metadata func(map[string]any) (map[string]any, bool)
	// Create makes plain metadata that of a new object without asking Metadata,
	// unless the schema says anything of it. See [objectmeta.FastMeta].
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
	// Forgive says what may be wrong with the object, nil for nothing.
	Forgive *Forgiving
}

// Compile returns the plan for objects of schema n, nil if there is none. A nil
// n declares nothing.
func Compile(n *schema.Node, cfg Config) *Plan {
	c := newCompiler(cmp.Or(cfg.Minor, newestMinor))
	root := &node{}
	switch {
	case n == nil:
		root = unchecked(dropOthers)
		root.members = &members{max: -1}
	case n.Facts().Has(schema.HasJunctors) && revealing(n):
		return nil
	default:
		*root = *c.compile(n, n.PreserveUnknownFields())
	}
	if cfg.OnlyStatus {
		if n == nil || root.others != dropOthers {
			return nil
		}
		root.odd, root.whole, root.members = false, false, c.onlyStatus(n)
	}
	if root.odd || root.embedded || root.others == walkOthers || root.others == refuseOthers || !c.resource(root, n, cfg) {
		return nil
	}
	counted, replicas := root, false
	if len(cfg.Replicas) > 0 && n != nil {
		if counted, replicas = root.counting(cfg.Replicas); replicas {
			root = counted
		}
	}
	p := &Plan{replicas: replicas, root: root, keep: c.keep, cfg: cfg, needed: compileNeeded(n, false, cfg.Reads), neededForUpdate: compileNeeded(n, true, nil), seed: maphash.MakeSeed(), dropsStatus: cfg.DropStatus}
	if n != nil {
		status := n.Property("status")
		p.status = c.checks.Node(status)
		p.statusNode = c.keep
		if status != nil {
			p.statusNode = c.node(status, false)
		}
		p.oddStatus = status != nil && status.Facts().Has(schema.HasEmbedded) || p.status.ListsOverlap()
	}
	metadata, _ := root.members.at("metadata")
	p.metadata = metadata
	p.checksMetadata = root.whole || !root.members.list[p.metadata].node.check.AdmitsObjects()
	p.apiVersion, p.kind = quote(cfg.APIVersion), quote(cfg.Kind)
	return p
}

func quote(s string) string {
	text, _ := jsonscan.AppendString(nil, s)
	return string(text)
}

// revealing reports whether a property bears a name at which validation
// reports errors of branches that do not matter otherwise.
func revealing(n *schema.Node) bool {
	if n == nil {
		return false
	}
	for name := range n.Properties() {
		if name == "" || strings.HasPrefix(name, "IMPORTANT!") {
			return true
		}
	}
	status := n.Property("status")
	return status != nil && status != n && revealing(status)
}

// resource makes root the node of whole objects. It reports false if the
// schema says of the fields that all objects have what the plan does not do.
func (c *compiler) resource(root *node, n *schema.Node, cfg Config) bool {
	old := root.members
	m := &members{min: old.min, max: old.max}
	m.list = slices.Clone(old.list)
	m.role("apiVersion", apiVersionRole, c.keep)
	m.role("kind", kindRole, c.keep)
	m.role("metadata", metadataRole, c.keep)
	if cfg.DropStatus {
		if n != nil && slices.Contains(n.Limits().Required, "status") {
			return false // it goes, even if it has a default
		}
		c.dropStatus(m, n, root.others == keepOthers)
	}
	slices.SortFunc(m.list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	m.finish(nil)
	for i := range m.list {
		p := &m.list[i]
		if j, declared := old.at(p.name); declared && old.required.has(j) {
			m.required.add(i)
		}
		if !c.fitsRole(p, cfg) {
			return false
		}
	}
	m.arrange()
	root.members = m
	return true
}

// onlyStatus returns the members of a root of which nothing counts but status.
func (c *compiler) onlyStatus(n *schema.Node) *members {
	m := &members{max: -1}
	for name, p := range n.Properties() {
		c.loose = name != "status"
		m.add(name, c.node(p, false))
		c.loose = false
		if name != "status" {
			m.list[len(m.list)-1].role = droppedRole
		}
	}
	m.finish(nil)
	return m
}

// dropStatus makes status a member to be dropped, unless it is one anyway.
func (c *compiler) dropStatus(m *members, n *schema.Node, preserve bool) {
	var status *schema.Node
	if n != nil {
		status = n.Property("status")
	}
	if status == nil && !preserve {
		return
	}
	i := m.role("status", droppedRole, c.keep)
	if status != nil {
		c.loose = true
		m.list[i].node = c.node(status, false)
		c.loose = false
	}
}

// role gives a member its role, adds it if it is not declared, and returns its
// place in the list.
func (m *members) role(name string, r role, keep *node) int {
	i := m.find(name)
	if i < 0 {
		i = len(m.list)
		m.add(name, keep)
	}
	m.list[i].role = r
	return i
}

func (c *compiler) fitsRole(p *member, cfg Config) bool {
	switch p.role {
	case apiVersionRole:
		return p.node.check.Valid(cfg.APIVersion)
	case kindRole:
		return p.node.check.Valid(cfg.Kind)
	case metadataRole:
		return !p.node.busy(make(map[*node]bool))
	}
	return !isNamedLikeType(p.name)
}

// busy reports whether n can change a value that has no nulls other than by
// pruning.
func (n *node) busy(seen map[*node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	if n.odd || n.embedded || n.fill != nil || n.items.busy(seen) || n.rest.busy(seen) {
		return true
	}
	return slices.ContainsFunc(n.members.list, func(p member) bool { return p.node.busy(seen) })
}
