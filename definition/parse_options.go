package definition

import "github.com/crdkit/crdkit/internal/testopt"

// The limits of [Parse] without options. No definition of the public catalogs reaches a
// tenth of either.
const (
	// DefaultMaxSize is the largest text in bytes: ten times what kube-apiserver reads
	// of a request (3 MiB), since YAML with comments and indentation is longer than
	// the JSON that clients send. Parse takes memory in proportion to the text.
	DefaultMaxSize = 32 << 20
	// DefaultMaxNesting is the largest number of objects and lists that are nested in
	// each other. The decoder reads the rest of the text again for each schema in
	// another one, so that its time grows with the square of the nesting. A
	// kube-apiserver reads up to 10,000 levels, in time that grows likewise.
	DefaultMaxNesting = 1_000
)

// A ParseOption changes what [Parse] accepts. A later option wins over an earlier one, and
// a nil ParseOption changes nothing.
type ParseOption interface {
	// ParseOption seals the interface: only this module implements it.
	ParseOption(testopt.Sealed)
}

type parseOption func(*parseLimits)

// ParseOption makes parseOption a ParseOption.
func (parseOption) ParseOption(testopt.Sealed) {}

type parseLimits struct{ size, nesting int }

func parseLimitsOf(opts []ParseOption) parseLimits {
	limits := parseLimits{size: DefaultMaxSize, nesting: DefaultMaxNesting}
	for _, opt := range opts {
		if opt, ok := opt.(parseOption); ok {
			opt(&limits)
		}
	}
	return limits
}

// MaxSize makes [Parse] refuse a text of more than size bytes, so every text if size is
// negative. The default is [DefaultMaxSize].
func MaxSize(size int) ParseOption {
	return parseOption(func(l *parseLimits) { l.size = size })
}

// MaxNesting makes [Parse] refuse a text in which more than levels objects and lists are
// nested in each other, so every text if levels is not positive. The decoder reads at most
// 10,000 levels, whatever the option says. The default is [DefaultMaxNesting].
func MaxNesting(levels int) ParseOption {
	return parseOption(func(l *parseLimits) { l.nesting = levels })
}
