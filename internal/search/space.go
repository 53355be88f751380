package search

import (
	"context"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A Case is the creation of an object. If Old is set, it is an update, and if Status is true, an
// update of the status.
type Case struct {
	Object, Old map[string]any
	Status      bool
}

// A Judge returns the errors of the server, and changes the object to the stored object. errs is
// empty if the object is admitted. refused means that the object was refused before validation.
type Judge func(ctx context.Context, c Case) (errs validation.ErrorList, refused bool, err error)

// A Head says about objects what their schema does not say.
type Head struct {
	APIVersion, Kind string
	Namespaced       bool // generated objects have a namespace
	HasStatus        bool // there is a status subresource
}

// A Space describes the objects of one version.
type Space struct {
	head    Head
	root    *schema.Node
	judge   Judge
	samples map[string][]any // scalars of samples, by the path of their schema
}

// New returns the space of a version. A nil root allows any content. With a nil judge the space can
// only generate objects.
func New(root *schema.Node, head Head, judge Judge) *Space {
	return &Space{head: head, root: root, judge: judge, samples: map[string][]any{}}
}

// minimal returns an object with the required fields and some optional ones.
func (s *search) minimal(optional int) map[string]any {
	obj := map[string]any{}
	for name, child := range s.root.Properties() {
		if isHead(name) || s.head.HasStatus && name == "status" {
			continue
		}
		if slices.Contains(s.root.Limits().Required, name) || optional > 0 && s.oneIn(2) {
			obj[name] = s.generated(child, optional, s.oneIn(4))
		}
	}
	obj["apiVersion"], obj["kind"] = s.head.APIVersion, s.head.Kind
	obj["metadata"] = map[string]any{"name": "a"}
	return obj
}

func isHead(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// ask gives a copy of the object to the judge. It returns the stored object and the verdict.
func (s *Space) ask(ctx context.Context, c Case) (stored map[string]any, errs validation.ErrorList, refused bool, err error) {
	c.Object = clone(c.Object)
	errs, refused, err = s.judge(ctx, c)
	return c.Object, errs, refused, err
}

func clone(obj map[string]any) map[string]any {
	copied, _ := jsonval.Clone(obj).(map[string]any)
	return copied
}

// IsImplied reports whether an error only says that other errors prevented the evaluation of rules.
func IsImplied(e *validation.Error) bool {
	return e.Step == validation.StepRules && e.Rule < 0 && strings.HasPrefix(e.Detail, "some validation rules were not checked")
}
