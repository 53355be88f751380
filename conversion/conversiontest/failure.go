package conversiontest

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/schema"
)

// A Kind says in which way an object did not survive.
type Kind string

const (
	// Lost: the object comes back without a value.
	Lost Kind = "lost"
	// Changed: the object comes back with another value.
	Changed Kind = "changed"
	// Added: the object comes back with a value that it did not have.
	Added Kind = "added"
	// NotThere: the object could not be converted.
	NotThere Kind = "not converted"
	// NotBack: the object could not be converted back.
	NotBack Kind = "not converted back"
)

// A Failure is an object that did not survive being converted to another
// version and back.
type Failure struct {
	From, To string // versions
	Kind     Kind
	// Path is the first place where the object that came back differs, fields
	// in increasing order; empty if none came back.
	Path schema.Path
	// Before and After are the values there, nil for one that is not there.
	Before, After any
	// Object is what was converted, There what it became, and Back what came
	// back. The last two are nil as far as it did not get.
	Object, There, Back *unstructured.Unstructured
	// Err is the error of the conversion, if it did not get back.
	Err error
}

// Error says on the first line what happened, and then shows the objects as
// JSON.
func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s and back: ", f.From, f.To)
	switch f.Kind {
	case NotThere, NotBack:
		fmt.Fprintf(&b, "%s: %v", f.Kind, f.Err)
	case Lost:
		fmt.Fprintf(&b, "%s is lost; it was %s", f.Path, text(f.Before))
	case Added:
		fmt.Fprintf(&b, "%s is added: %s", f.Path, text(f.After))
	default:
		fmt.Fprintf(&b, "%s is %s; it was %s", f.Path, text(f.After), text(f.Before))
	}
	for _, o := range []struct {
		name string
		obj  *unstructured.Unstructured
	}{{"object", f.Object}, {"there ", f.There}, {"back  ", f.Back}} {
		if o.obj != nil {
			fmt.Fprintf(&b, "\n%s %s", o.name, text(o.obj.Object))
		}
	}
	return b.String()
}

// Unwrap returns the error of the conversion, nil if it got back.
func (f *Failure) Unwrap() error { return f.Err }

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
