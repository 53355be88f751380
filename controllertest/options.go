package controllertest

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// An Option changes an environment. A later option wins over an earlier one, and a nil
// Option changes nothing.
type Option func(*config)

type config struct {
	scheme        *runtime.Scheme
	objects       []client.Object
	warnings      rest.WarningHandler
	refuseUnknown bool
	now           func() time.Time
	fake          func(*fake.ClientBuilder) *fake.ClientBuilder
	indexes       []index
}

// An index extracts the values of a field from objects, for lists with field selectors.
type index struct {
	obj     client.Object
	field   string
	extract client.IndexerFunc
}

// Scheme sets the scheme of the Go types of objects. The default is the scheme of client-go with
// the built-in types. A nil scheme changes nothing.
func Scheme(s *runtime.Scheme) Option {
	return func(c *config) {
		if s != nil {
			c.scheme = s
		}
	}
}

// Objects adds objects that the environment has at its start. Their kinds must be in the scheme, or
// they must be unstructured. The environment does not keep or change objects of the definitions.
func Objects(objs ...client.Object) Option {
	return func(c *config) { c.objects = append(c.objects, objs...) }
}

// WarningHandler sets the handler of the warnings in responses, such as warnings about unknown
// fields. By default controller-runtime logs them.
func WarningHandler(h rest.WarningHandler) Option {
	return func(c *config) { c.warnings = h }
}

// RefuseUnknown makes the clients return an error for each request for a kind without a
// definition. By default such requests go to fake clients.
func RefuseUnknown() Option {
	return func(c *config) { c.refuseUnknown = true }
}

// Clock sets the function that returns the time for creations and deletions. The default is
// [time.Now].
func Clock(now func() time.Time) Option {
	return func(c *config) { c.now = now }
}

// Fake configures the fake client that serves kinds without a definition. configure gets a builder
// with the scheme and the objects, and returns the builder to use.
func Fake(configure func(*fake.ClientBuilder) *fake.ClientBuilder) Option {
	return func(c *config) { c.fake = configure }
}

// Index adds an index, like the cache of a manager. The client can then list the objects of a
// definition by a field that the definition does not declare as selectable. obj has the kind to
// index.
func Index(obj client.Object, field string, extract client.IndexerFunc) Option {
	return func(c *config) { c.indexes = append(c.indexes, index{obj, field, extract}) }
}
