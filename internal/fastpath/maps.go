package fastpath

import (
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// The walk over maps changes the object and notes how to undo each change. If it
// declines, it undoes them in reverse order, so that the engines get the object
// as it was.
//
// In a map, the walk looks up required and defaulted members first. If the map
// has other members, the walk looks up the other declared members if they are
// few, and else ranges over the map.

// A mapWalk is the state of one call.
type mapWalk struct {
	plan   *Plan
	report bool
	strict bool // an undeclared field is declined
	watch  *interrupt.Watch
	edits  []edit
	finds
	verdict
}

// An edit says how to undo a change of the entry name of m, or of the element i of
// list if m is nil.
type edit struct {
	m    map[string]any
	list []any
	name string
	i    int
	old  any
	had  bool // m had the entry
}

// A MapRequest is what differs from one call of [Plan.Map] to the next.
type MapRequest struct {
	// Report makes the call return the paths of undeclared fields, each between
	// Prefix and Suffix.
	Report         bool
	Prefix, Suffix string
	// Strict declines objects with undeclared fields.
	Strict bool
	// Watch makes the walk decline when it ends.
	Watch *interrupt.Watch
}

// Map changes obj, in place, as the engines would, apart from its metadata. It
// returns the sorted paths of undeclared fields. With [Config].DropStatus it only
// prunes the status, which the caller drops later. If it declines, it reports
// false and obj is as it was.
//
// The caller checks metadata, status and the object as a whole with
// [Plan.Admits] once they are final.
func (p *Plan) Map(obj map[string]any, r MapRequest) ([]string, bool) {
	unknown, why := p.mapped(obj, r)
	return unknown, why == accepted
}

// mapped is Map, and returns the reason if the walk declines.
func (p *Plan) mapped(obj map[string]any, r MapRequest) ([]string, decline) {
	w, pooled := p.mapWalks.Get().(*mapWalk)
	if !pooled {
		w = &mapWalk{}
	}
	w.plan, w.report, w.strict, w.watch = p, r.Report, r.Strict, r.Watch
	defer w.release()
	if !w.typed(obj) || !w.members(p.root, obj) {
		w.undo()
		return nil, w.reason()
	}
	return w.texts(r.Prefix, r.Suffix, r.Watch), accepted
}

// release keeps the memory of w for another call, without references to the object.
func (w *mapWalk) release() {
	const editSize = 96 // approximately
	if cap(w.edits)*editSize > maxKept || w.finds.kept() > maxKept {
		return
	}
	clear(w.edits)
	w.finds.clear()
	p := w.plan
	*w = mapWalk{edits: w.edits[:0], finds: w.finds}
	p.mapWalks.Put(w)
}

func (w *mapWalk) undo() {
	for i := len(w.edits) - 1; i >= 0; i-- {
		switch e := &w.edits[i]; {
		case e.m == nil:
			e.list[e.i] = e.old
		case e.had:
			e.m[e.name] = e.old
		default:
			delete(e.m, e.name)
		}
	}
}

// Admits reports whether the metadata, the status and the object as a whole are
// schema valid. [Plan.Map] must have accepted the object.
func (p *Plan) Admits(obj map[string]any) bool {
	root := p.root
	if root.whole && !root.check.Valid(obj) || !root.members.list[p.metadata].node.check.Valid(obj["metadata"]) {
		return false
	}
	if !root.members.size.Allows(len(obj)) {
		return false
	}
	status, found := obj["status"]
	switch {
	case !found || !p.dropsStatus:
		return true
	case p.validatesStatus:
		return false
	}
	return p.status.Valid(status)
}

// typed reports whether obj has the apiVersion and kind of the plan, and metadata.
func (w *mapWalk) typed(obj map[string]any) bool {
	metadata, ok := obj["metadata"].(map[string]any)
	if !ok || metadata == nil || obj["apiVersion"] != w.plan.cfg.APIVersion || obj["kind"] != w.plan.cfg.Kind {
		return w.not(otherHead)
	}
	return true
}

func (w *mapWalk) set(m map[string]any, name string, v any) {
	old, had := m[name]
	w.edits = append(w.edits, edit{m: m, name: name, old: old, had: had})
	m[name] = v
}

func (w *mapWalk) remove(m map[string]any, name string, old any) {
	w.edits = append(w.edits, edit{m: m, name: name, old: old, had: true})
	delete(m, name)
}

// walkValue handles a value that stays.
func (w *mapWalk) walkValue(n *node, v any) bool {
	if n.decline != accepted {
		return w.not(n.decline)
	}
	if w.watch.Ended() {
		return w.not(interrupted)
	}
	if n.opaque {
		return n.check.Valid(v) || w.not(wrongScalar)
	}
	switch t := v.(type) { // Valid takes v, because to make another interface costs a copy.
	case string:
		return n.accept&leafcheck.String != 0 && (n.free&leafcheck.String != 0 || n.check.Valid(v)) || w.notScalar(n, leafcheck.String)
	case map[string]any:
		return w.object(n, t)
	case []any:
		return w.list(n, t) && (n.wholeValid(v) || w.not(wrongWhole))
	case int64:
		return n.accept&leafcheck.Int != 0 && (n.free&leafcheck.Int != 0 || n.check.Valid(v)) || w.notScalar(n, leafcheck.Int)
	case bool:
		return n.accept&leafcheck.Bool != 0 && (n.free&leafcheck.Bool != 0 || n.check.Valid(v)) || w.notScalar(n, leafcheck.Bool)
	case nil:
		return n.accept&leafcheck.Null != 0 && (n.free&leafcheck.Null != 0 || n.check.Valid(v)) || w.notScalar(n, leafcheck.Null)
	case float64:
		return n.accept&leafcheck.Float != 0 && n.check.Valid(v) || w.not(wrongScalar)
	}
	return w.not(wrongType)
}

// notScalar notes why a scalar of one kind is declined, and returns false.
func (w *mapWalk) notScalar(n *node, kind leafcheck.Mask) bool {
	if n.accept&kind == 0 {
		return w.not(wrongType)
	}
	return w.not(wrongScalar)
}

// wholeValid reports whether v, whose parts are complete and valid, is valid as a
// whole.
func (n *node) wholeValid(v any) bool { return !n.whole || n.check.ValidWhole(v) }

func (w *mapWalk) list(n *node, list []any) bool {
	if n.accept&leafcheck.Array == 0 || list == nil {
		return w.not(wrongType)
	}
	if n.items != w.plan.keep {
		for i, v := range list {
			if !w.element(n.items, list, i, v) {
				return false
			}
		}
	}
	switch r := n.list; {
	case r == nil || r.check.Valid(list):
		return true
	case !r.check.Allows(len(list)):
		return w.not(wrongCount)
	}
	return w.not(equalElements)
}

func (w *mapWalk) element(n *node, list []any, i int, v any) bool {
	if v == nil && n.nullFill {
		if n.fill.decline != accepted {
			return w.not(n.fill.decline)
		}
		w.edits = append(w.edits, edit{list: list, i: i})
		list[i] = n.fill.template.Copy()
		return true
	}
	unknown := len(w.notes)
	if !w.walkValue(n, v) {
		return false
	}
	w.throughElement(unknown, i)
	return true
}

func (w *mapWalk) object(n *node, m map[string]any) bool {
	switch {
	case n.accept&leafcheck.Object == 0 || m == nil:
		return w.not(wrongType)
	case !w.members(n, m):
		return false
	case !n.members.size.Allows(len(m)):
		return w.not(wrongCount)
	case n.embedded && !objectmeta.FastValidResource(m):
		return w.not(wrongResource)
	}
	return n.wholeValid(m) || w.not(wrongWhole)
}

// members handles the members of an object.
func (w *mapWalk) members(n *node, m map[string]any) bool {
	d := n.members
	if len(d.list) == 0 && n.others == keepOthers {
		return true
	}
	left := len(m) // members that were not found
	for _, i := range d.order[:d.musts] {
		p := &d.list[i]
		v, found := m[p.name]
		if !found {
			if !w.absent(d, p, int(i), m) {
				return false
			}
			continue
		}
		left--
		if !w.member(p, m, v) {
			return false
		}
	}
	if left == 0 {
		return true
	}
	if !n.dense(len(m)) {
		return w.scan(n, m)
	}
	for _, i := range d.order[d.musts:] {
		p := &d.list[i]
		v, found := m[p.name]
		if !found {
			continue
		}
		left--
		if !w.member(p, m, v) {
			return false
		}
		if left == 0 {
			return true
		}
	}
	if left == 0 || n.others == keepOthers && n.restIsKept(w) {
		return true
	}
	return w.sweep(n, m, left)
}

// restIsKept reports whether undeclared members stay as they are.
func (n *node) restIsKept(w *mapWalk) bool { return n.rest == nil || n.rest == w.plan.keep }

// dense reports whether to look up the members that are not musts in a map of
// that many entries is faster than to range over it. Both have the same result.
// BenchmarkProbeAndScan of package pruning measures the two ways.
func (n *node) dense(entries int) bool {
	others := len(n.members.list) - n.members.musts
	if entries > 8 {
		return others <= 2*entries
	}
	return others <= 8+entries/2
}

// absent handles a required or defaulted member that m does not have.
func (w *mapWalk) absent(d *members, p *member, i int, m map[string]any) bool {
	switch {
	case d.required.has(i):
		return w.not(missingMember)
	case p.role != noRole:
		return true
	case p.node.fill.decline != accepted:
		return w.not(p.node.fill.decline)
	}
	w.edits = append(w.edits, edit{m: m, name: p.name})
	m[p.name] = p.node.fill.template.Copy()
	return true
}

// scan ranges over m for members that are not musts.
func (w *mapWalk) scan(n *node, m map[string]any) bool {
	for name, v := range m {
		i, declared := n.members.at(name)
		if !declared {
			if !w.other(n, m, name, v) {
				return false
			}
			continue
		}
		if p := &n.members.list[i]; !p.must && !w.member(p, m, v) {
			return false
		}
	}
	return true
}

// sweep handles the undeclared members of m, of which there are left.
func (w *mapWalk) sweep(n *node, m map[string]any, left int) bool {
	for name, v := range m {
		if _, declared := n.members.at(name); declared {
			continue
		}
		if !w.other(n, m, name, v) {
			return false
		}
		if left--; left == 0 {
			break
		}
	}
	return true
}

// other handles an undeclared member.
func (w *mapWalk) other(n *node, m map[string]any, name string, v any) bool {
	switch n.others {
	case keepOthers:
		return true
	case refuseOthers:
		return w.not(closedObject)
	case dropOthers:
		if w.strict {
			return w.not(undeclaredField)
		}
		if w.watch.Ended() {
			return w.not(interrupted)
		}
		if w.report {
			w.found(name)
		}
		w.remove(m, name, v)
		return true
	}
	return w.entry(n.rest, m, name, v)
}

// member handles a declared member that m has.
func (w *mapWalk) member(p *member, m map[string]any, v any) bool {
	if s, ok := v.(string); ok && p.role == noRole && p.node.onlyText {
		return p.node.free&leafcheck.String != 0 || p.node.check.Text.Valid(s) || w.not(wrongScalar)
	}
	switch p.role {
	case noRole:
		if v == nil && p.must && !p.node.nullFill && p.node.nullDrop {
			return w.not(missingMember)
		}
		return w.entry(p.node, m, p.name, v)
	case droppedRole:
		return v == nil || w.below(p.node, p.name, v)
	}
	return true
}

// entry handles a member, declared or not.
func (w *mapWalk) entry(n *node, m map[string]any, name string, v any) bool {
	if v == nil {
		switch {
		case n.nullFill:
			if n.fill.decline != accepted {
				return w.not(n.fill.decline)
			}
			w.set(m, name, n.fill.template.Copy())
			return true
		case n.nullDrop:
			w.remove(m, name, nil)
			return true
		}
	}
	return w.below(n, name, v)
}

func (w *mapWalk) below(n *node, name string, v any) bool {
	unknown := len(w.notes)
	if !w.walkValue(n, v) {
		return false
	}
	w.throughField(unknown, name)
	return true
}
