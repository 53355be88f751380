package fastpath

import (
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/names/nameindex"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// A readTree says which parts of a value to decode for the rules. A nil tree means no part.
type readTree struct {
	whole  bool
	kind   bool // only the kind of the value is read
	fields []readField
	names  nameindex.Index // of fields
	values *readTree       // of undeclared fields
	items  *readTree
}

type readField struct {
	name string
	tree *readTree
	text string // `"name":` in canonical form
}

var (
	onlyKind   = &readTree{kind: true}
	onlyValue  = &readTree{}
	everything = &readTree{whole: true}
)

func (n *readTree) setFields(fields map[string]*readTree) {
	names := slices.Sorted(maps.Keys(fields))
	n.names, n.fields = nameindex.New(names), nil
	for _, name := range names {
		text, _ := jsonscan.AppendString(nil, name)
		n.fields = append(n.fields, readField{name, fields[name], string(text) + ":"})
	}
}

func (n *readTree) child(name string) *readTree {
	if n.whole {
		return n
	}
	if i := n.names.Find(name); i >= 0 {
		return n.fields[i].tree
	}
	return n.values
}

// guess tries whether the key at s[i] is one of the next two fields. It returns the field and the
// index of the value, or the index 0 if it is neither.
func (n *readTree) guess(s string, i int, next *int) (string, *readTree, int) {
	for k := *next; k < len(n.fields) && k < *next+2; k++ {
		f := &n.fields[k]
		if at := i + len(f.text); at < len(s) && s[at] > ' ' && s[i:at] == f.text {
			*next = k + 1
			return f.name, f.tree, at
		}
	}
	return "", nil, 0
}

// presence returns the readTree for rules that only test presence. Strings with a format are
// decoded, because CEL converts them.
func presence(n *schema.Node) *readTree {
	if n.Limits().Format != "" {
		return onlyValue
	}
	return onlyKind
}

type readCompiler struct {
	done map[*schema.Node]*readTree // for values that no rule of an enclosing value reads
	sets func(*schema.Node) *fieldaccess.ReadSet
}

// compileReads returns the readTree for objects of n. If sets is nil, rules read everything.
func compileReads(n *schema.Node, sets func(*schema.Node) *fieldaccess.ReadSet) *readTree {
	if sets == nil {
		sets = fieldaccess.AllOf
	}
	c := readCompiler{done: make(map[*schema.Node]*readTree), sets: sets}
	return c.compileNode(n, nil)
}

// compileNode returns the readTree for values of n. outer has the read sets of rules of enclosing
// values.
func (c *readCompiler) compileNode(n *schema.Node, outer []*fieldaccess.ReadSet) *readTree {
	if n == nil || len(outer) == 0 && !n.Facts().Has(schema.HasRules) {
		return nil
	}
	if len(outer) > 0 {
		return c.compile(n, outer)
	}
	done, ok := c.done[n]
	if !ok {
		done = c.compile(n, nil)
		c.done[n] = done
	}
	return done
}

func (c *readCompiler) compile(n *schema.Node, reads []*fieldaccess.ReadSet) *readTree {
	if len(n.Rules()) > 0 {
		if own := c.sets(n); own != nil {
			reads = append(slices.Clip(reads), own)
		}
	}
	access := fieldaccess.Unread
	for _, r := range reads {
		access = max(access, r.Access())
	}
	additional, declared := n.AdditionalProperties()
	if access == fieldaccess.Everything || declared && n.Len() > 0 {
		return everything
	}
	out, fields := &readTree{}, make(map[string]*readTree)
	for name, p := range n.Properties() {
		if field := c.compileNode(p, below(reads, func(r *fieldaccess.ReadSet) *fieldaccess.ReadSet { return r.Field(name) })); field != nil {
			fields[name] = field
		}
	}
	out.setFields(fields)
	elements := below(reads, (*fieldaccess.ReadSet).Elements)
	out.values, out.items = c.compileNode(additional, elements), c.compileNode(n.Items(), elements)
	if len(out.fields) == 0 && out.values == nil && out.items == nil && access <= fieldaccess.Presence {
		return presence(n)
	}
	// Rules may count elements and entries, so they must be present.
	if additional != nil && out.values == nil {
		out.values = presence(additional)
	}
	if n.Items() != nil && out.items == nil {
		out.items = presence(n.Items())
	}
	return out
}

func below(reads []*fieldaccess.ReadSet, part func(*fieldaccess.ReadSet) *fieldaccess.ReadSet) []*fieldaccess.ReadSet {
	var out []*fieldaccess.ReadSet
	for _, r := range reads {
		if p := part(r); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// Rules run on decoded values. The type values decodes only what the rules read. Its memory is
// reused for the next request, so nothing may refer to a value after the rules are evaluated.

// values decodes texts for rules. It belongs to one goroutine.
type values struct {
	plan  *Plan
	maps  []map[string]any
	used  int   // number of maps in use
	lists []any // memory of the decoded lists
	stack []any // elements of the open lists
	// boxes are recently read strings, each as an interface.
	boxes [boxCount]any
}

const (
	boxCount  = 256 // slots have the numbers 0 to 255
	longBox   = 64  // longer strings rarely repeat
	mostMaps  = 1 << 12
	mostItems = 1 << 14
)

func (p *Plan) newValues() *values {
	v, pooled := p.values.Get().(*values)
	if !pooled {
		v = &values{}
	}
	v.plan = p
	return v
}

// release makes the memory of all decoded values free for reuse.
func (v *values) release() {
	if len(v.maps) > mostMaps || cap(v.lists) > mostItems || cap(v.stack) > mostItems {
		return
	}
	for _, m := range v.maps[:v.used] {
		clear(m)
	}
	clear(v.lists)
	clear(v.stack[:cap(v.stack)])
	v.used, v.lists, v.stack = 0, v.lists[:0], v.stack[:0]
	v.plan.values.Put(v)
}

// object decodes the parts of an object that n names. Other fields are absent. Elements of lists
// are never left out.
func (v *values) object(n *readTree, text string) (map[string]any, bool) {
	value, ok := v.read(n, text)
	m, isObject := value.(map[string]any)
	return m, ok && isObject
}

// read decodes the parts of a value that n names. It returns false if the text cannot be read.
func (v *values) read(n *readTree, text string) (any, bool) {
	value, end := v.value(n, text, jsonscan.Space(text, 0), jsonscan.MaxDepth)
	return value, end >= 0 && jsonscan.Space(text, end) == len(text)
}

// value decodes the parts of the value at s[i] that n names. It returns the index after the value,
// or a negative number if the text cannot be read.
func (v *values) value(n *readTree, s string, i, depth int) (any, int) {
	switch {
	case i >= len(s) || depth < 0:
		return nil, refused
	case n == nil:
		return v.newMap(), jsonscan.Skip(s, i)
	case n.kind:
		return sameKind(s[i]), jsonscan.Skip(s, i)
	case s[i] == '[' && (n.whole || n.items != nil):
		return v.elements(n, s, i+1, depth-1)
	case s[i] == '{':
		return v.members(n, s, i+1, depth-1)
	case s[i] == '"':
		end, text := jsonscan.String(s, i+1)
		if end < 0 || text&jsonscan.Escaped != 0 {
			return jsonscan.Value(s, i)
		}
		return v.box(s[i+1 : end]), end + 1
	}
	return jsonscan.Value(s, i)
}

// sameKind returns a value of the same kind as the JSON value that begins with c. The caller must
// not change it.
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

func (v *values) members(n *readTree, s string, i, depth int) (any, int) {
	out := v.newMap()
	i = jsonscan.Space(s, i)
	if i < len(s) && s[i] == '}' {
		return out, i + 1
	}
	for next, more := 0, true; more; {
		key, below, at := n.guess(s, i, &next)
		if at == 0 {
			if key, at = jsonscan.DecodedKey(s, i); at < 0 {
				return nil, refused
			}
			below = n.child(key)
		}
		end := refused
		if below == nil {
			end = jsonscan.Skip(s, at)
		} else {
			before := len(out)
			var value any
			value, end = v.value(below, s, at, depth)
			if out[key] = value; len(out) == before {
				return nil, refused // a repeated key
			}
		}
		if end < 0 {
			return nil, refused
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return out, i
}

func (v *values) elements(n *readTree, s string, i, depth int) (any, int) {
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
		value, end := v.value(items, s, i, depth)
		if end < 0 {
			return nil, refused
		}
		v.stack = append(v.stack, value)
		i, more = jsonscan.Next(s, end, ']')
	}
	out := v.list(v.stack[base:])
	v.stack = v.stack[:base]
	return out, i
}

func (v *values) newMap() map[string]any {
	if v.used == len(v.maps) {
		v.maps = append(v.maps, make(map[string]any))
	}
	v.used++
	return v.maps[v.used-1]
}

func (v *values) list(elements []any) any {
	const chunk = 256
	if cap(v.lists)-len(v.lists) < len(elements) {
		// Lists that were made before still use the old memory.
		v.lists = make([]any, 0, max(chunk, 2*cap(v.lists), len(elements)))
	}
	start := len(v.lists)
	v.lists = append(v.lists, elements...)
	return v.lists[start:len(v.lists):len(v.lists)]
}

// box returns s as an interface. Strings that were read recently share one copy. Each string has
// two possible slots, which depend only on its bytes.
func (v *values) box(s string) any {
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

// boxOf returns the first slot of a string in values.boxes.
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
