package conversiontest

import "github.com/crdkit/crdkit/conversion"

// An Option selects the conversion that [New] tests and the objects of the test. A
// later option wins over an earlier one, and a nil Option changes nothing.
type Option interface{ applyNew(*config) }

type config struct {
	converter     *conversion.Converter   // nil without the option
	convert       *conversion.ConvertFunc // nil without the option
	seed          uint64
	count         int
	samples       []map[string]any
	emptyIsAbsent bool
	ignored       []string
}

type option func(*config)

func (f option) applyNew(c *config) { f(c) }

// DefaultCount is the number of objects of a round trip without [Count].
const DefaultCount = 200

// Converter tests c, such as a client of a webhook. A nil c is an error of [New].
func Converter(c conversion.Converter) Option {
	return option(func(cfg *config) { cfg.converter = &c })
}

// Func tests convert. Its results must follow the rules of the server for responses
// of webhooks; see [conversion.Local]. A nil convert is an error of [New].
func Func(convert conversion.ConvertFunc) Option {
	return option(func(cfg *config) { cfg.convert = &convert })
}

// Seed sets the seed of the random objects. The default is 0.
func Seed(seed uint64) Option {
	return option(func(cfg *config) { cfg.seed = seed })
}

// Count sets the number of objects that [Tester.RoundTrip] converts. A number that
// is not positive is an error of [New].
func Count(n int) Option {
	return option(func(cfg *config) { cfg.count = n })
}

// Samples adds objects whose values the generated objects reuse, for schemas with
// rules or patterns that random values rarely satisfy. Each serves the version that
// its apiVersion names. The tester keeps the objects and does not change them; the
// caller must not change them either.
func Samples(objects ...map[string]any) Option {
	return option(func(cfg *config) { cfg.samples = append(cfg.samples, objects...) })
}

// EmptyIsAbsent makes a null, an empty string, an empty list and an empty object equal to
// an absent field, as Go structs with omitempty lose the difference. Elements of lists
// count as before, and so do 0 and false. An object that has only such fields is empty.
func EmptyIsAbsent() Option {
	return option(func(cfg *config) { cfg.emptyIsAbsent = true })
}

// Ignore ignores differences at and below JSON pointers (RFC 6901), such as
// "/metadata/annotations". The step * stands for all fields of an object or all elements
// of a list. A text that is no pointer is an error of [New].
func Ignore(pointers ...string) Option {
	return option(func(cfg *config) { cfg.ignored = append(cfg.ignored, pointers...) })
}
