package pathstack

// A Recorder is the location of a walk and the paths that the walk has recorded.
// P is the type of a path and S that of its steps.
//
// A package that both changes objects and reports its changes passes a *Recorder
// through its walk, nil if the caller wants no report. Every method does nothing
// on a nil Recorder, so that one walk serves both. The walk enters only values
// that it looks into. A path is copied when it is recorded.
//
// The zero Recorder is at the root.
type Recorder[P ~[]S, S any] struct {
	steps [inline]S // the location, while depth is at most inline
	deep  []S       // the location, once depth has exceeded inline
	depth int

	paths []P
	slab  []S // memory for the next paths
}

// inline is the depth up to which a walk allocates nothing for its location.
const inline = 16

// Enter pushes a step.
func (r *Recorder[P, S]) Enter(s S) {
	if r != nil {
		r.enter(s)
	}
}

func (r *Recorder[P, S]) enter(s S) {
	switch {
	case r.deep != nil:
		r.deep = append(r.deep[:r.depth], s)
	case r.depth < inline:
		r.steps[r.depth] = s
	default:
		r.deep = append(make([]S, 0, 4*inline), r.steps[:]...)
		r.deep = append(r.deep, s)
	}
	r.depth++
}

// Leave pops the last step.
func (r *Recorder[P, S]) Leave() {
	if r != nil {
		r.depth--
	}
}

// Record records the path one step below the location.
func (r *Recorder[P, S]) Record(s S) {
	if r != nil {
		r.record(s)
	}
}

func (r *Recorder[P, S]) record(s S) {
	location := r.deep
	if location == nil {
		location = r.steps[:]
	}
	n := r.depth + 1
	if cap(r.slab)-len(r.slab) < n {
		r.slab = make([]S, 0, r.slabSize(n))
	}
	start := len(r.slab)
	r.slab = append(append(r.slab, location[:r.depth]...), s)
	r.paths = append(r.paths, P(r.slab[start:len(r.slab):len(r.slab)]))
}

// slabSize returns the size of the next slab: room for one path of n steps at
// first, and later for as many paths as there are already.
func (r *Recorder[P, S]) slabSize(n int) int { return min(n*(len(r.paths)+1), max(n, 1024)) }

// Paths returns the recorded paths, nil if there are none. They belong to the caller, and
// no path shares memory with another.
func (r *Recorder[P, S]) Paths() []P { return r.paths }
