package table

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// An Option changes a table. Without options it is what the server answers if
// it is asked for a table and nothing more. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct {
	include   metav1.IncludeObjectPolicy
	noHeaders bool
}

type includeObject metav1.IncludeObjectPolicy

func (o includeObject) apply(c *config) { c.include = metav1.IncludeObjectPolicy(o) }

// IncludeObject says how much of its object each row has, as the parameter
// includeObject of a request does: metav1.IncludeMetadata (which is also what no
// policy means), IncludeObject or IncludeNone. Policies that the server would
// refuse are IncludeNone.
func IncludeObject(policy metav1.IncludeObjectPolicy) Option {
	if policy == "" {
		policy = metav1.IncludeMetadata
	}
	return includeObject(policy)
}

type noHeaders struct{}

func (noHeaders) apply(c *config) { c.noHeaders = true }

// WithoutHeaders leaves out the columns, as in a watch after its first event.
func WithoutHeaders() Option { return noHeaders{} }
