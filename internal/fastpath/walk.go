package fastpath

import (
	"cmp"
	"strings"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

// A walk is the state of one walk over a text. A method that reads a value returns the index after
// the value. To decline, it returns refused, and the output is meaningless.
type walk struct {
	task
	sink

	entries  []entry              // of the open objects
	compare  func(a, b entry) int // the method value w.compareEntries
	seen     []uint64             // which members of open objects were read, from the 65th declared member on
	keys     []string             // texts of the keys of the elements of the open lists
	rows     map[string]bool      // reused by distinctRows, empty between lists
	cut      []textMember         // members of documents
	meta     objectmeta.Meta      // the metadata of the object
	oldMeta  objectmeta.Meta      // the metadata of the replaced object
	metaText []byte
	steps    []step // path of the value that is walked
	warning  []byte // buffer for the text of one warning
}

// A task is the part of a walk that release clears.
type task struct {
	plan     *Plan
	request  *Request
	verb     verb
	s        string
	sorted   *node // the node for compareEntries
	depth    int
	typed    int     // how many of apiVersion, kind and metadata were read
	roots    []entry // members of the whole object
	hasRules bool    // rules may read a value of the object
	// discards is true during [walk.discard]. The value may then lack required members.
	discards bool
	// newStatus is the status to write in place of a dropped status, without space around it, ""
	// for none.
	newStatus string
	// otherMetadata is the metadata of the replaced object. In an update of the status it is the
	// metadata of the new object.
	otherMetadata string
	unknown       []string // warnings about undeclared fields
}

// An entry is a member of an object, with the span of its value in w.out. If the member was
// removed, start is the constant removed.
type entry struct {
	key span // name of an undeclared member, in the input
	span
	member int // index of the declared member, or undeclared
}

const entrySize = 40

func (p *Plan) walk(s string, r *Request) *walk {
	w, pooled := p.walks.Get().(*walk)
	if !pooled {
		w = &walk{}
		w.compare = w.compareEntries
	}
	w.plan, w.s, w.request = p, s, r
	return w
}

// maxKept bounds the memory in bytes that a walk keeps for reuse.
const maxKept = 1 << 20

// release makes the memory of w available to another walk.
func (w *walk) release() {
	if cap(w.out)+cap(w.metaText)+cap(w.warning) > maxKept || (cap(w.entries)+cap(w.keys))*entrySize > maxKept {
		return
	}
	clear(w.keys)
	clear(w.cut)
	w.cut = w.cut[:0]
	clear(w.steps[:cap(w.steps)])
	w.out, w.scratch, w.metaText = w.out[:0], w.scratch[:0], w.metaText[:0]
	w.entries, w.seen, w.keys, w.steps = w.entries[:0], w.seen[:0], w.keys[:0], w.steps[:0]
	w.changed, w.pending = false, span{}
	w.meta.Reset()
	w.oldMeta.Reset()
	p := w.plan
	w.task = task{}
	p.walks.Put(w)
}

const refused = -1

func (w *walk) keyOf(n *node, e *entry) string {
	if e.member >= 0 {
		return n.members.list[e.member].name
	}
	return w.s[e.key.start:e.key.end]
}

type span struct{ start, end int }

const removed = -1

const undeclared = -1

const typedMembers = 3

func (w *walk) run() bool {
	i := jsonscan.Space(w.s, 0)
	if i >= len(w.s) || w.s[i] != '{' {
		return false
	}
	end := w.object(w.plan.root, i, nil)
	if end < 0 || jsonscan.Space(w.s, end) != len(w.s) {
		return false
	}
	if w.typed != typedMembers {
		return false
	}
	w.flush()
	return true
}

func (w *walk) walkValue(n *node, i int) int {
	if n.declined {
		return refused
	}
	w.hasRules = w.hasRules || n.hasRules
	switch w.s[i] {
	case '"':
		return w.text(n, i)
	case '{':
		return w.object(n, i, nil)
	case '[':
		return w.list(n, i)
	case 't':
		return w.literal(n, i, leafcheck.Bool, "true", true)
	case 'f':
		return w.literal(n, i, leafcheck.Bool, "false", false)
	case 'n':
		return w.literal(n, i, leafcheck.Null, "null", nil)
	}
	return w.number(n, i)
}

// valueOrDefault is walkValue, but replaces a null by the default if n.nullFill is set.
func (w *walk) valueOrDefault(n *node, i int) (end int) {
	if !n.nullFill || w.s[i] != 'n' {
		return w.walkValue(n, i)
	}
	if n.fill.declined {
		return refused
	}
	w.changed = true
	w.hasRules = w.hasRules || n.fill.hasRules
	w.write(n.fill.json)
	return jsonscan.Literal(w.s, i, "null")
}

// discard walks a value and drops the output.
func (w *walk) discard(n *node, i int) int {
	w.flush()
	length, changed, discards := len(w.out), w.changed, w.discards
	w.discards = true
	end := w.walkValue(n, i)
	w.discards = discards
	w.out, w.pending, w.changed = w.out[:length], span{}, changed
	return end
}

func (w *walk) literal(n *node, i int, kind leafcheck.Mask, word string, v any) int {
	if n.accept&kind == 0 {
		return refused
	}
	end := jsonscan.Literal(w.s, i, word)
	if end < 0 {
		return refused
	}
	if n.valid&kind == 0 && !n.check.Valid(v) {
		return refused
	}
	w.keep(i, end)
	return end
}

func (w *walk) text(n *node, i int) int {
	end, text := jsonscan.String(w.s, i+1)
	if end < 0 {
		return refused
	}
	if n.accept&leafcheck.String == 0 {
		return refused
	}
	value, checked := w.s[i+1:end], n.valid&leafcheck.String == 0
	if text&jsonscan.Escaped != 0 && (checked || text&jsonscan.Respelled != 0) {
		var ok bool
		if w.scratch, ok = jsonscan.Unescape(w.scratch[:0], value); !ok {
			return refused
		}
		value = view(w.scratch)
	}
	if checked && !n.check.ValidString(value) {
		return refused
	}
	if text&jsonscan.Respelled == 0 {
		w.keep(i, end+1)
	} else {
		w.flush()
		w.out, _ = jsonscan.AppendString(w.out, value)
	}
	return end + 1
}

func (w *walk) number(n *node, i int) int {
	end, num := jsonscan.Number(w.s, i)
	switch {
	case end < 0:
		return refused
	case num.IsFloat:
		return w.float(n, num.Float, i, end)
	case n.accept&leafcheck.Int == 0:
		return refused
	case n.valid&leafcheck.Int == 0 && !n.check.ValidInt(num.Int):
		return refused
	case w.s[i] == '-' && num.Int == 0:
		w.write("0") // 0 is the only integer with two spellings: 0 and -0
	default:
		w.keep(i, end)
	}
	return end
}

func (w *walk) float(n *node, f float64, i, end int) int {
	switch {
	case n.accept&leafcheck.MaskOf(f) == 0:
		return refused
	case jsonscan.IsIntegral(f):
		return refused
	case n.valid&leafcheck.Float == 0 && !n.check.Valid(f):
		return refused
	}
	w.flush()
	w.out = jsonscan.AppendFloat(w.out, f)
	return end
}

// fixed handles a member whose value must be the string with this JSON text.
func (w *walk) fixed(at int, text string) int {
	if strings.HasPrefix(w.s[at:], text) {
		w.keep(at, at+len(text))
		return at + len(text)
	}
	if w.s[at] != '"' {
		return refused
	}
	end, _ := jsonscan.String(w.s, at+1)
	if end < 0 {
		return refused
	}
	if same, ok := jsonscan.Respell(w.s[at+1 : end]); !ok || same != text[1:len(text)-1] {
		return refused
	}
	w.write(text)
	return end + 1
}

// metadata reads the metadata at s[at] and prepares what the server stores. For a create it writes
// the result. For an update it writes {}, which the caller replaces.
func (w *walk) metadata(at int) int {
	if w.verb == creating {
		return w.newMetadata(at)
	}
	w.write("{}")
	here, there := &w.meta, &w.oldMeta
	if w.verb == updatingStatus {
		here, there = there, here
	}
	end := here.Read(w.s, at)
	if end < 0 || there.Read(w.otherMetadata, 0) != len(w.otherMetadata) || !w.prepareUpdate() {
		return refused
	}
	return end
}

// prepareUpdate prepares the metadata of an update, apart from the generation. It declines if the
// server may refuse the metadata, or may warn about more than finalizers.
func (w *walk) prepareUpdate() bool {
	m, old, namespaced := &w.meta, &w.oldMeta, w.plan.cfg.Namespaced
	if !old.OmitsNothing() || !m.EnterNamespace(namespaced, cmp.Or(w.request.Namespace, old.Namespace)) {
		return false
	}
	old.Namespace = cmp.Or(old.Namespace, m.Namespace)
	if m.ResourceVersion == "" && !w.request.SameVersion {
		m.ResourceVersion = old.ResourceVersion
	}
	if m.ResourceVersion != old.ResourceVersion && (old.ResourceVersion != "" || w.request.SameVersion) {
		return false
	}
	m.KeepManaged(old, w.verb == updatingStatus)
	if len(m.PrepareUpdate(old)) > 0 || m.Name != old.Name || m.UID != old.UID {
		return false
	}
	if w.verb == updatingStatus {
		m.PrepareStatusUpdate(old)
	}
	return m.ValidUpdate(old, namespaced)
}

// newMetadata reads the metadata of a new object and writes what the server stores.
func (w *walk) newMetadata(at int) int {
	end := w.meta.Read(w.s, at)
	if end < 0 || !w.prepareCreate() {
		return refused
	}
	w.flush()
	w.out = w.meta.Append(w.out)
	return end
}

// prepareCreate prepares the metadata of a new object. It declines in the same cases as
// prepareUpdate.
func (w *walk) prepareCreate() bool {
	m, namespaced := &w.meta, w.plan.cfg.Namespaced
	m.PrepareCreate()
	if !m.EnterNamespace(namespaced, w.request.Namespace) || len(m.DropDuplicateOwners()) > 0 {
		return false
	}
	if m.Name != "" || m.GenerateName == "" {
		return m.ValidCreate(namespaced)
	}
	if w.plan.reads != nil && w.plan.reads.child("metadata") != nil {
		return false // rules would read a name that is not generated yet
	}
	m.Name = objectmeta.PlaceholderName(m.GenerateName)
	valid := m.ValidCreate(namespaced)
	m.Name = ""
	return valid
}

// A sink collects the canonical text.
type sink struct {
	out []byte
	// pending is the part of the input that flush appends to out. This happens before anything else
	// is written.
	pending span
	changed bool // the output has other content than the input
	scratch []byte
}

// keep outputs s[start:end] unchanged.
func (w *walk) keep(start, end int) {
	if w.pending.end != start {
		w.flush()
		w.pending.start = start
	}
	w.pending.end = end
}

func (w *walk) flush() {
	w.out = append(w.out, w.s[w.pending.start:w.pending.end]...)
	w.pending.start = w.pending.end
}

func (w *walk) position() int { return len(w.out) + w.pending.end - w.pending.start }

func (w *walk) write(text string) {
	w.flush()
	w.out = append(w.out, text...)
}

// comma outputs the comma before a member or element that begins at s[i].
func (w *walk) comma(i int) {
	if w.pending.end == i-1 { // i-1 is the index of the comma
		w.pending.end = i
		return
	}
	w.write(",")
}

// begin outputs the comma before a member at s[i], unless it is the first member.
func (w *walk) begin(o *objectWalk, i int) {
	if o.kept > 0 {
		w.comma(i)
	}
}

// name outputs a name and a colon. The member begins at s[i], and its value at s[at].
func (w *walk) name(n *node, k memberKey, i, at int) {
	const quotesAndColon = 3
	if k.text == 0 && at-i == len(k.name)+quotesAndColon {
		w.keep(i, at)
		return
	}
	w.writeName(n, k)
}

func (w *walk) writeName(n *node, k memberKey) {
	w.flush()
	if k.member >= 0 {
		w.out = append(w.out, n.members.list[k.member].text...)
		return
	}
	w.out, _ = jsonscan.AppendString(w.out, k.name)
	w.out = append(w.out, ':')
}

// noteKept records a member whose value begins at index start of the output. i is the index of the
// member in the input, used only if it is undeclared.
func (w *walk) noteKept(o *objectWalk, k memberKey, i, start int) {
	w.note(k.span(i), span{start, w.position()}, k.member)
	o.kept++
}

// remove records that the member s[i:end] is removed.
func (w *walk) remove(o *objectWalk, k memberKey, i, end int) int {
	w.changed = true
	w.note(k.span(i), span{start: removed}, k.member)
	return end
}

func (w *walk) note(key, value span, member int) {
	w.entries = append(w.entries, entry{key, value, member})
}

// add begins a member that the input does not have. It returns the index in w.out where the value
// begins.
func (w *walk) add(o *objectWalk, index int) (start int) {
	m := &o.node.members.list[index]
	if o.kept > 0 {
		w.write(",")
		o.checkOrder(m.name, index)
	}
	o.last = index
	w.write(m.text)
	return len(w.out)
}

// rewrite writes the members of an object again, in the order of list.
func (w *walk) rewrite(o *objectWalk, list []entry) {
	w.flush()
	w.scratch = append(w.scratch[:0], w.out[o.start:]...)
	w.out = w.out[:o.start+1]
	for i := range list {
		e := &list[i]
		if e.start == removed {
			continue
		}
		if len(w.out) > o.start+1 {
			w.out = append(w.out, ',')
		}
		w.writeName(o.node, memberKey{name: w.keyOf(o.node, e), member: e.member})
		at := len(w.out)
		w.out = append(w.out, w.scratch[e.start-o.start:e.end-o.start]...)
		e.span = span{at, len(w.out)}
	}
}

// since returns the output from index start on. The string is valid until more is written.
func (w *walk) since(start int) string {
	w.flush()
	return view(w.out[start:])
}

// wholeValid decodes the output from index start on, and reports whether check.ValidWhole accepts
// it.
func (w *walk) wholeValid(n *node, start int) bool {
	value, ok := jsonscan.Decode(w.since(start))
	return ok && n.check.ValidWhole(value)
}
