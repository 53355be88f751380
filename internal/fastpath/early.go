package fastpath

import (
	"math/bits"
	"slices"
)

// Members mostly come in order. The default of a member that is missing is then written
// before the next member, so that the object need not be sorted when it is complete.

// fillBefore adds the defaults of the members between the last member and member n, which
// begins at s[i]. It only knows requests that create and sinks that write, and leaves the
// rest to completeMembers. If such a member comes later, unfill takes its default back.
func (w *walk) fillBefore(o *objectWalk, n, i int) {
	if !o.sorted || !w.request.Create || w.splices {
		return
	}
	missing := o.missingBefore(n) & o.node.members.defaults[0]
	if missing != 0 && o.kept == 0 {
		w.flush() // The byte before the member may be a space, where others have a comma.
		w.pending = span{len(w.s), len(w.s)}
	}
	for ; missing != 0; missing &= missing - 1 {
		index := bits.TrailingZeros64(missing)
		if o.node.members.list[index].node.fill.decline != accepted {
			continue // which declines the object if the member does not come
		}
		w.fill(o, index, i)
		o.early |= missing & -missing
		o.set |= missing & -missing
	}
}

// missingBefore returns the members before member n that are required or have a default,
// and have not come.
func (o *objectWalk) missingBefore(n int) uint64 { return o.node.members.first &^ o.set & (1<<n - 1) }

// unfill takes back the default of a member that comes out of order. It reports false if
// fillBefore has not added it. The members are not in order then, so that the object is
// written anew when it is complete.
func (w *walk) unfill(o *objectWalk, index int) bool {
	if index >= setSize || o.early>>index&1 == 0 {
		return false
	}
	o.early &^= 1 << index
	at := slices.IndexFunc(w.entries[o.base:], func(e entry) bool { return e.member == index })
	w.entries = slices.Delete(w.entries, o.base+at, o.base+at+1)
	o.kept--
	return true
}
