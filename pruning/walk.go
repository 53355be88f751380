package pruning

// The compiled walk. To go through a Go map is what costs most, so it is
// avoided: where the schema has not many more fields than the object, each is
// looked up in the object, and if that finds as many fields as the object has
// there can be no others. Schemas of scalars compile to one node that only
// wants to know whether the value is, against the schema, a map or a list.
//
// Where there are others they are mostly not looked for either. Who sends one
// unknown field sends more, so from the first on the walk is wary: it remembers
// what it finds in a small map, and if that is not all it empties the map and
// puts back what it found. A map of a few entries is made in less time than it
// takes to go through it.
//
// All functions say whether they are wary afterwards. [walker] does the same
// and tells what it removes.

// prune prunes m.
func (n *node) prune(m map[string]any) { n.object(m, false) }

// value prunes a value. Most are not containers, which those who ask for
// themselves save a call for.
func (n *node) value(v any, wary bool) bool {
	switch v := v.(type) {
	case map[string]any:
		return n.object(v, wary)
	case []any:
		return n.list(v, wary)
	}
	return wary
}

func (n *node) list(list []any, wary bool) bool {
	if n.items == nil {
		return wary
	}
	for _, v := range list {
		switch v := v.(type) {
		case map[string]any:
			wary = n.items.object(v, wary)
		case []any:
			wary = n.items.list(v, wary)
		}
	}
	return wary
}

func (n *node) object(m map[string]any, wary bool) bool {
	switch {
	case len(m) == 0:
		return wary
	case len(n.fields) == 0:
		return n.nameless(m, wary)
	case !n.dense(len(m)):
		return n.scan(m, wary)
	case wary && n.others == dropOthers && len(m) <= smallMap:
		return n.rebuild(m)
	}
	return n.probe(m, wary)
}

// nameless prunes a map by a schema that knows no field by name.
func (n *node) nameless(m map[string]any, wary bool) bool {
	switch n.others {
	case dropOthers:
		clear(m)
		return true
	case walkOthers:
		for _, v := range m {
			if isContainer(v) {
				wary = n.rest.value(v, wary)
			}
		}
	}
	return wary
}

// probe looks up the known fields in m and prunes their values. Unless fields
// of other names stay anyway it deals with those as well.
func (n *node) probe(m map[string]any, wary bool) bool {
	unknown := len(m)
	for i := range n.fields {
		f := &n.fields[i]
		v, ok := m[f.name]
		if !ok {
			continue
		}
		if f.node != nil {
			switch v := v.(type) {
			case map[string]any:
				wary = f.node.object(v, wary)
			case []any:
				wary = f.node.list(v, wary)
			}
		}
		if unknown--; unknown == 0 {
			return wary
		}
	}
	switch {
	case n.others == keepOthers:
		return wary
	case n.others == dropOthers && unknown == len(m):
		clear(m)
		return true
	}
	return n.sweep(m, unknown, wary)
}

// rebuild is like probe for a small map that fields of other names are removed
// from.
func (n *node) rebuild(m map[string]any) bool {
	var found [smallMap]struct {
		value any
		field int
	}
	count := 0
	for i := range n.fields {
		f := &n.fields[i]
		v, ok := m[f.name]
		if !ok {
			continue
		}
		found[count].value, found[count].field = v, i
		if f.node != nil && isContainer(v) {
			f.node.value(v, true)
		}
		if count++; count == len(m) {
			return true
		}
	}
	clear(m)
	for i := range found[:count] {
		m[n.fields[found[i].field].name] = found[i].value
	}
	return true
}

// sweep deals with the given number of fields of m that are not known by name.
func (n *node) sweep(m map[string]any, unknown int, wary bool) bool {
	for name, v := range m {
		if n.index.Find(name) >= 0 {
			continue
		}
		wary = n.other(m, name, v, wary)
		if unknown--; unknown == 0 {
			break
		}
	}
	return wary
}

// scan goes through m and prunes every value.
func (n *node) scan(m map[string]any, wary bool) bool {
	for name, v := range m {
		f := n.field(name)
		switch {
		case f == nil:
			wary = n.other(m, name, v, wary)
		case f.node != nil && isContainer(v):
			wary = f.node.value(v, wary)
		}
	}
	return wary
}

// other deals with a field that is not known by name.
func (n *node) other(m map[string]any, name string, v any, wary bool) bool {
	switch n.others {
	case dropOthers:
		delete(m, name)
		return true
	case walkOthers:
		return n.rest.value(v, wary)
	}
	return wary
}

// isContainer reports whether v is a map or a list.
func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
