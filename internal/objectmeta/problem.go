package objectmeta

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// A Problem is one thing that is wrong with metadata.
type Problem struct {
	// Err is what kube-apiserver reports.
	Err *field.Error
	// Pointer is where in the object it is, as a JSON Pointer. For labels,
	// annotations and finalizers it is more exact than Err.Field.
	Pointer string
	// Schema is the place of the embedded resource in the schema, as a JSON
	// Pointer; "" for the root.
	Schema string
}

func compareProblems(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(a.Err.Field, b.Err.Field),
		cmp.Compare(a.Err.Type, b.Err.Type),
		cmp.Compare(a.Err.Detail, b.Err.Detail),
		cmp.Compare(a.Pointer, b.Pointer),
	)
}

// A locator finds the pointers of errors about one object with metadata.
type locator struct {
	metadata map[string]any
	field    string // of the metadata, as errors spell it
	parent   string // pointer of the object
	// taken counts, by field and value, the errors about one and the same
	// value, which are about one key after the other.
	taken map[string]int
}

func newLocator(metadata map[string]any, field, parent string) *locator {
	return &locator{metadata: metadata, field: field, parent: parent, taken: map[string]int{}}
}

func (l *locator) pointer(err *field.Error) string {
	rest, ok := strings.CutPrefix(err.Field, l.field)
	if !ok {
		// apiVersion or kind, next to the metadata
		return l.parent + "/" + err.Field[strings.LastIndexByte(err.Field, '.')+1:]
	}
	return l.parent + "/metadata" + pointerOf(rest) + l.element(rest, err)
}

// pointerOf turns .ownerReferences[0].uid into a JSON Pointer. Nothing below
// metadata that errors name needs escaping.
func pointerOf(rest string) string {
	return strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(rest)
}

// element finds the entry of labels, annotations or finalizers that an error
// is about, which only tells its key or its value.
func (l *locator) element(rest string, err *field.Error) string {
	value, ok := err.BadValue.(string)
	if !ok || err.Type != field.ErrorTypeInvalid {
		return ""
	}
	switch name := strings.TrimPrefix(rest, "."); name {
	case "labels", "annotations":
		m, _ := l.metadata[name].(map[string]any)
		if err.Origin != "format=k8s-label-value" {
			return "/" + schema.EscapePointer(value)
		}
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if m[key] == value && l.take(rest+"\x00"+key+"\x00"+err.Detail) {
				return "/" + schema.EscapePointer(key)
			}
		}
	case "finalizers":
		list, _ := l.metadata[name].([]any)
		for i, e := range list {
			if p := (schema.Path{schema.Index(i)}).Pointer(); e == value && l.take(p+"\x00"+err.Detail) {
				return p
			}
		}
	}
	return ""
}

// take reports whether an entry was not taken before by an error of this text.
func (l *locator) take(entry string) bool {
	l.taken[entry]++
	return l.taken[entry] == 1
}
