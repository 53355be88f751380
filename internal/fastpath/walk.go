package fastpath

import (
	"strings"

	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// A walk is the state of one walk over a text. Its methods that read a value
// return the index after the value, or refused if the walk declines. After a
// method has declined, what the sink holds does not count.
type walk struct {
	task
	sink
	finds

	entries  []entry              // of the objects that are open
	compare  func(a, b entry) int // compareEntries of w, made once
	seen     []uint64             // sets of the declared members of the open objects
	keys     []string             // texts that tell the elements of the open lists apart
	table    []slot
	metaText []byte              // of metadata that is spliced in
	fastMeta objectmeta.FastMeta // metadata that the walk prepares
	replaced objectmeta.FastMeta // that of the object that this one replaces
	wrong    []wrongValue        // that the walk has noted
}

// A task is the part of a walk of which nothing is kept for another one.
type task struct {
	plan     *Plan
	request  Request
	s        string
	sorted   *node // whose members are sorted
	depth    int
	typed    int     // how many of apiVersion, kind and metadata were read
	roots    []entry // members of the whole object
	ruled    bool    // see [Output.Ruled]
	meta     metadataText
	entered  int  // index of the value that forgiven has entered, plus one
	inStatus bool // s is the status of the request
	verdict
}

const refused = -1

// An entry is a member of an object. Its span is that of the value: in out if
// the sink writes, in the input if it splices. A value that is not in the input,
// such as a default, has an empty span. A removed member has start == gone.
type entry struct {
	key span // of the name of an undeclared member in the input
	span
	member int // index of the declared member, or undeclared
}

// keyOf returns the name of a member of n.
func (w *walk) keyOf(n *node, e *entry) string {
	if e.member >= 0 {
		return n.members.list[e.member].name
	}
	return w.s[e.key.start:e.key.end]
}

// entrySize is about the size of an entry in bytes.
const entrySize = 40

type span struct{ start, end int }

const gone = -1

const undeclared = -1

// typedMembers is the number of members that every object has: apiVersion, kind
// and metadata.
const typedMembers = 3

// run walks the whole object.
func (w *walk) run() bool {
	w.splices = w.request.Splice
	i := jsonscan.Space(w.s, 0)
	if i >= len(w.s) || w.s[i] != '{' {
		return false
	}
	end := w.object(w.plan.root, i, nil)
	if end < 0 || jsonscan.Space(w.s, end) != len(w.s) {
		return false
	}
	if w.typed != typedMembers {
		return w.not(otherHead)
	}
	w.flush()
	w.meta.span = w.rootMember(w.plan.metadata).span
	return true
}

// walkValue handles the value at s[i].
func (w *walk) walkValue(n *node, i int) int {
	if w.request.Ratchet != nil {
		if w.entered != i+1 {
			return w.forgiven(n, i)
		}
		w.entered = 0
	}
	if n.decline != accepted {
		return w.refuse(n.decline)
	}
	if i >= len(w.s) {
		return refused
	}
	w.ruled = w.ruled || n.ruled
	if n.opaque {
		return w.opaque(n, i)
	}
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

// valueOrDefault is walkValue for a value that gives way to a default if it is a
// null that the schema does not admit. It reports whether it did.
func (w *walk) valueOrDefault(n *node, i int) (end int, filled bool) {
	if !n.nullFill || w.s[i] != 'n' {
		return w.walkValue(n, i), false
	}
	if n.fill.decline != accepted {
		return w.refuse(n.fill.decline), false
	}
	end = jsonscan.Literal(w.s, i, "null")
	w.replace(i, end, n.fill.json)
	w.ruled = w.ruled || n.fill.ruled
	return end, true
}

// discard walks a value whose output does not count. It declines what walkValue
// declines without a ratchet: the old object has no such value.
func (w *walk) discard(n *node, i int) int {
	before, ratchet := w.sink, w.request.Ratchet
	w.splices, w.request.Ratchet = true, nil
	end := w.walkValue(n, i)
	clear(w.edits[len(before.edits):])
	w.splices, w.edits, w.touched = before.splices, w.edits[:len(before.edits)], before.touched
	w.request.Ratchet = ratchet
	return end
}

// opaque keeps a value as it is.
func (w *walk) opaque(n *node, i int) int {
	v, end := jsonscan.Value(w.s, i, w.request.Watch)
	switch {
	case end < 0:
		return refused
	case jsonscan.HasIntegral(v):
		return w.refuse(integralFloat)
	case !n.check.Valid(v):
		return w.refuse(wrongScalar)
	case !w.writeValue(v):
		return refused
	}
	return end
}

func (w *walk) literal(n *node, i int, kind leafcheck.Mask, word string, v any) int {
	if n.accept&kind == 0 {
		return w.refuse(wrongType)
	}
	end := jsonscan.Literal(w.s, i, word)
	if end < 0 {
		return refused
	}
	if n.free&kind == 0 && !n.check.Valid(v) && w.wrongAt(i, end, wrongScalar) < 0 {
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
		return w.refuse(wrongType)
	}
	value, checked := w.s[i+1:end], n.free&leafcheck.String == 0
	if text&jsonscan.Escaped != 0 && (checked || text&jsonscan.Respelled != 0) {
		var ok bool
		if w.scratch, ok = jsonscan.Unescape(w.scratch[:0], value); !ok {
			return refused
		}
		value = view(w.scratch)
	}
	if checked && !n.check.ValidString(value) && w.wrongAt(i, end+1, wrongScalar) < 0 {
		return refused
	}
	if text&jsonscan.Respelled == 0 {
		w.keep(i, end+1)
	} else if !w.writeString(value) {
		return refused
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
		return w.refuse(wrongType)
	case n.replicas && !crdpath.ValidReplicas(num.Int):
		return w.refuse(wrongReplicas)
	case n.free&leafcheck.Int == 0 && !n.check.ValidInt(num.Int) && w.wrongAt(i, end, wrongScalar) < 0:
		return refused
	case w.s[i] == '-' && num.Int == 0:
		w.write("0") // the only integer with two spellings
	default:
		w.keep(i, end)
	}
	return end
}

// float handles the float64 from s[i] to end.
func (w *walk) float(n *node, f float64, i, end int) int {
	switch {
	case n.accept&leafcheck.MaskOf(f) == 0:
		return w.refuse(wrongType)
	case jsonscan.IsIntegral(f):
		return w.refuse(integralFloat)
	case n.free&leafcheck.Float == 0 && !n.check.Valid(f) && w.wrongAt(i, end, wrongScalar) < 0:
		return refused
	}
	w.writeFloat(f)
	return end
}

// fixed handles a member that must be the string with this text.
func (w *walk) fixed(at int, text string) int {
	if strings.HasPrefix(w.s[at:], text) {
		w.keep(at, at+len(text))
		return at + len(text)
	}
	if w.s[at] != '"' {
		return w.refuse(otherHead)
	}
	end, _ := jsonscan.String(w.s, at+1)
	if end < 0 {
		return refused
	}
	if same, ok := jsonscan.Respell(w.s[at+1 : end]); !ok || same != text[1:len(text)-1] {
		return w.refuse(otherHead)
	}
	w.write(text)
	return end + 1
}

// metadata reads metadata. It writes the metadata that it can prepare. For any other
// it writes an empty object, which [Output.SetMetadata] replaces.
func (w *walk) metadata(at int) int {
	if end := w.fastMetadata(at); end > 0 {
		if !w.splices {
			w.flush()
			w.out = w.fastMeta.Append(w.out, 1)
		}
		return end
	}
	w.write("{}")
	if w.request.LeaveMetadata {
		return w.metadataLeft(at)
	}
	if end := w.replacing(at); end > 0 {
		return end
	}
	return w.metadataMap(at)
}

// metadataLeft finds the end of metadata, which may be of any type.
func (w *walk) metadataLeft(at int) int {
	end := jsonscan.Skip(w.s, at)
	if end > 0 {
		w.meta.left = w.s[at:end]
	}
	return end
}

// fastMetadata reads metadata that the walk can prepare. It returns the index after
// it, or refused for any other metadata.
func (w *walk) fastMetadata(at int) int {
	r := &w.request
	if !r.Create || w.plan.checksMetadata {
		return refused
	}
	end := w.fastMeta.ReadCreate(w.s, at, r.Namespaced, r.Namespace)
	if end < 0 || w.fastMeta.Generates() && w.plan.readsMetadata {
		w.fastMeta.Reset()
		return refused
	}
	w.meta.fast = true
	return end
}

// replacing is fastMetadata for one of the objects of an update.
func (w *walk) replacing(at int) int {
	r := &w.request
	here, there, other := &w.fastMeta, &w.replaced, r.Replaced
	if r.Sent != "" {
		here, there, other = there, here, r.Sent
	}
	if other == "" || w.plan.checksMetadata {
		return refused
	}
	end := here.Read(w.s, at)
	if end < 0 || there.Read(other, 0) != len(other) || r.SameVersion && !w.fastMeta.HasVersionOf(&w.replaced) ||
		r.SameMetadata && !w.fastMeta.Stays(&w.replaced, r.Namespaced) ||
		!w.fastMeta.Replace(&w.replaced, r.Namespaced, r.Namespace) {
		w.fastMeta.Reset()
		w.replaced.Reset()
		return refused
	}
	w.meta.replaces = true
	return end
}

// metadataMap decodes the metadata at s[at], and returns the index after it. The
// map shares no memory with the text, because the caller may keep it.
func (w *walk) metadataMap(at int) int {
	end := jsonscan.Skip(w.s, at)
	if end < 0 {
		return refused
	}
	v, ok := jsonscan.DecodeUntil(strings.Clone(w.s[at:end]), w.request.Watch)
	m, isMap := v.(map[string]any)
	if !ok || !isMap {
		return w.refuse(wrongMetadata)
	}
	w.meta.read, w.meta.members = m, len(m)
	return end
}
