package leafcheck

// Free returns kinds of scalars of which every value is valid if n accepts the
// kind. It may leave out such kinds. It has both kinds of floats or none.
func (n *Node) Free() Mask {
	if n == nil {
		return All
	}
	if n.Enum != nil {
		return 0
	}
	free := Null | Bool | (Int|Float)&^n.limited
	if n.Text == nil {
		free |= String
	}
	if n.Nested == nil {
		return free
	}
	for _, kind := range [...]Mask{Bool, Int, Float, String} {
		if !n.Nested.admitsKind(kind) {
			free &^= kind
		}
	}
	return free
}

// admitsKind reports whether the branches admit every scalar of the kind. It may
// report false if they do.
func (j *Junctors) admitsKind(kind Mask) bool {
	for _, b := range j.AllOf {
		if !b.admitsKind(kind) {
			return false
		}
	}
	any := len(j.AnyOf) == 0
	for _, b := range j.AnyOf {
		any = any || b.admitsKind(kind)
	}
	return any && len(j.OneOf) == 0 && j.Not == nil
}

func (n *Node) admitsKind(kind Mask) bool { return n.Accept&n.Free()&kind == kind }

// ChecksWhole reports whether the validity of a value does not only depend on its
// type, limits and parts. [Node.ValidWhole] checks the rest.
func (n *Node) ChecksWhole() bool { return n.Enum != nil || n.Nested != nil }

// ValidWhole reports whether v, which is not null, satisfies enum and junctors.
func (n *Node) ValidWhole(v any) bool {
	return (n.Enum == nil || n.Enum.Valid(v)) && (n.Nested == nil || n.Nested.Valid(v))
}
