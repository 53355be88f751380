package schema

// The slabs allocate the small parts of nodes in larger pieces. All nodes of a
// schema live as long as its root.
type slabs struct {
	nodes    slab[Node]
	names    slab[string]
	props    slab[*Node]
	branches slab[*Branch]
	limits   slab[limits]

	annotations slab[Annotations]
	notes       slab[*Annotations]
}

// annotation returns a copy of a that shares no list of properties with it.
func (s *slabs) annotation(a *Annotations) *Annotations {
	out := &s.annotations.take(1)[0]
	*out = *a
	out.properties = s.notes.copyOf(a.properties)
	return out
}

type slab[T any] struct {
	free []T
	last int // size of the latest piece
}

const largestSlab = 64

// take returns a slice of n zero values.
func (s *slab[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		s.last = min(max(2, 2*s.last), largestSlab)
		s.free = make([]T, max(n, s.last))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

func (s *slab[T]) copyOf(list []T) []T {
	out := s.take(len(list))
	copy(out, list)
	return out
}
