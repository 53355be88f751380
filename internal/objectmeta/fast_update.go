package objectmeta

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/objectname"
)

// Read reads the metadata at s[i] of an object that replaces another one or is replaced. It
// returns the index after the metadata, or a negative number if it declines, as
// [FastMeta.ReadCreate] does. p must be new or reset.
func (p *FastMeta) Read(s string, i int) int { return readObject(s, i, p.member) }

// Replace makes p the metadata of an object that replaces one with the metadata old, as the
// server prepares it, apart from the generation. It reports false if it declines: p or old
// may not be valid by all rules for updates, or the server may refuse the update or warn of
// more than finalizers. It sets the namespaces of both, to that of the request; "" means the
// namespace of the old object or else of the new one.
func (p *FastMeta) Replace(old *FastMeta, namespaced bool, namespace string) bool {
	if old.thin || p.server.selfLink != "" || old.server.selfLink != "" || p.name == "" || p.name != old.name || strings.Contains(p.name, "\\") || !objectname.IsPathName(p.name) || !objectname.IsPathPrefix(p.prefix) ||
		!p.enter(namespaced, cmp.Or(namespace, old.namespace)) {
		return false
	}
	old.namespace = cmp.Or(old.namespace, p.namespace)
	p.resourceVersion = cmp.Or(p.resourceVersion, old.resourceVersion)
	if len(p.managedFields) == 0 {
		p.managedFields = append(p.managedFields, old.managedFields...)
	}
	if p.namespace != old.namespace || old.resourceVersion != "" && p.resourceVersion != old.resourceVersion {
		return false
	}
	m, before := &p.server, &old.server
	m.uid = cmp.Or(m.uid, before.uid)
	m.gracePeriod = cmp.Or(m.gracePeriod, before.gracePeriod)
	m.created = cmp.Or(before.created, m.created)
	m.deleted = cmp.Or(before.deleted, m.deleted)
	return m.uid == before.uid && m.gracePeriod == before.gracePeriod && m.created == before.created && m.deleted == before.deleted &&
		(m.deleted == "" || slices.Equal(p.finalizers, old.finalizers))
}

// Stays reports whether [FastMeta.Replace] certainly changes nothing in p, and the server
// nothing but the generation.
func (p *FastMeta) Stays(old *FastMeta, namespaced bool) bool {
	return !p.thin && p.server == old.server && p.resourceVersion == old.resourceVersion &&
		(len(p.managedFields) > 0 || len(old.managedFields) == 0) &&
		p.namespace == old.namespace && (p.namespace != "" || !namespaced)
}

// HasVersionOf reports whether both have the same resource version.
func (p *FastMeta) HasVersionOf(old *FastMeta) bool { return p.resourceVersion == old.resourceVersion }

// Name returns the name of valid metadata, which is a part of the text.
func (p *FastMeta) Name() string { return p.name }

// Generation returns the generation that was read, 0 if there is none.
func (p *FastMeta) Generation() int64 {
	n, _ := strconv.ParseInt(p.server.generation, 10, 64) // of at most 18 digits
	return n
}
