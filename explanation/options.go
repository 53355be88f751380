package explanation

// DefaultValueLength is how many Unicode characters of a value an explanation shows.
const DefaultValueLength = 80

// An Option changes what explanations show. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct{ runes int }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// ValueLength sets how many Unicode characters of each value are shown. A longer value
// ends with "…". The default is [DefaultValueLength], also for n below 1.
func ValueLength(n int) Option {
	if n < 1 {
		n = DefaultValueLength
	}
	return optionFunc(func(c *config) { c.runes = n })
}

// WithoutValues leaves out all values of the object, for objects with secrets.
// Explanations then show names of fields and parts of the definition only. Keys of
// maps count as values, except in the paths of fields.
func WithoutValues() Option { return optionFunc(func(c *config) { c.runes = 0 }) }

func configOf(opts []Option) config {
	c := config{runes: DefaultValueLength}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&c)
		}
	}
	return c
}
