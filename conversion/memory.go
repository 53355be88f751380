package conversion

import (
	"errors"
	"io"
	"sync"
)

// errBusy reports that there are as many requests as the handler handles at the same time,
// or that they take all of the memory.
var errBusy = errors.New("too many requests at the same time")

// errMemory reports a request that alone takes more than the memory of all requests.
var errMemory = errors.New("the request would take more memory than there is for all requests")

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

// hold raises the share to n bytes. It returns errMemory or errBusy if the budget does not
// have them.
func (s *share) hold(n int64) error {
	if n > s.of.all {
		return errMemory
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	more := max(0, n-s.held)
	if more > s.of.free {
		return errBusy
	}
	s.of.free -= more
	s.held += more
	return nil
}

// release returns the share to the budget.
func (s *share) release() {
	s.of.mu.Lock()
	s.of.free += s.held
	s.held = 0
	s.of.mu.Unlock()
}

// A meter reads a request. The share holds the memory that a review of this length takes.
type meter struct {
	io.Reader
	share *share
	n     int64
}

func (m *meter) Read(b []byte) (int, error) {
	if err := m.share.hold(2 * textCost * (m.n + int64(len(b)))); err != nil {
		return 0, err
	}
	n, err := m.Reader.Read(b)
	m.n += int64(n)
	return n, err
}
