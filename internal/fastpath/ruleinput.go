package fastpath

import (
	"strings"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/rawobject"
)

// Rules run on values, so the parts of a text that they read have to be decoded.
// If all rules hold, nothing refers to these values once the rules have run.
// Their memory is then used for another request.

// Values decodes texts for rules. It belongs to the caller of [Plan.Values] until
// it is released, and is for one goroutine.
type Values struct {
	plan   *Plan
	watch  *interrupt.Watch
	maps   []map[string]any
	used   int // of maps
	lean   []*rawobject.List
	leaned int   // of lean
	lists  []any // long lists are parts of it
	// Short lists by their length, as interfaces, which need no memory of their own.
	short [shortList + 1]struct {
		boxes []any
		used  int
	}
	shortItems int   // of all lists in short
	stack      []any // elements of the lists that are open
	most       int   // the largest number of elements that were on the stack of a list that is read
	parts      shared
	// end is the index after the value that is read next, if it is a member of an object in
	// canonical form, else 0.
	end int
	// The object of this readTree is a map, and those below are lists of members
	// unless rules read them as a whole. If it is nil, all objects are maps.
	root *readTree
	// boxes are interfaces of strings that were read lately. The strings are
	// copies, so that they keep no text alive.
	boxes [boxCount]any
}

const (
	boxCount  = 256 // one for each value of a byte
	longBox   = 64  // longer strings are rarely repeated
	shortList = 8
	mostMaps  = 1 << 12
	mostItems = 1 << 14
)

// Values returns Values that have decoded nothing yet. They decode until the watch ends.
func (p *Plan) Values(watch *interrupt.Watch) *Values {
	v, pooled := p.values.Get().(*Values)
	if !pooled {
		v = &Values{}
	}
	v.plan, v.watch = p, watch
	return v
}

// Release takes back the memory of all decoded values. The caller must not use
// them from then on.
func (v *Values) Release() {
	if len(v.maps) > mostMaps || len(v.lean) > mostMaps || cap(v.lists) > mostItems || v.shortItems > mostItems || cap(v.stack) > mostItems || cap(v.parts.list) > mostMaps {
		return
	}
	v.parts.clear()
	for _, m := range v.maps[:v.used] {
		clear(m)
	}
	for _, l := range v.lean[:v.leaned] {
		l.Clear()
	}
	for i := range v.short {
		l := &v.short[i]
		for _, box := range l.boxes[:l.used] {
			clear(box.([]any))
		}
		l.used = 0
	}
	clear(v.lists)
	clear(v.stack[:max(v.most, len(v.stack))])
	v.watch, v.used, v.leaned, v.lists, v.stack, v.most = nil, 0, 0, v.lists[:0], v.stack[:0], 0
	v.end = 0
	v.plan.values.Put(v)
}

// RuleInput decodes what the rules of the schema read of an object: an output of
// [Plan.JSON], or an object that is replaced. With update, rules run with an old
// object and read more. Members that no rule reads are absent; elements of lists
// never are. It reports false if the text cannot be read. The second object of an
// update shares with the first what is the same in both. Without update, objects
// inside of the object may be a [*rawobject.List].
func (v *Values) RuleInput(text string, update bool) (map[string]any, bool) {
	reads := v.plan.createReads
	if v.root = reads; update {
		reads, v.root = v.plan.updateReads, nil
		v.parts.begin()
	}
	value, ok := v.read(reads, text)
	v.root = nil
	m, isObject := value.(map[string]any)
	return m, ok && isObject
}

// RuleInput is like [Values.RuleInput] without update, for an object that is created.
func (o Output) RuleInput(v *Values) (map[string]any, bool) {
	w, reads := o.w, v.plan.createReads
	if w.request.Splice || reads == nil || reads.whole || reads.values != nil {
		return v.RuleInput(o.View(), false)
	}
	v.root = reads
	out, s := v.object(), view(w.out)
	for i := range w.roots {
		e := &w.roots[i]
		if e.member < 0 || e.start == gone {
			continue
		}
		name := w.plan.root.members.list[e.member].name
		below := reads.child(name)
		if below == nil {
			continue
		}
		v.end = e.end
		value, end := v.readValue(below, s[:e.end], e.start, jsonscan.MaxDepth-1)
		if end != e.end {
			return nil, false
		}
		out[name] = value
	}
	v.root, v.end = nil, 0
	return out, true
}

// read decodes what n says of a value. It reports false if the text cannot be read.
func (v *Values) read(n *readTree, text string) (any, bool) {
	value, end := v.readValue(n, text, jsonscan.Space(text, 0), jsonscan.MaxDepth)
	return value, end >= 0 && jsonscan.Space(text, end) == len(text)
}

// readValue decodes what n says of the value at s[i]. It returns the index after the
// value, negative if the value cannot be read.
func (v *Values) readValue(n *readTree, s string, i, depth int) (any, int) {
	switch {
	case i >= len(s) || depth < 0 || v.watch.Ended():
		return nil, refused
	case n == nil:
		return v.object(), jsonscan.Skip(s, i)
	case n.kind:
		return sameKind(s[i]), jsonscan.Skip(s, i)
	case s[i] == '{', s[i] == '[' && (n.whole || n.items != nil):
		return v.readPart(n, s, i, depth)
	case s[i] == '"':
		end, text := jsonscan.String(s, i+1)
		if end < 0 || text&jsonscan.Escaped != 0 {
			return jsonscan.Value(s, i, v.watch)
		}
		return v.box(s[i+1 : end]), end + 1
	}
	return jsonscan.Value(s, i, v.watch)
}

// readPart decodes the object or list at s[i], unless the other object of an update
// has it.
func (v *Values) readPart(n *readTree, s string, i, depth int) (any, int) {
	known := v.end
	v.end = 0
	if value, end := v.parts.find(n, s, i); end > 0 {
		return value, end
	}
	at, value, end := v.parts.open(n), any(nil), refused
	switch {
	case s[i] == '[':
		value, end = v.elements(n, s, i+1, depth-1)
	case n.whole || v.root == nil || v.root == n:
		value, end = v.members(n, s, i+1, depth-1)
	default:
		value, end = v.leanMembers(n, s, i+1, depth-1, known)
	}
	if end >= 0 {
		v.parts.close(at, s[i:end], value)
	}
	return value, end
}

// sameKind returns a value of the kind of a text that begins with c. Maps and
// lists must not be changed.
func sameKind(c byte) any {
	switch c {
	case '{':
		return noMembers
	case '[':
		return noElements
	case '"':
		return ""
	case 't', 'f':
		return true
	case 'n':
		return nil
	}
	return int64(0)
}

var (
	noMembers  any = map[string]any{}
	noElements any = []any{}
)

func (v *Values) members(n *readTree, s string, i, depth int) (any, int) {
	out := v.object()
	i = jsonscan.Space(s, i)
	if i < len(s) && s[i] == '}' {
		return out, i + 1
	}
	for more := true; more; {
		key, at := jsonscan.DecodedKey(s, i)
		if at < 0 {
			return nil, refused
		}
		below, end := n.child(key), 0
		if below == nil {
			end = jsonscan.Skip(s, at)
		} else {
			before := len(out)
			var value any
			value, end = v.readValue(below, s, at, depth)
			if out[key] = value; len(out) == before {
				return nil, refused // the key is repeated
			}
		}
		if end < 0 {
			return nil, refused
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return out, i
}

// leanMembers is like members, and makes a [*rawobject.List]. known is the index after the
// object if its members are in order and none is repeated, else 0.
func (v *Values) leanMembers(n *readTree, s string, i, depth, known int) (any, int) {
	out := v.leanObject()
	i = jsonscan.Space(s, i)
	if i < len(s) && s[i] == '}' {
		return out, i + 1
	}
	for next, more := 0, true; more; {
		key, below, at := n.near(s, i, &next)
		if at == 0 {
			if key, at = jsonscan.DecodedKey(s, i); at < 0 {
				return nil, refused
			}
			below = n.child(key)
		}
		last, end := known > 0 && n.isLast(key), known
		if below != nil {
			var value any
			value, end = v.readValue(below, s, at, depth)
			out.Add(key, value)
		} else if !last {
			end = jsonscan.Skip(s, at)
		}
		switch {
		case end < 0:
			return nil, refused
		case last:
			return out, known
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	if !out.Complete() {
		return nil, refused // a key is repeated
	}
	return out, i
}

func (v *Values) elements(n *readTree, s string, i, depth int) (any, int) {
	items := n.items
	if n.whole {
		items = n
	}
	i = jsonscan.Space(s, i)
	if i < len(s) && s[i] == ']' {
		return noElements, i + 1
	}
	base := len(v.stack)
	for more := true; more; {
		value, end := v.readValue(items, s, i, depth)
		if end < 0 {
			return nil, refused
		}
		v.stack = append(v.stack, value)
		i, more = jsonscan.Next(s, end, ']')
	}
	out := v.list(v.stack[base:])
	v.most = max(v.most, len(v.stack))
	v.stack = v.stack[:base]
	return out, i
}

// object returns an empty map.
func (v *Values) object() map[string]any {
	if v.used == len(v.maps) {
		v.maps = append(v.maps, make(map[string]any))
	}
	v.used++
	return v.maps[v.used-1]
}

// leanObject returns an empty list of members.
func (v *Values) leanObject() *rawobject.List {
	if v.leaned == len(v.lean) {
		v.lean = append(v.lean, new(rawobject.List))
	}
	v.leaned++
	return v.lean[v.leaned-1]
}

// list returns a copy of a list.
func (v *Values) list(elements []any) any {
	if len(elements) <= shortList {
		return v.shortList(elements)
	}
	const chunk = 256
	if cap(v.lists)-len(v.lists) < len(elements) {
		// Lists that were made before keep the old memory.
		v.lists = make([]any, 0, max(chunk, 2*cap(v.lists), len(elements)))
	}
	start := len(v.lists)
	v.lists = append(v.lists, elements...)
	return v.lists[start:len(v.lists):len(v.lists)]
}

func (v *Values) shortList(elements []any) any {
	l := &v.short[len(elements)]
	if l.used == len(l.boxes) {
		l.boxes = append(l.boxes, make([]any, len(elements)))
		v.shortItems += len(elements)
	}
	box := l.boxes[l.used]
	l.used++
	copy(box.([]any), elements)
	return box
}

// box returns s as an interface, without an allocation if it was read lately. A
// string has two slots, so that two strings of one object that share a slot do not
// replace each other all the time. The slots of a string are the same in every
// process, and so is the number of allocations.
func (v *Values) box(s string) any {
	if len(s) > longBox {
		return s
	}
	slot := boxOf(s)
	first, second := &v.boxes[slot], &v.boxes[slot^1]
	if old, ok := (*first).(string); ok && old == s {
		return *first
	}
	if old, ok := (*second).(string); !ok || old != s {
		*second = strings.Clone(s)
	}
	*first, *second = *second, *first
	return *first
}

// boxOf returns the slot of a string, which depends on all of its bytes.
func boxOf(s string) uint8 {
	const factor = 0x9e3779b97f4a7c15
	h := uint64(len(s)) * factor
	for i := 0; i+wordSize < len(s); i += wordSize {
		h = (h ^ word(s, i)) * factor
		h ^= h >> 32
	}
	switch n := len(s); {
	case n >= wordSize:
		h ^= word(s, n-wordSize)
	case n > 0:
		h ^= headOf(s)
	}
	return uint8(h * factor >> 56)
}
