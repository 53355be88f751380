package objectmeta

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// A Problem is one error in metadata.
type Problem struct {
	// Err is the error that kube-apiserver reports.
	Err *field.Error
	// Pointer is the location in the object, as a JSON Pointer. It is more
	// exact than Err.Field for labels, annotations and finalizers.
	Pointer string
	// SchemaPointer is the location of the schema of the embedded resource, as
	// a JSON Pointer; "" for the root.
	SchemaPointer string
}

func compareProblems(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(a.Err.Field, b.Err.Field),
		cmp.Compare(a.Err.Type, b.Err.Type),
		cmp.Compare(a.Err.Detail, b.Err.Detail),
		cmp.Compare(a.Pointer, b.Pointer),
	)
}

// A locator finds the pointers of the errors of one object with metadata.
type locator struct {
	metadata map[string]any
	field    string         // of the metadata, as errors spell it
	parent   string         // pointer of the object
	taken    map[string]int // number of errors by entry and text
}

func newLocator(metadata map[string]any, field, parent string) *locator {
	return &locator{metadata: metadata, field: field, parent: parent, taken: map[string]int{}}
}

func (l *locator) pointer(err *field.Error) string {
	rest, ok := strings.CutPrefix(err.Field, l.field)
	if !ok {
		// apiVersion or kind, beside the metadata
		return l.parent + "/" + err.Field[strings.LastIndexByte(err.Field, '.')+1:]
	}
	return l.parent + "/metadata" + pointerOf(rest) + l.element(rest, err)
}

// pointerOf converts a path such as .ownerReferences[0].uid to a JSON Pointer.
// No field below metadata that errors name needs escaping.
func pointerOf(rest string) string {
	return strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(rest)
}

// element returns the pointer of the entry of labels, annotations or finalizers
// that an error concerns. The error has only its key or its value. Errors with
// the same text are assigned to one matching entry each; further ones to the
// first.
func (l *locator) element(rest string, err *field.Error) string {
	value, ok := err.BadValue.(string)
	if !ok || err.Type != field.ErrorTypeInvalid {
		return ""
	}
	if rest != ".finalizers" && rest != ".labels" && rest != ".annotations" {
		return ""
	}
	if rest != ".finalizers" && err.Origin != "format=k8s-label-value" {
		return "/" + schema.EscapePointer(value)
	}
	first := ""
	for _, p := range l.entries(rest[1:], value) {
		if first == "" {
			first = p
		}
		if l.take(rest + p + "\x00" + err.Detail) {
			return p
		}
	}
	return first
}

// entries returns the pointers of the entries with this value, relative to the
// member that has them.
func (l *locator) entries(name, value string) []string {
	var out []string
	switch v := l.metadata[name].(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if v[key] == value {
				out = append(out, "/"+schema.EscapePointer(key))
			}
		}
	case []any:
		for i, e := range v {
			if e == value {
				out = append(out, "/"+strconv.Itoa(i))
			}
		}
	}
	return out
}

// take reports whether no earlier error with this text was assigned to entry.
func (l *locator) take(entry string) bool {
	l.taken[entry]++
	return l.taken[entry] == 1
}
