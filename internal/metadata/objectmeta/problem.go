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
	// Pointer is a JSON Pointer into the object, to the entry of labels, annotations or
	// finalizers.
	Pointer string
	// SchemaPointer leads to the schema of the embedded resource, "" for the root.
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
	field    string // of the metadata, as errors spell it
	parent   string // pointer of the object
	// entries are pointers by member and value, in order of key or index, made at first
	// use.
	entries map[string]map[string][]string
	located map[locatedText]int // number of errors that were located
}

// A locatedText tells errors apart that differ by more than their entry.
type locatedText struct{ member, value, detail string }

func newLocator(metadata map[string]any, field, parent string) *locator {
	return &locator{metadata: metadata, field: field, parent: parent,
		entries: map[string]map[string][]string{}, located: map[locatedText]int{}}
}

func (l *locator) pointer(err *field.Error) string {
	rest, ok := strings.CutPrefix(err.Field, l.field)
	if !ok {
		// apiVersion or kind, beside the metadata
		return l.parent + "/" + err.Field[strings.LastIndexByte(err.Field, '.')+1:]
	}
	return l.parent + "/metadata" + pointerOf(rest) + l.element(rest, err)
}

// pointerOf converts a path such as .ownerReferences[0].uid, which needs no escaping.
func pointerOf(rest string) string {
	return strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(rest)
}

// element returns the pointer of the entry of labels, annotations or finalizers with the
// key or value of an error. Equal errors get one entry each, and the rest the first one.
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
	entries := l.entriesOf(rest[1:])[value]
	if len(entries) == 0 {
		return ""
	}
	text := locatedText{rest, value, err.Detail}
	next := l.located[text]
	l.located[text]++
	if next >= len(entries) {
		next = 0
	}
	return entries[next]
}

// entriesOf returns the pointers of the entries of a member by value, relative to the
// member.
func (l *locator) entriesOf(member string) map[string][]string {
	if entries, ok := l.entries[member]; ok {
		return entries
	}
	entries := map[string][]string{}
	add := func(value any, pointer string) {
		if text, ok := value.(string); ok {
			entries[text] = append(entries[text], pointer)
		}
	}
	switch v := l.metadata[member].(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			add(v[key], "/"+schema.EscapePointer(key))
		}
	case []any:
		for i, e := range v {
			add(e, "/"+strconv.Itoa(i))
		}
	}
	l.entries[member] = entries
	return entries
}
