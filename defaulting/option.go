package defaulting

// An Option changes how a [Defaulter] works. None changes what it does, and a nil
// Option changes nothing.
type Option interface{ apply(*options) }

type options struct {
	plain     bool
	maxFilled int
}

type optionFunc func(*options)

func (f optionFunc) apply(o *options) { f(o) }

// PlainOnly makes the Defaulter walk over the schema as it is, without the
// shortcuts of a compiled one. It gives the same results and is slower; tests
// compare the two.
func PlainOnly() Option {
	return optionFunc(func(o *options) { o.plain = true })
}
