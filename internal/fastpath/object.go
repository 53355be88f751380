package fastpath

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// An objectWalk is the state of an open object.
type objectWalk struct {
	node *node
	base int    // index in walk.entries of the first member
	set  uint64 // which of the first 64 declared members were read
	seen int    // index in walk.seen of the sets of the other members
	kept int    // number of members in the output
	next int    // the declared member that probably comes next

	sorted bool   // the members came in increasing order of name
	last   int    // index of the last member, or undeclared
	prev   string // name of the last member if it is undeclared

	start int // index in walk.out where the object begins
}

func (w *walk) object(n *node, i int, keys []int) int {
	if !w.enter(n, leafcheck.Object) {
		return refused
	}
	w.hasRules = w.hasRules || n.hasRules
	o := objectWalk{node: n, start: w.position(), base: len(w.entries), seen: len(w.seen), last: undeclared, sorted: true}
	for rest := len(n.members.list); rest > setSize; rest -= setSize {
		w.seen = append(w.seen, 0)
	}
	w.keep(i, i+1)
	end := w.members(&o, i+1)
	if end < 0 || !w.complete(&o) {
		return refused
	}
	w.keep(end-1, end)
	if n.whole && !w.wholeValid(n, o.start) {
		return refused
	}
	for _, k := range keys {
		w.keys = append(w.keys, w.textOf(&o, k))
	}
	if n == w.plan.root {
		w.roots = w.entries[o.base:] // no entries are added after this
	}
	w.entries, w.seen = w.entries[:o.base], w.seen[:o.seen]
	w.depth--
	return end
}

func (w *walk) enter(n *node, kind leafcheck.Mask) bool {
	if n.declined || n.accept&kind == 0 || w.depth >= jsonscan.MaxDepth {
		return false
	}
	w.depth++
	return true
}

func (w *walk) members(o *objectWalk, i int) int {
	i = jsonscan.Space(w.s, i)
	if i < len(w.s) && w.s[i] == '}' {
		return i + 1
	}
	more := true
	if o.node == w.plan.root {
		i, more = w.head(o, i)
	}
	for more {
		n, end := o.node.members.guess(w.s, i, o.next), 0
		if n >= 0 {
			o.next = n + 1
			end = w.guessedMember(o, n, i)
		} else {
			end = w.otherMember(o, i)
		}
		if end < 0 {
			return refused
		}
		if end+1 < len(w.s) && w.s[end] == ',' && w.s[end+1] > ' ' {
			i = end + 1 // like jsonscan.Next, but without a call
			continue
		}
		i, more = jsonscan.Next(w.s, end, '}')
	}
	return i
}

// checkOrder clears o.sorted if the next member is out of order.
func (o *objectWalk) checkOrder(name string, index int) {
	if index >= 0 && o.last >= 0 {
		o.sorted = o.sorted && index > o.last
	} else {
		o.sorted = o.sorted && name > o.lastName()
	}
}

func (o *objectWalk) lastName() string {
	if o.last >= 0 {
		return o.node.members.list[o.last].name
	}
	return o.prev
}

func (o *objectWalk) setLast(name string, index int) {
	if o.last = index; index < 0 {
		o.prev = name
	}
}

// member handles a member that begins at s[i] and whose value begins at s[at].
func (w *walk) member(o *objectWalk, k memberKey, i, at int) int {
	n, child := o.node, o.node.rest
	if len(w.entries) > o.base {
		o.checkOrder(k.name, k.member)
	}
	o.setLast(k.name, k.member)
	if k.member >= 0 {
		if !w.markSeen(o, k.member) {
			return refused
		}
		m := &n.members.list[k.member]
		child = m.node
		if m.role != noRole {
			return w.special(o, m.role, k, i, at)
		}
	} else {
		if n == w.plan.root && isNamedLikeType(k.name) {
			return refused
		}
		switch n.others {
		case refuseOthers:
			return refused
		case dropOthers:
			return w.drop(o, k, i, at)
		case keepOthers:
			child = w.plan.keep
		}
	}
	if w.s[at] == 'n' && child.nullDrop {
		if k.member >= 0 && n.members.required.has(k.member) {
			return refused
		}
		return w.remove(o, k, i, jsonscan.Literal(w.s, at, "null"))
	}
	w.begin(o, i)
	w.name(n, k, i, at)
	w.steps = append(w.steps, step{k.name, -1})
	start, end := w.position(), w.valueOrDefault(child, at)
	if end < 0 {
		return refused
	}
	w.steps = w.steps[:len(w.steps)-1]
	w.noteKept(o, k, i, start)
	return end
}

func (w *walk) drop(o *objectWalk, k memberKey, i, at int) int {
	switch w.request.Unknown {
	case RefuseUnknown:
		return refused
	case DropUnknown:
		return w.remove(o, k, i, jsonscan.Skip(w.s, at))
	}
	w.unknownField(k.name)
	end := jsonscan.SkipSorted(w.s, at)
	if end < 0 {
		end = w.discard(w.plan.keep, at) // discard declines repeated keys
	}
	return w.remove(o, k, i, end)
}

func (w *walk) special(o *objectWalk, role role, k memberKey, i, at int) int {
	if role == droppedRole {
		return w.droppedStatus(o, k, i, at)
	}
	w.begin(o, i)
	w.name(o.node, k, i, at)
	start, end := w.position(), refused
	switch role {
	case apiVersionRole:
		end = w.fixed(at, w.plan.apiVersion)
	case kindRole:
		end = w.fixed(at, w.plan.kind)
	case metadataRole:
		end = w.metadata(at)
	}
	if end >= 0 {
		w.typed++
		w.noteKept(o, k, i, start)
	}
	return end
}

// droppedStatus handles a status that the plan drops. If the walk has a new status, it writes the
// new status instead.
func (w *walk) droppedStatus(o *objectWalk, k memberKey, i, at int) int {
	end := refused
	switch {
	case w.verb == updatingStatus: // the old status causes no warnings
		end = jsonscan.Skip(w.s, at)
	case w.s[at] == 'n':
		end = jsonscan.Literal(w.s, at, "null")
	default:
		hasRules := w.hasRules
		w.steps = append(w.steps, step{k.name, -1})
		end = w.discard(w.plan.statusNode, at)
		w.steps = w.steps[:len(w.steps)-1]
		w.hasRules = hasRules
	}
	if end < 0 {
		return refused
	}
	if w.newStatus == "" {
		changed := w.changed
		w.remove(o, k, i, end)
		w.changed = changed // the removal of the status is not a change
		return end
	}
	w.begin(o, i)
	w.name(o.node, k, i, at)
	start := w.position()
	if !w.writeStatus() {
		return refused
	}
	w.noteKept(o, k, i, start)
	return end
}

// writeStatus writes the new status. It declines if pruning or defaulting changes the status,
// except in an update of the status.
func (w *walk) writeStatus() bool {
	w.flush()
	s, changed := w.s, w.changed
	w.s, w.pending, w.changed = w.newStatus, span{}, false
	w.steps = append(w.steps, step{"status", -1})
	end := w.walkValue(w.plan.statusNode, 0)
	w.steps = w.steps[:len(w.steps)-1]
	ok := end == len(w.s) && (w.verb == updatingStatus || !w.changed)
	w.flush()
	w.s, w.pending, w.changed = s, span{}, changed
	return ok
}

func (w *walk) complete(o *objectWalk) bool {
	m := o.node.members
	if (m.first&^o.set != 0 || len(m.list) > setSize) && !w.completeMembers(o) {
		return false
	}
	if o.node == w.plan.root && w.newStatus != "" && !w.addStatus(o) {
		return false
	}
	if o.node.counted && !m.size.Allows(o.kept) {
		return false
	}
	return o.sorted || w.sort(o)
}

// completeMembers adds the defaults of missing members. It declines if a required member is
// missing.
func (w *walk) completeMembers(o *objectWalk) bool {
	m := o.node.members
	for i := range m.required {
		seen := o.set
		if i > 0 {
			seen = w.seen[o.seen+i-1]
		}
		if m.required[i]&^seen != 0 && !w.discards {
			return false
		}
		for missing := m.defaults[i] &^ seen; missing != 0; missing &= missing - 1 {
			if !w.fill(o, i*setSize+bits.TrailingZeros64(missing)) {
				return false
			}
		}
	}
	return true
}

func (w *walk) fill(o *objectWalk, index int) bool {
	m := &o.node.members.list[index]
	if m.node.fill.declined {
		return false
	}
	start := w.add(o, index)
	w.write(m.node.fill.json)
	w.hasRules = w.hasRules || m.node.fill.hasRules
	w.noteKept(o, memberKey{member: index}, 0, start)
	w.changed = true
	return true
}

// addStatus adds the new status, unless it has already replaced the status in the input.
func (w *walk) addStatus(o *objectWalk) bool {
	index, ok := o.node.members.at("status")
	if !ok || o.node.members.list[index].role != droppedRole {
		return false
	}
	if !w.markSeen(o, index) {
		return true
	}
	start := w.add(o, index)
	if !w.writeStatus() {
		return false
	}
	w.noteKept(o, memberKey{member: index}, 0, start)
	return true
}

// textOf returns the text of the value of a declared member, "" if the member is absent.
func (w *walk) textOf(o *objectWalk, index int) string {
	for i := o.base; i < len(w.entries); i++ {
		if e := &w.entries[i]; e.member == index && e.start != removed {
			w.flush()
			return view(w.out[e.start:e.end])
		}
	}
	return ""
}

// maxFilled bounds the number of values that are filled into the defaults of one schema.
const maxFilled = 1 << 16

// fill returns the default of n with nested defaults, nil if there is no default.
func (c *compiler) fill(n *schema.Node) *defaultText {
	if done, ok := c.fills[n]; ok {
		return done
	}
	var out *defaultText
	if _, ok := n.Default(); ok {
		d, filled := c.filler.Default(n)
		out = &defaultText{hasRules: n.Facts().Has(schema.HasRules)}
		switch {
		case !filled:
			out.declined = true // too large
		case n.Facts().Has(schema.HasEmbedded):
			out.declined = true
		default:
			text, ok := jsonscan.Append(nil, d)
			out.json = string(text)
			out.declined = !ok || jsonscan.HasIntegral(d) || !c.checks.Node(n).Valid(d)
		}
	}
	c.fills[n] = out
	return out
}

// sort sorts the members of an object. It returns false if two members have the same name.
func (w *walk) sort(o *objectWalk) bool {
	list := w.entries[o.base:]
	w.sorted = o.node
	slices.SortFunc(list, w.compare)
	for i := 1; i < len(list); i++ {
		if w.compare(list[i-1], list[i]) == 0 {
			return false
		}
	}
	w.rewrite(o, list)
	return true
}

func (w *walk) compareEntries(a, b entry) int {
	if a.member >= 0 && b.member >= 0 {
		return a.member - b.member
	}
	return strings.Compare(w.keyOf(w.sorted, &a), w.keyOf(w.sorted, &b))
}

// Unknown says how fields that the schema does not declare are handled.
type Unknown uint8

const (
	RefuseUnknown Unknown = iota // the plan declines the object
	WarnOfUnknown                // unknown fields are dropped, with a warning for each field
	DropUnknown                  // unknown fields are dropped
)

// A step leads from an object or list to one of its values.
type step struct {
	name  string
	index int // of an element of a list, negative for a field
}

// unknownField adds the warning about an undeclared field of the object at w.steps.
func (w *walk) unknownField(name string) {
	text := append(w.warning[:0], `unknown field "`...)
	for i, s := range w.steps {
		switch {
		case s.index >= 0:
			text = append(strconv.AppendInt(append(text, '['), int64(s.index), 10), ']')
			continue
		case i > 0:
			text = append(text, '.')
		}
		text = append(text, s.name...)
	}
	if len(w.steps) > 0 {
		text = append(text, '.')
	}
	w.warning = append(append(text, name...), '"')
	w.unknown = append(w.unknown, string(w.warning))
}

// warnings returns the warnings about undeclared fields, sorted, and then about finalizers.
func (w *walk) warnings(finalizers []string) []string {
	if len(w.unknown) == 0 {
		return finalizers
	}
	slices.SortFunc(w.unknown, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(a, `"`), strings.TrimSuffix(b, `"`))
	})
	return append(w.unknown, finalizers...)
}
