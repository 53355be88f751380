package fastpath

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
)

// An objectWalk is the state of one object that is being walked.
type objectWalk struct {
	node   *node
	start  int // in out
	base   int // of its entries
	seen   int // of its set
	kept   int // members
	next   int // declared member that is likely to come next
	prev   string
	sorted bool
}

// object handles the object at s[i]. The spans of the values of the members
// keys are left in w.keys.
func (w *walk) object(n *node, i int, keys []int) int {
	if n.accept&leafcheck.Object == 0 || n.odd || w.depth >= jsonscan.MaxDepth {
		return refused
	}
	w.depth++
	o := objectWalk{node: n, start: len(w.out), base: len(w.entries), seen: len(w.seen), sorted: true}
	for range n.members.required {
		w.seen = append(w.seen, 0)
	}
	w.out = append(w.out, '{')
	i = w.all(&o, i+1)
	if i < 0 || !w.complete(&o) {
		return refused
	}
	w.out = append(w.out, '}')
	if n.embedded && !w.resource(&o) || !w.finished(n, o.start) {
		return refused
	}
	for _, k := range keys {
		w.keys = append(w.keys, w.valueOf(&o, k))
	}
	if n == w.plan.root {
		w.roots = append(w.roots[:0], w.entries[o.base:]...)
	}
	w.most = max(w.most, len(w.entries))
	w.entries, w.seen = w.entries[:o.base], w.seen[:o.seen]
	w.depth--
	return i
}

// all handles the members from s[i] on.
func (w *walk) all(o *objectWalk, i int) int {
	i = jsonscan.Space(w.s, i)
	if i < len(w.s) && w.s[i] == '}' {
		return i + 1
	}
	for more := true; more; {
		key, text, at := jsonscan.Key(w.s, i)
		if at < 0 || at >= len(w.s) {
			return refused
		}
		if len(w.entries) > o.base && key <= o.prev {
			if key == o.prev {
				return refused
			}
			o.sorted = false
		}
		o.prev = key
		end := w.member(o, key, text, at)
		if end < 0 {
			return refused
		}
		i, more = jsonscan.Next(w.s, end, '}')
	}
	return i
}

// lookup returns the index of a declared member. Next is the one that is likely
// to come next.
func (m *members) lookup(key string, next *int) int {
	// Members mostly come in order, and few are left out.
	for i := *next; i < len(m.list) && i < *next+3; i++ {
		if m.list[i].name == key {
			*next = i + 1
			return i
		}
	}
	if i, ok := m.at(key); ok {
		*next = i + 1
		return i
	}
	return undeclared
}

// member handles a member whose value is at s[at].
func (w *walk) member(o *objectWalk, key string, text jsonscan.Text, at int) int {
	before := len(w.out)
	if o.kept > 0 {
		w.out = append(w.out, ',')
	}
	start := len(w.out)
	index := o.node.members.lookup(key, &o.next)
	child := o.node.rest
	if index >= 0 {
		seen := bitset(w.seen[o.seen:])
		if seen.has(index) {
			return refused
		}
		seen.add(index)
		m := &o.node.members.list[index]
		child = m.node
		w.out = append(w.out, m.text...)
		if m.role != ordinary {
			return w.special(o, m, index, before, start, at)
		}
	} else {
		if o.node == w.plan.root && isNamedLikeType(key) {
			return refused
		}
		switch o.node.others {
		case refuseOthers:
			return refused
		case dropOthers:
			return w.drop(o, key, before, at)
		case keepOthers:
			child = w.plan.keep
		}
		w.name(key, text)
	}
	unknown := len(w.notes)
	end := at
	if w.s[at] == 'n' {
		var removed bool
		if end, removed = w.null(o, child, index, at); removed {
			w.remove(key, index, before)
			return end
		}
	} else {
		end = w.value(child, at)
	}
	w.throughField(unknown, key)
	w.keepEntry(o, key, index, start)
	return end
}

func (w *walk) keepEntry(o *objectWalk, key string, index, start int) {
	w.entries = append(w.entries, entry{key: key, span: span{start, len(w.out)}, member: index})
	o.kept++
}

// name writes an undeclared key.
func (w *walk) name(key string, text jsonscan.Text) {
	if text == 0 {
		w.out = append(w.out, '"')
		w.out = append(w.out, key...)
		w.out = append(w.out, '"', ':')
		return
	}
	w.out, _ = jsonscan.AppendString(w.out, key)
	w.out = append(w.out, ':')
}

// null handles a member that is null. It reports whether the member goes.
func (w *walk) null(o *objectWalk, child *node, index, at int) (end int, removed bool) {
	end = jsonscan.Literal(w.s, at, "null")
	switch {
	case child.nullFill:
		if child.fill.odd {
			return refused, false
		}
		w.touched = true
		w.out = append(w.out, child.fill.json...)
		return end, false
	case child.nullDrop:
		if index >= 0 && o.node.members.required.has(index) {
			return refused, true
		}
		return end, true
	}
	return w.value(child, at), false
}

// remove takes back what was written of a member.
func (w *walk) remove(key string, index, before int) {
	w.touched = true
	w.out = w.out[:before]
	w.entries = append(w.entries, entry{key: key, span: span{start: gone}, member: index})
}

// drop leaves out an undeclared member.
func (w *walk) drop(o *objectWalk, key string, before, at int) int {
	if w.request.Report {
		w.found(key)
	}
	end := refused
	if c := w.s[at]; w.request.Report && (c == '{' || c == '[') {
		end = w.splice(w.plan.keep, at) // which knows of repeated keys
	} else {
		end = jsonscan.Skip(w.s, at)
	}
	w.remove(key, undeclared, before)
	return end
}

// special handles a member of the root that has a role, after its key.
func (w *walk) special(o *objectWalk, m *member, index, before, start, at int) int {
	end := refused
	switch m.role {
	case apiVersionRole:
		end = w.fixed(at, w.plan.apiVersion)
	case kindRole:
		end = w.fixed(at, w.plan.kind)
	case metadataRole:
		end = w.metadata(m.node.check, at)
	case droppedRole:
		unknown, touched := len(w.notes), w.touched
		end = w.dropped(m.node, at)
		w.throughField(unknown, m.name)
		w.remove(m.name, index, before)
		w.touched = touched // what becomes of it the request says
		return end
	}
	w.typed++
	w.keepEntry(o, m.name, index, start)
	return end
}

// dropped handles a member that goes in the end.
func (w *walk) dropped(n *node, at int) int {
	if w.s[at] == 'n' {
		return jsonscan.Literal(w.s, at, "null")
	}
	return w.value(n, at)
}

// fixed handles a member that has to have this very text.
func (w *walk) fixed(at int, text string) int {
	if !strings.HasPrefix(w.s[at:], text) {
		return refused
	}
	w.out = append(w.out, text...)
	return at + len(text)
}

// plainMetadata handles metadata that need not be asked about. It returns the
// index after it, or refused for any other.
func (w *walk) plainMetadata(at int) int {
	r := &w.request
	if !r.Create || w.plan.checksMetadata {
		return refused
	}
	end := w.plain.ReadCreate(w.s, at, r.Namespaced, r.Namespace)
	if end < 0 {
		w.plain.Reset()
		return refused
	}
	w.meta.plain = true
	return end
}

// metadataMap returns the metadata at s[at], nil if it is none, and the index
// after it. It shares no memory with the text, as somebody else gets it.
func (w *walk) metadataMap(at int) (map[string]any, int) {
	end := jsonscan.Skip(w.s, at)
	if end < 0 {
		return nil, refused
	}
	v, ok := jsonscan.Decode(strings.Clone(w.s[at:end]))
	m, isMap := v.(map[string]any)
	if !ok || !isMap {
		return nil, refused
	}
	return m, end
}

func (w *walk) metadata(n *leafcheck.Node, at int) int {
	if end := w.plainMetadata(at); end > 0 {
		w.out = w.plain.AppendCreated(w.out)
		return end
	}
	m, end := w.metadataMap(at)
	ok := m != nil
	if !ok {
		return refused
	}
	if m, ok = w.request.Metadata(m); !ok || !n.Valid(m) {
		return refused
	}
	if w.out, ok = jsonscan.Append(w.out, m); !ok {
		return refused
	}
	return end
}

// complete deals with what is known when all members are there.
func (w *walk) complete(o *objectWalk) bool {
	m := o.node.members
	for i := range m.required {
		seen := w.seen[o.seen+i]
		if m.required[i]&^seen != 0 {
			return false
		}
		for missing := m.defaults[i] &^ seen; missing != 0; missing &= missing - 1 {
			if !w.fill(o, i*64+bits.TrailingZeros64(missing)) {
				return false
			}
		}
	}
	if o.node == w.plan.root && w.request.Status != "" && !w.status(o) {
		return false
	}
	if o.kept < m.min || m.max >= 0 && o.kept > m.max {
		return false
	}
	return o.sorted || w.sort(o)
}

// fill writes the default of a member that is missing.
func (w *walk) fill(o *objectWalk, index int) bool {
	m := &o.node.members.list[index]
	switch {
	case m.role == droppedRole:
		return true
	case m.node.fill.odd:
		return false
	}
	w.touched = true
	w.begin(o, m)
	start := len(w.out)
	w.out = append(w.out, m.text...)
	w.out = append(w.out, m.node.fill.json...)
	w.keepEntry(o, m.name, index, start)
	return true
}

// begin prepares to write a member that comes after all that were read.
func (w *walk) begin(o *objectWalk, m *member) {
	if o.kept > 0 {
		w.out = append(w.out, ',')
		o.sorted = o.sorted && m.name > o.prev
	}
	o.prev = m.name
}

// status writes the status that the request says. It has to be one that needs
// no change.
func (w *walk) status(o *objectWalk) bool {
	index, ok := o.node.members.at("status")
	if !ok || o.node.members.list[index].role != droppedRole {
		return false
	}
	m := &o.node.members.list[index]
	w.forget(o, index)
	w.begin(o, m)
	start := len(w.out)
	w.out = append(w.out, m.text...)
	if !w.unchanged(w.plan.statusNode, w.request.Status) {
		return false
	}
	w.keepEntry(o, m.name, index, start)
	return true
}

// forget drops the entry of a member that was there, but has gone.
func (w *walk) forget(o *objectWalk, index int) {
	for i := o.base; i < len(w.entries); i++ {
		if w.entries[i].member == index {
			w.entries = slices.Delete(w.entries, i, i+1)
			break
		}
	}
	o.prev = ""
	if n := len(w.entries); n > o.base {
		o.prev = w.entries[n-1].key
	}
}

// unchanged writes text, a value for n, and reports whether it may stay as it
// is.
func (w *walk) unchanged(n *node, text string) bool {
	s, touched, report := w.s, w.touched, w.request.Report
	w.s, w.touched, w.request.Report, w.inStatus = text, false, false, true
	end := w.value(n, 0)
	ok := end == len(text) && !w.touched
	w.s, w.touched, w.request.Report, w.inStatus = s, touched, report, false
	return ok
}

// sort writes the members once more, in order. It reports false if one is
// there twice.
func (w *walk) sort(o *objectWalk) bool {
	list := w.entries[o.base:]
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	w.scratch = append(w.scratch[:0], w.out[o.start:]...)
	w.out = w.out[:o.start+1]
	for i := range list {
		e := &list[i]
		if i > 0 && e.key == list[i-1].key {
			return false
		}
		if e.start == gone {
			continue
		}
		if len(w.out) > o.start+1 {
			w.out = append(w.out, ',')
		}
		at := len(w.out)
		w.out = append(w.out, w.scratch[e.start-o.start:e.end-o.start]...)
		e.span = span{at, len(w.out)}
	}
	return true
}

// valueOf returns the span of the value of a declared member, an empty one if
// it is absent.
func (w *walk) valueOf(o *objectWalk, index int) span {
	for _, e := range w.entries[o.base:] {
		if e.member == index && e.start != gone {
			return span{e.start + len(o.node.members.list[index].text), e.end}
		}
	}
	return span{}
}
