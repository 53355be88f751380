package fastpath

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// A Plan handles objects of one schema. It is immutable and safe for concurrent use.
type Plan struct {
	root       *node
	keep       *node
	reads      *readTree // what rules read of new objects
	cfg        Config
	apiVersion string // as JSON
	kind       string
	metadata   int // index of metadata in root.members
	head       headText
	statusNode *node
	walks      sync.Pool // of *walk
	values     sync.Pool // of *values
}

// A Config says which objects a [Plan] is for.
type Config struct {
	APIVersion, Kind string // of the objects
	Namespaced       bool   // objects live in namespaces
	// DropStatus removes the status after defaulting, as the server does on a create if the status
	// is a subresource.
	DropStatus bool
	// Replicas and Selector are the paths of the scale subresource.
	Replicas [][]string
	Selector []string
	// Minor is the minor version of Kubernetes whose formats apply, 0 for the newest.
	Minor int

	// Evaluate evaluates the rules and returns their cost. It returns false unless all rules are
	// true. old is nil for a new object. The objects are valid only during the call. Evaluate is
	// nil if there are no rules.
	Evaluate func(ctx context.Context, obj, old map[string]any) (cost uint64, ok bool)
	// NeedsOld means that rules read the object that an update replaces.
	NeedsOld bool
	// Reads returns which parts of a new value the rules of a schema read. A nil function means all
	// parts.
	Reads func(*schema.Node) *fieldaccess.ReadSet
}

// A Request holds the options of one request.
type Request struct {
	Context context.Context
	// Namespace is the namespace of the request, "" for the namespace of the object.
	Namespace string
	// Unknown says what happens to fields that the schema does not declare.
	Unknown Unknown
	// SameVersion declines an update if the objects have different resource versions.
	SameVersion bool
	// The object to store is appended to Buffer.
	Buffer []byte
}

// A Result is the answer to a request that the server admits.
type Result struct {
	// Object is the object to store, encoded like the server does.
	Object []byte
	// Warnings are first about undeclared fields, in the order of their paths, then about
	// finalizers.
	Warnings []string
	Cost     uint64
}

// Compile returns the plan for objects of n. It returns nil if all requests would be declined. If n
// is nil, no fields are declared.
func Compile(n *schema.Node, cfg Config) *Plan {
	c := newCompiler(cmp.Or(cfg.Minor, int(kubeversion.Newest)))
	c.reads = cfg.Reads
	root := c.root(n)
	if root == nil || !c.assignRoles(root, n, cfg) || !admitsRoles(root, cfg) {
		return nil
	}
	p := &Plan{
		cfg: cfg, root: root, keep: c.keep, statusNode: c.keep,
		apiVersion: quote(cfg.APIVersion), kind: quote(cfg.Kind), reads: compileReads(n, cfg.Reads),
	}
	p.metadata, _ = root.members.at("metadata")
	p.head = newHead(root.members.list, p.apiVersion, p.kind)
	if status := n.Property("status"); status != nil {
		p.statusNode = c.compileNode(status, false)
	}
	return p
}

// root returns the node of whole objects. It returns nil if the fast path cannot handle them.
func (c *compiler) root(n *schema.Node) *node {
	if n == nil {
		return unchecked(dropOthers)
	}
	if n.Facts().Has(schema.HasJunctors) && (c.checks.Node(n).ReportsFromAllBranches() || c.checks.Node(n.Property("status")).ReportsFromAllBranches()) {
		return nil
	}
	root := c.compile(n, n.PreserveUnknownFields())
	for _, name := range resourceMembers {
		if n.Property(name).Facts().Has(schema.HasRules) {
			root.hasRules = true
		}
	}
	if root.declined || root.whole || root.others == walkOthers || root.others == refuseOthers {
		return nil
	}
	return root
}

// assignRoles sets the roles of kind, apiVersion, metadata and a dropped status. It returns false
// if a dropped status is required.
func (c *compiler) assignRoles(root *node, n *schema.Node, cfg Config) bool {
	old := root.members
	m := &members{}
	m.size, m.list = old.size, slices.Clone(old.list)
	m.role("apiVersion", apiVersionRole, c.keep)
	m.role("kind", kindRole, c.keep)
	m.role("metadata", metadataRole, c.keep)
	if cfg.DropStatus {
		if slices.Contains(n.Limits().Required, "status") {
			return false // the status is dropped even if it has a default
		}
		if n.Property("status") != nil || root.others == keepOthers {
			m.list[m.role("status", droppedRole, c.keep)].node = c.keep
		}
	}
	m.sort()
	m.finish(nil)
	for i, p := range m.list {
		if j, declared := old.at(p.name); declared && old.required.has(j) {
			m.required.add(i)
		}
	}
	m.setFirst()
	root.members = m
	return true
}

// role sets the role of a member and returns its index. It adds the member if it is undeclared.
func (m *members) role(name string, r role, keep *node) int {
	i := m.find(name)
	if i < 0 {
		i = len(m.list)
		m.add(name, keep)
	}
	m.list[i].role = r
	return i
}

// admitsRoles reports whether the schema accepts kind, apiVersion and any metadata unchanged, and
// declares no other name that the server could take for kind or apiVersion.
func admitsRoles(root *node, cfg Config) bool {
	for _, p := range root.members.list {
		ok := true
		switch p.role {
		case apiVersionRole:
			ok = p.node.check.Valid(cfg.APIVersion)
		case kindRole:
			ok = p.node.check.Valid(cfg.Kind)
		case metadataRole:
			ok = p.node.check.AdmitsObjects() && !p.node.changes(make(map[*node]bool))
		default:
			ok = !isNamedLikeType(p.name)
		}
		if !ok {
			return false
		}
	}
	return true
}

// changes reports whether values of n may be declined or get a default. seen are the nodes that are
// already visited.
func (n *node) changes(seen map[*node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	if n.declined || n.fill != nil || n.items.changes(seen) || n.rest.changes(seen) {
		return true
	}
	return slices.ContainsFunc(n.members.list, func(p member) bool { return p.node.changes(seen) })
}

func quote(s string) string {
	text, _ := jsonscan.AppendString(nil, s)
	return string(text)
}
