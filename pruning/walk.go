package pruning

// The compiled walk avoids to range over Go maps, which is the largest cost of
// pruning. If the schema does not have many more fields than the map has
// entries, the walk looks up each field of the schema (probe). If it finds as
// many fields as the map has entries, there are no unknown fields.
//
// Objects with one unknown field often have more. After the first, the walk
// remembers the fields that it finds in a small map. If there are others, it
// clears the map and inserts the found fields again (rebuild). That is faster
// than ranging over the map to find the unknown ones. TestManyUnknownFields
// covers both.
//
// All methods take and return unknownSeen: whether the walk has found an
// unknown field. A [reportWalker] does the same and records what it removes.

// prune prunes a whole object.
func (n *node) prune(m map[string]any) { n.object(m, false) }

// pruneValue prunes a value of any type. Callers that mostly have scalars test
// for containers before the call.
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

// pruneWithoutFields prunes m by a node without fields.
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

// probe looks up the fields of n in m and prunes their values. If there are
// other entries that need not stay, it prunes those too.
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

// rebuild prunes a small map whose other entries are removed. It inserts the
// fields that it found into the cleared map.
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

// sweep prunes the entries of m that are not fields of n. There are unknown many.
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

// scan ranges over m and prunes every entry.
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

// other prunes an entry that is not a field of n.
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
