package oracle

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
)

// Ours is crdkit's side of one version. It has a function for each step and request,
// so that a test can replace any of them by a wrong one.
type Ours struct {
	Facts func() []string

	// Single steps. They change the object in place.
	Prune        func(obj map[string]any)
	Report       func(obj map[string]any) []string
	DropNulls    func(obj map[string]any)
	Default      func(obj map[string]any)
	Valid        func(obj map[string]any) bool
	Schema       func(obj map[string]any) field.ErrorList
	SchemaUpdate func(obj, old map[string]any) field.ErrorList
	SchemaStatus func(obj, old map[string]any) field.ErrorList
	Rules        func(obj, old map[string]any) upstream.Outcome

	// Requests. Requests on objects set the object of the outcome. Requests on bytes
	// return the bytes to store, nil if the request is refused.
	Create       func(obj map[string]any, fields string) upstream.Outcome
	Update       func(obj, old map[string]any, fields string) upstream.Outcome
	UpdateStatus func(obj, old map[string]any, fields string) upstream.Outcome
	Read         func(stored map[string]any) upstream.Outcome
	CreateJSON   func(body upstream.Body) (upstream.Outcome, []byte)
	UpdateJSON   func(body upstream.Body, old []byte) (upstream.Outcome, []byte)
	StatusJSON   func(body upstream.Body, old []byte) (upstream.Outcome, []byte)
}
