package conversion

import (
	"errors"
	"io"
	"sync"
	"time"
)

// Limits of calls of a webhook. A limit that no option changes is far above what conversions need.
const (
	// DefaultTimeout is the default of [Timeout], as on the server. It includes retries.
	DefaultTimeout = 30 * time.Second

	// By default a response may have minResponseLimit bytes plus responseFactor times the size of
	// the request; see [MaxResponseBytes].
	minResponseLimit = 64 << 20
	responseFactor   = 4

	// By default decoded objects may hold minMemory bytes plus memoryFactor times their text; see
	// [MaxResponseMemory]. TestMemoryEstimate measures 9 times the text for usual objects, 14 times
	// for empty lists, and 44 times for maps of one short member.
	minMemory    = 64 << 20
	memoryFactor = 16

	// maxWhole limits texts that are decoded in one step, which takes some milliseconds: a review
	// without its objects, YAML, JSON with repeated members, or the body of an error response.
	maxWhole = 1 << 20

	// maxMetadataErrors limits the reported errors about labels or annotations of one object.
	// Further errors are counted. Each error has at most maxErrorLength bytes.
	maxMetadataErrors = 1000
	maxErrorLength    = 600

	// maxErrorName limits the bytes of a name or version in an error.
	maxErrorName = 256

	// maxHeaderBytes limits the header of a response. net/http allows 10 MiB.
	maxHeaderBytes = 1 << 20

	// idleConnections is how many idle connections are kept, for idleTimeout, as on the server.
	idleConnections = 25
	idleTimeout     = 90 * time.Second

	// dialTimeout and handshakeTimeout are the server's.
	dialTimeout      = 30 * time.Second
	handshakeTimeout = 10 * time.Second

	maxAttempts  = 11   // the first attempt, and ten more if the webhook asks for them; as on the server
	maxRedirects = 10   // as in net/http
	maxErrorText = 2048 // bytes of a body in an error; as on the server
)

// Limits of [Handler].
const (
	// DefaultMaxRequestBytes is the default of [MaxRequestBytes]. The server sends all objects of a
	// list in one request.
	DefaultMaxRequestBytes = 64 << 20

	// DefaultMaxObjects is the default of [MaxObjects].
	DefaultMaxObjects = 100_000

	// DefaultMaxConcurrent is the default of [MaxConcurrent].
	DefaultMaxConcurrent = 64

	// DefaultMaxConcurrentMemory is the default of [MaxConcurrentMemory], unless
	// [MaxRequestBytes] raises it.
	DefaultMaxConcurrentMemory = 512 << 20

	// By default a request may take minRequestMemory bytes, or requestFactor times its size if that is
	// more; see [MaxRequestMemory]. A text takes textCost times its size. An object takes objectCost
	// times its size, with the result of its conversion and garbage.
	minRequestMemory = 256 << 20
	requestFactor    = 8
	textCost         = 2
	objectCost       = 3

	// DefaultHandlerTimeout is the default of [HandlerTimeout]. The server waits as long.
	DefaultHandlerTimeout = 30 * time.Second

	maxFailures      = 10   // objects in a message
	maxFailureLength = 1024 // bytes of one error in a message
)

// maxDepth limits the nesting of values, as in the server's decoders.
const maxDepth = 10_000

// errBusy: there are too many requests, or they take all the memory.
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

// A meter reads a request. It raises the share to the memory that the text takes so far.
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
