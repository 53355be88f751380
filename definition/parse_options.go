package definition

import "errors"

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
type ParseOption interface{ apply(*parseConfig) }

type parseOption func(*parseConfig)

func (o parseOption) apply(c *parseConfig) { o(c) }

type parseConfig struct {
	size, nesting int
	tolerant      bool
	found         func(error) // nil for nobody
}

func parseConfigOf(opts []ParseOption) *parseConfig {
	cfg := &parseConfig{size: DefaultMaxSize, nesting: DefaultMaxNesting}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(cfg)
		}
	}
	return cfg
}

// tolerate reports the errors of strict decoding, and whether Parse goes on.
func (c *parseConfig) tolerate(strict []error) bool {
	if len(strict) > 0 && !c.tolerant {
		return false
	}
	for _, err := range strict {
		if c.found != nil {
			c.found(err)
		}
	}
	return true
}

// MaxSize makes [Parse] refuse a text of more than size bytes, so every text if size is
// negative. The default is [DefaultMaxSize].
func MaxSize(size int) ParseOption {
	return parseOption(func(c *parseConfig) { c.size = size })
}

// MaxNesting makes [Parse] refuse a text in which more than levels objects and lists are
// nested in each other, so every text if levels is not positive. The decoder reads at most
// 10,000 levels, whatever the option says. The default is [DefaultMaxNesting].
func MaxNesting(levels int) ParseOption {
	return parseOption(func(c *parseConfig) { c.nesting = levels })
}

// Tolerant makes [Parse] drop unknown fields and take the last one of duplicate fields, as
// a server does for a request without strict field validation. It calls found, if that is
// not nil, with the error for each of them: one for all duplicate keys of a YAML text, and
// one for each other field. The calls end before Parse returns.
func Tolerant(found func(error)) ParseOption {
	return parseOption(func(c *parseConfig) { c.tolerant, c.found = true, found })
}

// ErrRefused is what the errors of [Parse] are, by [errors.Is], for a text with which a
// server refuses a request: unknown and duplicate fields, values of a wrong type, and what
// v1beta1 allows and v1 cannot express. Other errors are about a text that is not a
// definition, or cannot be read.
var ErrRefused = errors.New("the server refuses the definition")

// A refusedText is an error that is ErrRefused.
type refusedText struct{ error }

// Is reports whether the target is ErrRefused.
func (r refusedText) Is(target error) bool { return target == ErrRefused }

// Unwrap returns the error itself.
func (r refusedText) Unwrap() error { return r.error }
