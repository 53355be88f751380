package table

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An Option changes a table. Without options it is the table that the server returns
// for a request without further parameters. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct {
	include   metav1.IncludeObjectPolicy
	noHeaders bool
}

type includeObject metav1.IncludeObjectPolicy

func (o includeObject) apply(c *config) { c.include = metav1.IncludeObjectPolicy(o) }

// IncludeObject returns an option that sets how much of its object each row has, as
// the parameter includeObject of a request does: metav1.IncludeMetadata, which ""
// means too, IncludeObject or IncludeNone. It returns an error for any other policy.
func IncludeObject(policy metav1.IncludeObjectPolicy) (Option, error) {
	switch policy {
	case "":
		return includeObject(metav1.IncludeMetadata), nil
	case metav1.IncludeMetadata, metav1.IncludeObject, metav1.IncludeNone:
		return includeObject(policy), nil
	}
	return nil, fmt.Errorf("table: unknown policy %q of including objects", policy)
}

type noHeaders struct{}

func (noHeaders) apply(c *config) { c.noHeaders = true }

// WithoutHeaders omits the columns, as the server does in a watch after its first
// event.
func WithoutHeaders() Option { return noHeaders{} }
