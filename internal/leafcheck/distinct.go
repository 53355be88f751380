package leafcheck

// Distinct reports whether all lists in v conform to their list types. It
// ignores everything else that n declares.
//
// It differs from Valid in one case: additionalProperties also applies to
// declared properties. Only a schema that declares both has this case, and no
// definition may.
func (n *Node) Distinct(v any) bool {
	if n == nil || !n.HasLists {
		return true
	}
	switch v := v.(type) {
	case []any:
		return n.distinctList(v)
	case map[string]any:
		return n.distinctObject(v)
	}
	return true
}

func (n *Node) distinctList(list []any) bool {
	if n.List != nil && !n.List.Distinct(list) {
		return false
	}
	if n.Items == nil || !n.Items.HasLists {
		return true
	}
	for _, v := range list {
		if !n.Items.Distinct(v) {
			return false
		}
	}
	return true
}

func (n *Node) distinctObject(obj map[string]any) bool {
	if a := n.Fields.Additional; a != nil && a.HasLists {
		for _, v := range obj {
			if !a.Distinct(v) {
				return false
			}
		}
	}
	for i := range n.Fields.Props {
		p := &n.Fields.Props[i]
		if !p.Node.HasLists {
			continue
		}
		if v, ok := obj[p.Name]; ok && !p.Node.Distinct(v) {
			return false
		}
	}
	return true
}

// ListsOverlap reports whether Valid and Distinct can disagree about lists
// below n: whether additionalProperties also applies to a declared property.
func (n *Node) ListsOverlap() bool {
	return n.listsOverlap(make(map[*Node]bool))
}

func (n *Node) listsOverlap(seen map[*Node]bool) bool {
	if n == nil || !n.HasLists || seen[n] {
		return false
	}
	seen[n] = true
	if a := n.Fields.Additional; a != nil && a.HasLists && len(n.Fields.Props) > 0 {
		return true
	}
	if n.Items.listsOverlap(seen) || n.Fields.Additional.listsOverlap(seen) {
		return true
	}
	for _, p := range n.Fields.Props {
		if p.Node.listsOverlap(seen) {
			return true
		}
	}
	return false
}
