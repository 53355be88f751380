package fastpath

import (
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// The walk that splices writes nothing. It notes what has to change in the
// input, in the order of the input, and mostly that is little or nothing.
//
// A member that goes takes the comma before it along, or the one after it if
// nothing before it stays. That is known when the next member that stays
// begins, or when the object ends; defaults of members that are missing are put
// in at the end.

// A textEdit puts text in the place of a part of the input.
type textEdit struct {
	span
	comma bool   // first a comma
	meta  bool   // at the end the text of the metadata
	name  string // then `"name":`, unless empty
	text  string
}

// A spliceWalk is the state of one object that is being walked.
type spliceWalk struct {
	node  *node
	seen  int   // of its set
	kept  int   // members
	next  int   // declared member that is likely to come next
	end   int   // of the last member that stays, or of the opening brace
	cut   int   // end of the last member that goes, 0 if none goes after end
	keys  []int // members that are keys of the list that the object is in
	texts int   // where the texts of keys begin
	base  int   // of the entries, which here are the keys that are not declared

	sorted   bool // the keys that are not declared, and all are different
	resource map[string]any
}

// spliceObject handles the object at s[i]. The texts of the members keys are
// left in w.keyTexts.
func (w *walk) spliceObject(n *node, i int, keys []int) int {
	if n.accept&leafcheck.Object == 0 || n.odd || w.depth >= jsonscan.MaxDepth {
		return refused
	}
	w.depth++
	o := spliceWalk{node: n, end: i + 1, seen: len(w.seen), base: len(w.entries), keys: keys, texts: len(w.keyTexts), sorted: true}
	for range keys {
		w.keyTexts = append(w.keyTexts, "")
	}
	for range n.members.required {
		w.seen = append(w.seen, 0)
	}
	edits := len(w.edits)
	end := w.spliceMembers(&o, i+1)
	if end < 0 || !w.spliceComplete(&o, end-1) {
		return refused
	}
	if n.embedded && !objectmeta.OrdinaryResource(o.resource) || n.whole && !w.editedValid(n, span{i, end}, edits) {
		return refused
	}
	w.most = max(w.most, len(w.entries))
	w.entries, w.seen = w.entries[:o.base], w.seen[:o.seen]
	w.depth--
	return end
}

func (w *walk) spliceMembers(o *spliceWalk, i int) int {
	i = jsonscan.Space(w.s, i)
	if i < len(w.s) && w.s[i] == '}' {
		return i + 1
	}
	for more := true; more; {
		key, _, at := jsonscan.Key(w.s, i)
		if at < 0 || at >= len(w.s) {
			return refused
		}
		end := w.spliceMember(o, key, i, at)
		if end < 0 {
			return refused
		}
		i, more = jsonscan.Next(w.s, end, '}')
	}
	return i
}

// spliceMember handles the member that begins at s[i] and whose value is at
// s[at].
func (w *walk) spliceMember(o *spliceWalk, key string, i, at int) int {
	n := o.node
	child := n.rest
	index := n.members.lookup(key, &o.next)
	if index >= 0 {
		seen := bitset(w.seen[o.seen:])
		if seen.has(index) {
			return refused
		}
		seen.add(index)
		m := &n.members.list[index]
		child = m.node
		if m.role != ordinary {
			return w.spliceSpecial(o, m, i, at)
		}
	} else {
		if !w.undeclared(o, key) {
			return refused
		}
		switch n.others {
		case refuseOthers:
			return refused
		case dropOthers:
			return w.spliceDrop(o, key, at)
		case keepOthers:
			child = w.plan.keep
		}
	}
	if w.s[at] == 'n' && child.nullDrop {
		if index >= 0 && n.members.required.has(index) {
			return refused
		}
		o.cut = jsonscan.Literal(w.s, at, "null")
		return o.cut
	}
	return w.spliceKept(o, child, key, index, i, at)
}

// spliceKept handles a member that stays.
func (w *walk) spliceKept(o *spliceWalk, child *node, key string, index, i, at int) int {
	w.cutBefore(o, i)
	edits, unknown := len(w.edits), len(w.notes)
	end := w.spliceOrFill(child, at)
	if end < 0 {
		return refused
	}
	w.throughField(unknown, key)
	w.stays(o, key, index, span{at, end})
	if len(o.keys) > 0 || o.node.embedded {
		return w.remember(o, key, index, span{at, end}, edits)
	}
	return end
}

// stays notes a member whose value is v.
func (w *walk) stays(o *spliceWalk, key string, index int, v span) {
	if o.node == w.plan.root {
		w.roots = append(w.roots, entry{key: key, span: v, member: index})
	}
	o.kept++
	o.end = v.end
}

// remember keeps the value of a member that matters for more than itself.
func (w *walk) remember(o *spliceWalk, key string, index int, v span, edits int) int {
	if o.node.embedded && index >= 0 && o.node.members.list[index].node.opaque {
		value, ok := jsonscan.Decode(w.s[v.start:v.end])
		if !ok {
			return refused
		}
		if o.resource == nil {
			o.resource = make(map[string]any, len(resourceMembers))
		}
		o.resource[key] = value
	}
	text := w.s[v.start:v.end]
	if len(w.edits) > edits && text == "null" {
		text = w.edits[edits].text // it gave way to a default
	}
	w.key(o, index, text)
	return v.end
}

// cutBefore takes out the members that go before the one that begins at s[i].
func (w *walk) cutBefore(o *spliceWalk, i int) {
	switch {
	case o.cut == 0:
		return
	case o.kept == 0:
		w.edits = append(w.edits, textEdit{span: span{o.end, i}})
	default:
		w.edits = append(w.edits, textEdit{span: span{o.end, o.cut}})
	}
	o.cut = 0
}

// spliceOrFill handles a value that stays, unless it is a null that gives way
// to a default.
func (w *walk) spliceOrFill(n *node, at int) int {
	if w.s[at] != 'n' || !n.nullFill {
		return w.splice(n, at)
	}
	end := jsonscan.Literal(w.s, at, "null")
	if n.fill.odd || end < 0 {
		return refused
	}
	w.edits = append(w.edits, textEdit{span: span{at, end}, text: n.fill.json})
	return end
}

// undeclared notes the key of a member that is not declared. It reports false
// if the member is for the plain path.
func (w *walk) undeclared(o *spliceWalk, key string) bool {
	if o.node == w.plan.root && isNamedLikeType(key) {
		return false
	}
	if n := len(w.entries); n > o.base && key <= w.entries[n-1].key {
		if key == w.entries[n-1].key {
			return false
		}
		o.sorted = false
	}
	w.entries = append(w.entries, entry{key: key})
	return true
}

// spliceDrop leaves out an undeclared member.
func (w *walk) spliceDrop(o *spliceWalk, key string, at int) int {
	if c := w.s[at]; w.request.Report && (c == '{' || c == '[') {
		o.cut = w.splice(w.plan.keep, at) // which knows of repeated keys
	} else {
		o.cut = jsonscan.Skip(w.s, at)
	}
	if w.request.Report {
		w.found(key)
	}
	return o.cut
}

// spliceSpecial handles a member of the root that has a role.
func (w *walk) spliceSpecial(o *spliceWalk, m *member, i, at int) int {
	index, _ := o.node.members.at(m.name)
	if m.role == droppedRole {
		return w.spliceStatus(o, m, index, i, at)
	}
	w.cutBefore(o, i)
	end := refused
	switch m.role {
	case apiVersionRole:
		end = w.spliceFixed(at, w.plan.apiVersion)
	case kindRole:
		end = w.spliceFixed(at, w.plan.kind)
	case metadataRole:
		end = w.metadataAt(m.node.check, at)
	}
	if end < 0 {
		return refused
	}
	w.typed++
	w.stays(o, m.name, index, span{at, end})
	return end
}

func (w *walk) spliceFixed(at int, text string) int {
	if !strings.HasPrefix(w.s[at:], text) {
		return refused
	}
	return at + len(text)
}

func (w *walk) metadataAt(n *leafcheck.Node, at int) int {
	if end := w.plainMetadata(at); end > 0 {
		w.meta.span = span{at, end}
		return end
	}
	m, end := w.metadataMap(at)
	ok := m != nil
	if !ok {
		return refused
	}
	w.meta.members = len(m)
	if m, ok = w.request.Metadata(m); !ok || !n.Valid(m) {
		return refused
	}
	w.meta.span, w.meta.value = span{at, end}, m
	return end
}

// spliceStatus handles a status that goes, or gives way to another one.
func (w *walk) spliceStatus(o *spliceWalk, m *member, index, i, at int) int {
	edits, unknown := len(w.edits), len(w.notes)
	end := refused
	if w.s[at] == 'n' {
		end = jsonscan.Literal(w.s, at, "null")
	} else {
		end = w.splice(m.node, at)
	}
	if end < 0 {
		return refused
	}
	w.throughField(unknown, m.name)
	w.edits = w.edits[:edits]
	status := w.request.Status
	if status == "" {
		o.cut = end
		return end
	}
	if !w.unspliced(w.plan.statusNode, status) {
		return refused
	}
	w.cutBefore(o, i)
	if w.s[at:end] != status {
		w.edits = append(w.edits, textEdit{span: span{at, end}, text: status})
	}
	w.stays(o, m.name, index, span{at, end})
	return end
}

// unspliced reports whether text is a value for n that may stay as it is.
func (w *walk) unspliced(n *node, text string) bool {
	s, edits, report, unknown := w.s, len(w.edits), w.request.Report, len(w.notes)
	w.s, w.request.Report, w.inStatus = text, false, true
	end := w.splice(n, 0)
	ok := end == len(text) && len(w.edits) == edits && len(w.notes) == unknown
	w.s, w.request.Report, w.inStatus = s, report, false
	return ok
}

// spliceComplete deals with what is known when all members are there. The
// object ends with s[at].
func (w *walk) spliceComplete(o *spliceWalk, at int) bool {
	if o.cut > 0 {
		w.cutAtEnd(o, at)
	}
	m := o.node.members
	for i := range m.required {
		seen := w.seen[o.seen+i]
		if m.required[i]&^seen != 0 {
			return false
		}
		for missing := m.defaults[i] &^ seen; missing != 0; missing &= missing - 1 {
			if !w.spliceMissing(o, i*64+bits.TrailingZeros64(missing), at) {
				return false
			}
		}
	}
	if o.node == w.plan.root && !w.spliceOldStatus(o, at) {
		return false
	}
	if o.kept < m.min || m.max >= 0 && o.kept > m.max {
		return false
	}
	return o.sorted || w.differentKeys(o)
}

func (w *walk) cutAtEnd(o *spliceWalk, at int) {
	end := o.cut
	if o.kept == 0 {
		end = at
	}
	w.edits = append(w.edits, textEdit{span: span{o.end, end}})
	o.cut = 0
}

// spliceMissing puts in the default of a member that is missing.
func (w *walk) spliceMissing(o *spliceWalk, index, at int) bool {
	m := &o.node.members.list[index]
	switch {
	case m.role == droppedRole:
		return true
	case m.node.fill.odd:
		return false
	}
	w.insert(o, m, at, m.node.fill.json)
	w.key(o, index, m.node.fill.json)
	return true
}

// key notes the text of a member if it is a key.
func (w *walk) key(o *spliceWalk, index int, text string) {
	for i, k := range o.keys {
		if k == index {
			w.keyTexts[o.texts+i] = text
		}
	}
}

func (w *walk) insert(o *spliceWalk, m *member, at int, text string) {
	if o.node == w.plan.root {
		w.roots = append(w.roots, entry{key: m.name, span: span{at, at}, member: len(w.edits)})
	}
	w.edits = append(w.edits, textEdit{span: span{at, at}, comma: o.kept > 0, name: m.text, text: text})
	o.kept++
}

// spliceOldStatus puts in the status that the request says, unless there is one
// in whose place it is.
func (w *walk) spliceOldStatus(o *spliceWalk, at int) bool {
	if w.request.Status == "" {
		return true
	}
	index, ok := o.node.members.at("status")
	if !ok || o.node.members.list[index].role != droppedRole {
		return false
	}
	if bitset(w.seen[o.seen:]).has(index) {
		return true
	}
	if !w.unspliced(w.plan.statusNode, w.request.Status) {
		return false
	}
	w.insert(o, &o.node.members.list[index], at, w.request.Status)
	return true
}

func (w *walk) differentKeys(o *spliceWalk) bool {
	list := w.entries[o.base:]
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for i := 1; i < len(list); i++ {
		if list[i].key == list[i-1].key {
			return false
		}
	}
	return true
}

// splice handles the value at s[i], which is there.
func (w *walk) splice(n *node, i int) int {
	if w.request.Forgive != nil {
		if w.entered != i+1 {
			return w.forgiven(n, i, (*walk).splice)
		}
		w.entered = 0
	}
	if n.odd || i >= len(w.s) {
		return refused
	}
	if n.opaque {
		v, end := jsonscan.Value(w.s, i)
		if end < 0 || blurred(v) || !n.check.Valid(v) {
			return refused
		}
		return end
	}
	switch w.s[i] {
	case '"':
		return w.spliceText(n, i)
	case '{':
		return w.spliceObject(n, i, nil)
	case '[':
		return w.spliceList(n, i)
	case 't':
		return w.spliceLiteral(n, i, leafcheck.Bool, "true", true)
	case 'f':
		return w.spliceLiteral(n, i, leafcheck.Bool, "false", false)
	case 'n':
		return w.spliceLiteral(n, i, leafcheck.Null, "null", nil)
	}
	return w.spliceNumber(n, i)
}

func (w *walk) spliceLiteral(n *node, i int, kind leafcheck.Mask, word string, v any) int {
	if n.accept&kind == 0 || n.free&kind == 0 && !n.check.Valid(v) {
		return refused
	}
	return jsonscan.Literal(w.s, i, word)
}

func (w *walk) spliceText(n *node, i int) int {
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
	return end + 1
}

func (w *walk) spliceNumber(n *node, i int) int {
	end, num := jsonscan.Number(w.s, i)
	if end < 0 {
		return refused
	}
	if num.IsFloat {
		if !validFloat(n, num.Float) || writtenAsInt(num.Float) {
			return refused
		}
		return end
	}
	if n.accept&leafcheck.Int == 0 || n.free&leafcheck.Int == 0 && !n.validInt(num.Int) {
		return refused
	}
	return end
}

// writtenAsInt reports whether a float is written like an integer.
func writtenAsInt(f float64) bool {
	const largest = 1e21 // that is written without an exponent
	return f == math.Trunc(f) && math.Abs(f) < largest
}

func (w *walk) spliceList(n *node, i int) int {
	if n.accept&leafcheck.Array == 0 || w.depth >= jsonscan.MaxDepth {
		return refused
	}
	w.depth++
	start, edits, texts := i, len(w.edits), len(w.keyTexts)
	count, slow := 0, false
	i = jsonscan.Space(w.s, i+1)
	if i < len(w.s) && w.s[i] == ']' {
		i++
	} else {
		for more := true; more; count++ {
			if i >= len(w.s) {
				return refused
			}
			unknown := len(w.notes)
			end := w.spliceElement(n, i, &slow)
			if end < 0 {
				return refused
			}
			w.throughElement(unknown, count)
			i, more = jsonscan.Next(w.s, end, ']')
		}
		if i < 0 {
			return refused
		}
	}
	whole := span{start, i}
	if n.list != nil && !w.splicedList(n.list, whole, edits, w.keyTexts[texts:], count, slow) || n.whole && !w.editedValid(n, whole, edits) {
		return refused
	}
	w.keyTexts = w.keyTexts[:texts]
	w.depth--
	return i
}

// spliceElement handles an element. It sets slow if the keys of a list cannot
// be told from the text.
func (w *walk) spliceElement(n *node, i int, slow *bool) int {
	r, items := n.list, n.items
	if r == nil || r.slow || r.kind == leafcheck.AnyList {
		return w.spliceOrFill(items, i)
	}
	if w.s[i] == 'n' {
		*slow = true
		return w.spliceOrFill(items, i)
	}
	from := len(w.keyTexts)
	if r.kind == leafcheck.SetList {
		end := w.splice(items, i)
		if end > 0 {
			w.keyTexts = append(w.keyTexts, w.s[i:end])
		}
		*slow = *slow || end > 0 && blurredText(w.s[i:end])
		return end
	}
	if w.s[i] != '{' {
		*slow = true
		return w.splice(items, i)
	}
	end := w.spliceObject(items, i, r.keys)
	*slow = *slow || end > 0 && slices.ContainsFunc(w.keyTexts[from:], blurredText)
	return end
}

// blurredText reports whether there may be another text for the same value.
func blurredText(s string) bool {
	if s == "" {
		return false
	}
	switch c := s[0]; c {
	case '"':
		return strings.IndexByte(s, '\\') >= 0
	case '{', '[':
		return true
	case 't', 'f', 'n':
		return false
	}
	return s == "-0" || strings.ContainsAny(s, ".eE")
}

// splicedList reports whether a list is what is asked of it apart from its
// elements.
func (w *walk) splicedList(r *listRule, whole span, edits int, texts []string, count int, slow bool) bool {
	if count < r.min || r.max >= 0 && count > r.max {
		return false
	}
	switch {
	case r.slow || slow:
		v, ok := w.edited(whole, edits)
		list, isList := v.([]any)
		return ok && isList && r.check.Distinct(list) && (!r.check.Unique || !leafcheck.HasEqual(list))
	case r.kind == leafcheck.SetList:
		return w.differentTexts(texts, 1)
	case r.kind == leafcheck.MapList:
		return w.differentTexts(texts, len(r.keys))
	}
	return true
}

// differentTexts reports whether all rows of texts of that width are different.
func (w *walk) differentTexts(texts []string, width int) bool {
	rows := len(texts) / width
	if rows > pairwise {
		return w.hashedTexts(texts, width)
	}
	for i := range rows {
		row := texts[i*width : (i+1)*width]
		for j := range i {
			if slices.Equal(row, texts[j*width:(j+1)*width]) {
				return false
			}
		}
	}
	return true
}

func (w *walk) hashedTexts(texts []string, width int) bool {
	rows := len(texts) / width
	mask := w.clearTable(rows)
	for i := range rows {
		row := texts[i*width : (i+1)*width]
		var h uint64
		for _, s := range row {
			h = h*0x9e3779b97f4a7c15 + maphash.String(w.plan.seed, s)
		}
		at := h & mask
		for w.table[at].number != 0 {
			s := w.table[at]
			j := int(s.number - 1)
			if s.hash == uint32(h>>32) && slices.Equal(row, texts[j*width:(j+1)*width]) {
				return false
			}
			at = (at + 1) & mask
		}
		w.table[at] = slot{hash: uint32(h >> 32), number: uint32(i + 1)}
	}
	return true
}

// edited returns the value of a part of the input in which there are all edits
// from the given one on.
func (w *walk) edited(part span, edits int) (any, bool) {
	w.scratch = w.appendEdited(w.scratch[:0], part, w.edits[edits:])
	return jsonscan.Decode(string(w.scratch))
}

func (w *walk) editedValid(n *node, part span, edits int) bool {
	v, ok := w.edited(part, edits)
	return ok && n.finished(v)
}

// appendEdited appends a part of the input with edits of it.
func (w *walk) appendEdited(dst []byte, part span, edits []textEdit) []byte {
	at := part.start
	for i := range edits {
		e := &edits[i]
		dst = append(dst, w.s[at:e.start]...)
		if e.comma {
			dst = append(dst, ',')
		}
		dst = append(append(dst, e.name...), e.text...)
		if e.meta {
			dst = append(dst, w.metaText...)
		}
		at = e.end
	}
	return append(dst, w.s[at:part.end]...)
}

// spliceMetadata puts metadata in its place, unless the input has it already.
func (w *walk) spliceMetadata() {
	if w.meta.spliced {
		return
	}
	w.meta.spliced = true
	ok := true
	if w.meta.plain {
		w.metaText = w.plain.AppendCreated(w.metaText[:0])
	} else {
		w.metaText, ok = jsonscan.Append(w.metaText[:0], w.meta.value)
	}
	before := w.s[w.meta.start:w.meta.end]
	if !ok || string(w.metaText) == before {
		return
	}
	if !w.meta.plain && len(w.meta.value) == w.meta.members {
		if v, _ := jsonscan.Decode(before); jsonval.Equal(v, w.meta.value) {
			return
		}
	}
	i := slices.IndexFunc(w.edits, func(e textEdit) bool { return e.start >= w.meta.end })
	if i < 0 {
		i = len(w.edits)
	}
	w.edits = slices.Insert(w.edits, i, textEdit{span: w.meta.span, meta: true})
	w.meta.edit = i + 1
}

// sameSpliced is sameMember for a text that is spliced.
func (w *walk) sameSpliced(e *entry, text string) (same, ok bool) {
	edits := w.editsIn(e.span)
	switch {
	case e.start == e.end: // put in
		if w.edits[e.member].text == text {
			return true, true
		}
		w.scratch = append(w.scratch[:0], w.edits[e.member].text...)
	case len(edits) == 0 && w.s[e.start:e.end] == text:
		return true, true
	default:
		w.scratch = w.appendEdited(w.scratch[:0], e.span, edits)
	}
	now, before := w.plan.walk(), w.plan.walk()
	defer now.release()
	defer before.release()
	ok = now.canonical(string(w.scratch)) && before.canonical(text)
	return ok && string(now.out) == string(before.out), ok
}

// editsIn returns the edits inside of a part of the input.
func (w *walk) editsIn(part span) []textEdit {
	from := slices.IndexFunc(w.edits, func(e textEdit) bool { return e.start >= part.start && e.end <= part.end && e.start < part.end })
	if from < 0 {
		return nil
	}
	to := from
	for to < len(w.edits) && w.edits[to].start < part.end {
		to++
	}
	return w.edits[from:to]
}
