package fastpath

import (
	"math"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// A walk is the state of one call. Its methods that read a value return the
// index after it, or refused; nothing that a walk has written counts then.
type walk struct {
	plan    *Plan
	request Request
	s       string
	out     []byte

	entries  []entry  // of the objects that are being walked
	most     int      // entries that there were at the end of an object
	seen     []uint64 // sets of the members of those objects
	keys     []span   // of the elements of the lists that are being walked
	scratch  []byte
	table    []slot
	depth    int
	typed    int        // members of the root that every object has
	touched  bool       // the output means something else than the input
	roots    []entry    // members of the root
	edits    []textEdit // instead of out, see splice.go
	keyTexts []string   // instead of keys
	meta     metadataText
	metaText []byte           // of metadata that is spliced in
	plain    objectmeta.Plain // metadata that was not asked about
	entered  int              // where a walk that forgives reads a value, plus one
	inStatus bool             // s is the status of the request
	finds
}

const refused = -1

// An entry is a member of an object.
type entry struct {
	key string
	span
	member int // index of the declared member, negative if it is not declared
}

// entrySize is about what an entry takes.
const entrySize = 40

// A span is a part of out; for entries from key to value. A member that was
// removed has gone as its start.
type span struct{ start, end int }

const gone = -1

const undeclared = -1

// typedMembers is how many members every object has: apiVersion, kind and
// metadata.
const typedMembers = 3

func (w *walk) run() bool {
	i := jsonscan.Space(w.s, 0)
	if i >= len(w.s) || w.s[i] != '{' {
		return false
	}
	if w.request.Splice {
		end := w.spliceObject(w.plan.root, i, nil)
		return end >= 0 && w.typed == typedMembers && jsonscan.Space(w.s, end) == len(w.s)
	}
	end := w.object(w.plan.root, i, w.plan.metadata)
	return end >= 0 && w.typed == typedMembers && jsonscan.Space(w.s, end) == len(w.s)
}

// value handles the value at s[i], which is there.
func (w *walk) value(n *node, i int) int {
	if w.request.Forgive != nil {
		if w.entered != i+1 {
			return w.forgiven(n, i, (*walk).value)
		}
		w.entered = 0
	}
	if n.odd || i >= len(w.s) {
		return refused
	}
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

// opaque writes a value that stays as it is.
func (w *walk) opaque(n *node, i int) int {
	v, end := jsonscan.Value(w.s, i)
	if end < 0 || blurred(v) || !n.check.Valid(v) {
		return refused
	}
	var ok bool
	if w.out, ok = jsonscan.Append(w.out, v); !ok {
		return refused
	}
	return end
}

// resource reports whether an embedded resource that is written from start on
// is as the server would write it, and valid.
func (w *walk) resource(o *objectWalk) bool {
	m := make(map[string]any, len(resourceMembers))
	for _, name := range resourceMembers {
		i, _ := o.node.members.at(name)
		span := w.valueOf(o, i)
		if span.end == 0 {
			continue
		}
		v, ok := jsonscan.Decode(string(w.out[span.start:span.end]))
		if !ok {
			return false
		}
		m[name] = v
	}
	return objectmeta.OrdinaryResource(m)
}

func (w *walk) literal(n *node, i int, kind leafcheck.Mask, word string, v any) int {
	if n.accept&kind == 0 || n.free&kind == 0 && !n.check.Valid(v) {
		return refused
	}
	w.out = append(w.out, word...)
	return jsonscan.Literal(w.s, i, word)
}

func (w *walk) text(n *node, i int) int {
	end, text := jsonscan.String(w.s, i+1)
	if end < 0 || n.accept&leafcheck.String == 0 {
		return refused
	}
	value := w.s[i+1 : end]
	if text&jsonscan.Escaped != 0 {
		var ok bool
		if w.scratch, ok = jsonscan.Unescape(w.scratch[:0], value); !ok {
			return refused
		}
		value = string(w.scratch)
	}
	if n.free&leafcheck.String == 0 && !validText(n.check, value) {
		return refused
	}
	if text == 0 {
		w.out = append(w.out, w.s[i:end+1]...)
		return end + 1
	}
	var ok bool
	if w.out, ok = jsonscan.AppendString(w.out, value); !ok {
		return refused
	}
	return end + 1
}

func validText(n *leafcheck.Node, s string) bool {
	if n.Text != nil && !n.Text.Valid(s) || n.Enum != nil && !n.Enum.ValidString(s) {
		return false
	}
	return n.Nested == nil || n.Nested.ValidString(s)
}

func (w *walk) number(n *node, i int) int {
	end, num := jsonscan.Number(w.s, i)
	if end < 0 {
		return refused
	}
	if num.IsFloat {
		return w.float(n, num.Float, end)
	}
	if n.accept&leafcheck.Int == 0 || n.free&leafcheck.Int == 0 && !n.validInt(num.Int) {
		return refused
	}
	if w.s[i] == '-' && num.Int == 0 {
		w.out = append(w.out, '0') // the only integer that has two spellings
	} else {
		w.out = append(w.out, w.s[i:end]...)
	}
	return end
}

// float writes a float64, unless it is written like an integer: then it could
// not be told from one later on.
func (w *walk) float(n *node, f float64, end int) int {
	if !validFloat(n, f) {
		return refused
	}
	start := len(w.out)
	if w.out = jsonscan.AppendFloat(w.out, f); !jsonscan.IsFloat(w.out[start:]) {
		return refused
	}
	return end
}

func validFloat(n *node, f float64) bool {
	return n.accept&leafcheck.Float != 0 && (n.accept&leafcheck.Float != leafcheck.Whole || leafcheck.IsWhole(f)) &&
		(n.free&leafcheck.Float != 0 || n.check.Valid(f))
}

func (n *node) validInt(v int64) bool {
	return (!n.replicas || v >= 0 && v <= math.MaxInt32) && validInt(n.check, v)
}

func validInt(n *leafcheck.Node, v int64) bool {
	if n.Number != nil && !n.Number.ValidInt(v) || n.Enum != nil && !n.Enum.ValidInt(v) {
		return false
	}
	return n.Nested == nil || n.Nested.Valid(v)
}

// finished reports whether the value written from start on satisfies what is
// asked of it as a whole.
func (w *walk) finished(n *node, start int) bool {
	if !n.whole {
		return true
	}
	v, ok := jsonscan.Decode(string(w.out[start:]))
	if !ok {
		return false
	}
	return (n.check.Enum == nil || n.check.Enum.Valid(v)) && (n.check.Nested == nil || n.check.Nested.Valid(v))
}
