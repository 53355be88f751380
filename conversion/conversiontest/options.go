package conversiontest

import "github.com/crdkit/crdkit/conversion"

// An Option says what [New] tests, and how. A later option wins over an earlier
// one, and a nil Option changes nothing.
type Option interface{ applyNew(*config) }

type config struct {
	converter conversion.Converter
	convert   conversion.ConvertFunc
	seed      uint64
	count     int
	samples   []map[string]any
}

type option func(*config)

func (f option) applyNew(c *config) { f(c) }

// DefaultCount is how many objects a round trip takes without [Count].
const DefaultCount = 200

// Converter tests c, such as a client of a webhook.
func Converter(c conversion.Converter) Option {
	return option(func(cfg *config) { cfg.converter = c })
}

// Func tests convert, whose results are held to the rules that the server has
// for the answers of webhooks; see [conversion.Local].
func Func(convert conversion.ConvertFunc) Option {
	return option(func(cfg *config) { cfg.convert = convert })
}

// Seed sets what objects are made. The default is 0.
func Seed(seed uint64) Option {
	return option(func(cfg *config) { cfg.seed = seed })
}

// Count sets how many objects [Tester.RoundTrip] takes there and back; n that
// is not positive means [DefaultCount].
func Count(n int) Option {
	return option(func(cfg *config) {
		cfg.count = n
		if n <= 0 {
			cfg.count = DefaultCount
		}
	})
}

// Samples gives objects to borrow values from, where made-up ones would be
// refused by rules or patterns that are hard to guess. Each serves the version
// that its apiVersion names. They are not changed, and must not be changed
// later.
func Samples(objects ...map[string]any) Option {
	return option(func(cfg *config) { cfg.samples = append(cfg.samples, objects...) })
}
