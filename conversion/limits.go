package conversion

import (
	"errors"
	"io"
	"sync"
	"time"
)

// Limits of calls of a webhook. The limits without an option are far above what conversions need.
const (
	// DefaultTimeout limits a call with its retries, as on the server. [Timeout] sets another
	// limit.
	DefaultTimeout = 30 * time.Second

	// A response may have this many bytes plus a multiple of the request's. [MaxResponseBytes] sets
	// another limit.
	minResponseLimit = 64 << 20
	responseFactor   = 4

	// Decoded objects may hold this many bytes plus a multiple of their text. Usual objects hold 9
	// times their text, empty lists 14 times, maps of one short member 44 times, as
	// TestMemoryEstimate measures. [MaxResponseMemory] sets another limit.
	minMemory    = 64 << 20
	memoryFactor = 16

	// maxWhole is how many bytes are decoded in one piece, in some milliseconds: the document
	// without its objects, an irregular document, YAML, or the body of a failure.
	maxWhole = 1 << 20

	// maxMetadataErrors is how many errors of the labels or annotations of one object are reported.
	// Each has at most maxErrorLength bytes. The others are counted.
	maxMetadataErrors = 1000
	maxErrorLength    = 600

	// maxErrorName is how many bytes of a name or version an error shows.
	maxErrorName = 256

	// maxHeaderBytes limits the header of a response. net/http allows 10 MiB.
	maxHeaderBytes = 1 << 20

	// idleConnections is how many idle connections are kept, for idleTimeout, as on the server.
	idleConnections = 25
	idleTimeout     = 90 * time.Second

	// dialTimeout and handshakeTimeout are the server's.
	dialTimeout      = 30 * time.Second
	handshakeTimeout = 10 * time.Second

	maxAttempts  = 11   // the first one, and ten more if the webhook asks for them; as on the server
	maxRedirects = 10   // as in net/http
	maxErrorText = 2048 // bytes of a body in an error; as on the server
)

// Limits of [Handler].
const (
	// DefaultMaxRequestBytes limits the size of a request without [MaxRequestBytes]. The server
	// sends all objects of a list in one request.
	DefaultMaxRequestBytes = 64 << 20

	// DefaultMaxObjects limits the number of objects of a review without [MaxObjects].
	DefaultMaxObjects = 100_000

	// DefaultMaxConcurrent limits the number of requests at the same time without [MaxConcurrent].
	// The server repeats a refused request.
	DefaultMaxConcurrent = 64

	// DefaultMaxConcurrentMemory limits the memory in bytes of all requests without
	// [MaxConcurrentMemory].
	DefaultMaxConcurrentMemory = 512 << 20

	// A request may take minRequestMemory bytes, or requestFactor times its size if that is more.
	// [MaxRequestMemory] sets another limit. Texts count twice. Objects count three times, because
	// of garbage and results.
	minRequestMemory = 256 << 20
	requestFactor    = 8
	textCost         = 2
	objectCost       = 3

	// DefaultHandlerTimeout limits a request without [HandlerTimeout]. The server waits as long.
	DefaultHandlerTimeout = 30 * time.Second

	maxFailures      = 10   // objects in a message
	maxFailureLength = 1024 // bytes of one error in a message
)

// maxDepth limits the nesting of values, as in the server's decoders.
const maxDepth = 10_000

// errBusy: there are too many requests, or they take all memory.
var errBusy = errors.New("too many requests at the same time")

var errMemory = errors.New("the request would take more memory than there is for all requests")

// A budget is the memory in bytes that the requests of a handler may take together.
type budget struct {
	all  int64
	mu   sync.Mutex
	free int64
}

// A share is the part of a budget that one request takes.
type share struct {
	of   *budget
	held int64
}

// hold raises the share to n bytes, or returns errMemory or errBusy.
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

func (s *share) release() {
	s.of.mu.Lock()
	s.of.free += s.held
	s.held = 0
	s.of.mu.Unlock()
}

// A meter reads a request. It raises the share to the memory that a review of the read length
// takes.
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
