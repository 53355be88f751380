package conversion

import "sync"

// A budget is the memory, in bytes, that the requests of a handler may take together.
type budget struct {
	all  int64
	mu   sync.Mutex
	free int64
}

// A share is what one request takes of a budget.
type share struct {
	of   *budget
	held int64
}

// hold raises the share to n bytes. It reports false if the budget does not have them.
func (s *share) hold(n int64) bool {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	more := max(0, n-s.held)
	if more > s.of.free {
		return false
	}
	s.of.free -= more
	s.held += more
	return true
}

// release returns the share to the budget.
func (s *share) release() {
	s.of.mu.Lock()
	s.of.free += s.held
	s.held = 0
	s.of.mu.Unlock()
}
