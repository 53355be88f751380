package conversion

import (
	"errors"
	"io"
	"sync"
	"time"
)

// Limits of calls of a webhook. Those without an option are so far from what a
// conversion needs that none is offered.
const (
	// DefaultTimeout is the maximal duration of a call with its retries, as on
	// the server. [Timeout] sets another.
	DefaultTimeout = 30 * time.Second

	// A response may be this many bytes plus a multiple of the request: a
	// conversion that adds fields makes objects larger, not by orders of
	// magnitude. [MaxResponseBytes] sets another limit.
	minResponseLimit = 64 << 20
	responseFactor   = 4

	// Decoded objects may hold this many bytes plus a multiple of their text.
	// Maps of one short member hold 44 times their text, empty lists 14 times, and a
	// small object of a usual form 9 times: TestMemoryEstimate measures them.
	// [MaxResponseMemory] sets another limit.
	minMemory    = 64 << 20
	memoryFactor = 16

	// maxWhole is the maximal size of what is decoded in one piece: the document
	// without its objects, a document that is not a regular review, YAML, and the
	// body of a failure. Decoders of the server cannot be bounded; they take some milliseconds for this size.
	maxWhole = 1 << 20

	// maxMetadataErrors is the number of errors of labels or annotations that are
	// reported of one object; the rest is counted. The text of one may have
	// maxErrorLength bytes.
	maxMetadataErrors = 1000
	maxErrorLength    = 600

	// maxErrorName is the number of bytes of a name or version in an error; the rest is
	// not shown.
	maxErrorName = 256

	// maxHeaderBytes is the maximal size of the header of a response.
	// net/http allows 10 MiB.
	maxHeaderBytes = 1 << 20

	// idleConnections is the number of connections that a converter keeps for
	// later calls, as on the server, and idleTimeout how long it keeps them.
	idleConnections = 25
	idleTimeout     = 90 * time.Second

	// dialTimeout and handshakeTimeout limit the time until a connection can be used,
	// as on the server.
	dialTimeout      = 30 * time.Second
	handshakeTimeout = 10 * time.Second

	maxAttempts  = 11   // the first one, and ten that the webhook asks for; as on the server
	maxRedirects = 10   // as in net/http
	maxErrorText = 2048 // bytes of a body in an error; as on the server
)

// Limits of [Handler].
const (
	// DefaultMaxRequestBytes is the maximal size of a request without the option
	// [MaxRequestBytes]. The server sends all objects of a list in one request.
	DefaultMaxRequestBytes = 64 << 20

	// DefaultMaxObjects is the maximal number of objects of a review without the
	// option [MaxObjects]. A list without a limit has as many as there are.
	DefaultMaxObjects = 100_000

	// DefaultMaxConcurrent is the maximal number of requests that are handled at
	// the same time without the option [MaxConcurrent]. The server repeats a
	// request that is refused for this reason.
	DefaultMaxConcurrent = 64

	// DefaultMaxConcurrentMemory is the memory, in bytes, that all requests may take
	// together without the option [MaxConcurrentMemory].
	DefaultMaxConcurrentMemory = 512 << 20

	// A request may take minRequestMemory bytes, or requestFactor times its size if that
	// is more. [MaxRequestMemory] sets another limit. Texts count twice and decoded
	// objects three times, for what the garbage collector has not collected and for the
	// result of the conversion.
	minRequestMemory = 256 << 20
	requestFactor    = 8
	textCost         = 2
	objectCost       = 3

	// DefaultHandlerTimeout is the maximal duration of a request without the
	// option [HandlerTimeout]. The server does not wait longer.
	DefaultHandlerTimeout = 30 * time.Second

	maxFailures      = 10   // objects in a message
	maxFailureLength = 1024 // bytes of one error in a message
)

// maxDepth is the maximal nesting of values, as in the server's decoders. An
// encoder takes deeper values for cycles.
const maxDepth = 10_000

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
