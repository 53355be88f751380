package compat

import "time"

// DefaultWorkLimit is the work of a comparison without [WorkLimit].
const DefaultWorkLimit = 2_000_000

// An Option changes a comparison. A later option wins over an earlier one, and a
// nil Option changes nothing.
type Option interface{ apply(*config) }

type option func(*config)

func (f option) apply(c *config) { f(c) }

type config struct {
	work        int
	time        time.Duration
	conventions bool
}

// WorkLimit bounds the steps of the decision procedure for each version. What is
// not decided within them is unknown. A limit that is not positive means
// [DefaultWorkLimit].
func WorkLimit(steps int) Option {
	return option(func(c *config) { c.work = steps })
}

// TimeLimit ends a comparison after d. The report then has what was decided, and
// the rest is unknown. A limit that is not positive means none.
func TimeLimit(d time.Duration) Option {
	return option(func(c *config) { c.time = d })
}

// Conventions adds findings about new fields that break the conventions of the
// Kubernetes API, such as booleans and lists without a list type. They are compatible.
//
// See https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md.
func Conventions() Option {
	return option(func(c *config) { c.conventions = true })
}

func configOf(opts []Option) config {
	var c config
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	if c.work <= 0 {
		c.work = DefaultWorkLimit
	}
	return c
}
