package fastpath

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// A builder builds a plan in steps.
type builder struct {
	*compiler
	schema *schema.Node // nil declares nothing
	cfg    Config
	root   *node // of whole objects
	plan   *Plan
}

// steps are the steps of a builder, in order. The comments say what a step sets.
// A step that returns a reason ends the build.
var steps = [...]func(*builder) decline{
	(*builder).compileRoot,    // root
	(*builder).keepOnlyStatus, // root, if only the status counts
	(*builder).requireObject,  // nothing: it declines roots that are not plain objects
	(*builder).assignRoles,    // the members of root: kind, apiVersion, metadata and a dropped status
	(*builder).checkRoles,     // nothing: it declines schemas that restrict those members
	(*builder).compileHead,    // the other fields of the plan
}

// Compile returns the plan for objects of schema n, nil if the fast path
// declines all of them. A nil n declares nothing.
func Compile(n *schema.Node, cfg Config) *Plan {
	p, _ := build(n, cfg)
	return p
}

// build is Compile, and returns the reason if there is no plan.
func build(n *schema.Node, cfg Config) (*Plan, decline) {
	c := newCompiler(cmp.Or(cfg.Minor, int(kubeversion.Newest)))
	c.reads = cfg.Reads
	b := &builder{
		compiler: c, schema: n, cfg: cfg,
		plan: &Plan{cfg: cfg, keep: c.keep, seed: maphash.MakeSeed()},
	}
	for _, step := range steps {
		if why := step(b); why != accepted {
			return nil, why
		}
	}
	return b.plan, accepted
}

func (b *builder) compileRoot() decline {
	n := b.schema
	if n == nil {
		b.root = unchecked(dropOthers)
		return accepted
	}
	if n.Facts().Has(schema.HasJunctors) && (b.checks.Node(n).ReportsFromAllBranches() || b.checks.Node(n.Property("status")).ReportsFromAllBranches()) {
		return rootNames
	}
	b.root = b.compile(n, n.PreserveUnknownFields())
	for _, name := range resourceMembers {
		if p := n.Property(name); p != nil && p.Facts().Has(schema.HasRules) {
			b.root.ruled = true
		}
	}
	return accepted
}

func (b *builder) keepOnlyStatus() decline {
	if !b.cfg.OnlyStatus {
		return accepted
	}
	if b.schema == nil || b.root.others != dropOthers {
		return keptRoot
	}
	m := newMembers()
	for name, p := range b.schema.Properties() {
		b.loose = name != "status"
		m.add(name, b.compileNode(p, false))
		b.loose = false
		if name != "status" {
			m.list[len(m.list)-1].role = droppedRole
		}
	}
	m.finish(nil)
	b.root.decline, b.root.whole, b.root.members = accepted, false, m
	return accepted
}

func (b *builder) requireObject() decline {
	switch {
	case b.root.decline != accepted:
		return b.root.decline
	case b.root.embedded:
		return rootResource
	case b.root.others == walkOthers || b.root.others == refuseOthers:
		return rootEntries
	case b.root.whole:
		return rootWhole
	}
	return accepted
}

func (b *builder) assignRoles() decline {
	old := b.root.members
	m := newMembers()
	m.size, m.list = old.size, slices.Clone(old.list)
	m.role("apiVersion", apiVersionRole, b.keep)
	m.role("kind", kindRole, b.keep)
	m.role("metadata", metadataRole, b.keep)
	if b.cfg.DropStatus {
		if b.schema != nil && slices.Contains(b.schema.Limits().Required, "status") {
			return requiredStatus // It is dropped even if it has a default.
		}
		b.dropStatus(m)
	}
	m.sort()
	m.finish(nil)
	for i, p := range m.list {
		if j, declared := old.at(p.name); declared && old.required.has(j) {
			m.required.add(i)
		}
	}
	m.setFirst()
	b.root.members = m
	return accepted
}

// dropStatus makes status a member that is dropped, unless it is undeclared and
// dropped as such.
func (b *builder) dropStatus(m *members) {
	var status *schema.Node
	if b.schema != nil {
		status = b.schema.Property("status")
	}
	if status == nil && b.root.others != keepOthers {
		return
	}
	i := m.role("status", droppedRole, b.keep)
	if status != nil {
		b.loose = true
		m.list[i].node = b.compileNode(status, false)
		b.loose = false
	}
}

// role gives a member its role, adds it if it is not declared, and returns its
// index in the list.
func (m *members) role(name string, r role, keep *node) int {
	i := m.find(name)
	if i < 0 {
		i = len(m.list)
		m.add(name, keep)
	}
	m.list[i].role = r
	return i
}

func (b *builder) checkRoles() decline {
	for _, p := range b.root.members.list {
		switch {
		case p.role == apiVersionRole && !p.node.check.Valid(b.cfg.APIVersion), p.role == kindRole && !p.node.check.Valid(b.cfg.Kind):
			return refusedType
		case p.role == metadataRole && p.node.changes(make(map[*node]bool)):
			return changingMetadata
		case p.role == metadataRole && !p.node.check.AdmitsObjects():
			return checkedMetadata
		case (p.role == noRole || p.role == droppedRole) && isNamedLikeType(p.name):
			return declaredLikeType
		}
	}
	return accepted
}

// changes reports whether n can change a value that has no nulls other than by
// pruning. The nodes in seen do not.
func (n *node) changes(seen map[*node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	if n.decline != accepted || n.embedded || n.fill != nil || n.items.changes(seen) || n.rest.changes(seen) {
		return true
	}
	return slices.ContainsFunc(n.members.list, func(p member) bool { return p.node.changes(seen) })
}

func (b *builder) compileHead() decline {
	p, m := b.plan, b.root.members
	p.root = b.root
	p.metadata, _ = m.at("metadata")
	p.apiVersion, p.kind = quote(b.cfg.APIVersion), quote(b.cfg.Kind)
	p.head = newHead(m.list, p.apiVersion, p.kind)
	p.statusNode = b.keep
	if b.schema != nil {
		if status := b.schema.Property("status"); status != nil {
			p.statusNode = b.compileNode(status, false)
		}
	}
	p.reads = compileReads(b.schema, b.cfg.Reads)
	return accepted
}

func quote(s string) string {
	text, _ := jsonscan.AppendString(nil, s)
	return string(text)
}
