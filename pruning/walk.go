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
// All functions say whether they are wary afterwards. [reportWalker] does the same
// and tells what it removes.

// prune prunes m.
func (n *node) prune(m map[string]any) { n.object(m, false) }

// walk prunes a value. Most are not containers, which those who ask for
// themselves save a call for.
func (n *node) pruneValue(v any, unknownSeen bool) bool {
	switch v := v.(type) {
	case map[string]any:
		return n.object(v, unknownSeen)
	case []any:
		return n.list(v, unknownSeen)
	}
	return unknownSeen
}

func (n *node) list(list []any, unknownSeen bool) bool {
	if n.items == nil {
		return unknownSeen
	}
	for _, v := range list {
		switch v := v.(type) {
		case map[string]any:
			unknownSeen = n.items.object(v, unknownSeen)
		case []any:
			unknownSeen = n.items.list(v, unknownSeen)
		}
	}
	return unknownSeen
}

func (n *node) object(m map[string]any, unknownSeen bool) bool {
	switch {
	case len(m) == 0:
		return unknownSeen
	case len(n.fields) == 0:
		return n.pruneWithoutFields(m, unknownSeen)
	case !n.probeIsFaster(len(m)):
		return n.scan(m, unknownSeen)
	case unknownSeen && n.others == dropOthers && len(m) <= smallMap:
		return n.rebuild(m)
	}
	return n.probe(m, unknownSeen)
}

// walkWithoutFields prunes a map by a schema that knows no field by name.
func (n *node) pruneWithoutFields(m map[string]any, unknownSeen bool) bool {
	switch n.others {
	case dropOthers:
		clear(m)
		return true
	case walkOthers:
		for _, v := range m {
			if isContainer(v) {
				unknownSeen = n.rest.pruneValue(v, unknownSeen)
			}
		}
	}
	return unknownSeen
}

// probe looks up the known fields in m and prunes their values. Unless fields
// of other names stay anyway it deals with those as well.
func (n *node) probe(m map[string]any, unknownSeen bool) bool {
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
				unknownSeen = f.node.object(v, unknownSeen)
			case []any:
				unknownSeen = f.node.list(v, unknownSeen)
			}
		}
		if unknown--; unknown == 0 {
			return unknownSeen
		}
	}
	switch {
	case n.others == keepOthers:
		return unknownSeen
	case n.others == dropOthers && unknown == len(m):
		clear(m)
		return true
	}
	return n.sweep(m, unknown, unknownSeen)
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
			f.node.pruneValue(v, true)
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
func (n *node) sweep(m map[string]any, unknown int, unknownSeen bool) bool {
	for name, v := range m {
		if n.index.Find(name) >= 0 {
			continue
		}
		unknownSeen = n.other(m, name, v, unknownSeen)
		if unknown--; unknown == 0 {
			break
		}
	}
	return unknownSeen
}

// scan goes through m and prunes every value.
func (n *node) scan(m map[string]any, unknownSeen bool) bool {
	for name, v := range m {
		f := n.field(name)
		switch {
		case f == nil:
			unknownSeen = n.other(m, name, v, unknownSeen)
		case f.node != nil && isContainer(v):
			unknownSeen = f.node.pruneValue(v, unknownSeen)
		}
	}
	return unknownSeen
}

// other deals with a field that is not known by name.
func (n *node) other(m map[string]any, name string, v any, unknownSeen bool) bool {
	switch n.others {
	case dropOthers:
		delete(m, name)
		return true
	case walkOthers:
		return n.rest.pruneValue(v, unknownSeen)
	}
	return unknownSeen
}

// isContainer reports whether v is a map or a list.
func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
