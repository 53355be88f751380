package conversion

import "time"

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
