package fastpath

// Watch makes f show each candidate to see, which reports whether f may forgive it.
func (f *Ratchet) Watch(see func(at Location) bool) { f.watch = see }
