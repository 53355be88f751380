package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// A Step is one element of a [Path]: the name of a field, the key of a map
// entry, or the index of a list element.
type Step struct {
	name  string
	index int
	kind  stepKind
}

type stepKind uint8

const (
	stepField stepKind = iota
	stepKey
	stepIndex
)

// Field returns the step to a field of an object. It is written ".name".
func Field(name string) Step { return Step{name: name, kind: stepField} }

// Key returns the step to an entry of a map. It is written "[name]".
func Key(name string) Step { return Step{name: name, kind: stepKey} }

// Index returns the step to an element of a list. It is written "[i]".
func Index(i int) Step { return Step{index: i, kind: stepIndex} }

// Name returns the name of a field or key, and reports whether s is one. An
// index has no name.
func (s Step) Name() (string, bool) { return s.name, s.kind != stepIndex }

// Index returns the position of an index, and reports whether s is one.
func (s Step) Index() (int, bool) { return s.index, s.kind == stepIndex }

// A Path is the location of a part of an object or of a schema. The empty path is the root.
// The caller owns every Path that a function returns.
type Path []Step

// String spells p as kube-apiserver does: fields joined by dots, keys and
// indices in square brackets, nothing escaped. The root is "".
func (p Path) String() string {
	var buf [128]byte
	return string(p.appendText(buf[:0]))
}

func (p Path) appendText(b []byte) []byte {
	for i, s := range p {
		switch s.kind {
		case stepField:
			if i > 0 {
				b = append(b, '.')
			}
			b = append(b, s.name...)
		case stepKey:
			b = append(append(append(b, '['), s.name...), ']')
		case stepIndex:
			b = append(strconv.AppendInt(append(b, '['), int64(s.index), 10), ']')
		}
	}
	return b
}

// Pointer spells p as a JSON Pointer (RFC 6901). The root is "".
//
// See https://www.rfc-editor.org/rfc/rfc6901.
func (p Path) Pointer() string {
	if len(p) == 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(12 * len(p))
	for _, s := range p {
		b.WriteByte('/')
		if s.kind == stepIndex {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		b.WriteString(EscapePointer(s.name))
	}
	return b.String()
}

// EscapePointer escapes a name as a reference token of a JSON Pointer: "~"
// becomes "~0" and "/" becomes "~1".
func EscapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return string(pathstack.AppendToken(nil, name))
}

// Lookup returns the value at p in v, and reports whether there is one. v is a value as
// apimachinery decodes it from JSON.
func (p Path) Lookup(v any) (any, bool) {
	for _, step := range p {
		switch parent := v.(type) {
		case map[string]any:
			name, _ := step.Name()
			child, ok := parent[name]
			if !ok {
				return nil, false
			}
			v = child
		case []any:
			i, _ := step.Index()
			if i >= len(parent) {
				return nil, false
			}
			v = parent[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// SortPaths sorts paths in increasing order of [Path.String], as in reports. Different paths
// have equal strings if a name contains a dot or a bracket. Of paths with equal strings, the
// path with more steps comes first.
func SortPaths(paths []Path) {
	if len(paths) < 2 {
		return
	}
	type entry struct {
		path Path
		text string
	}
	entries := make([]entry, len(paths))
	for i, p := range paths {
		entries[i] = entry{p, p.String()}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if order := strings.Compare(a.text, b.text); order != 0 {
			return order
		}
		return compareSteps(a.path, b.path)
	})
	for i, e := range entries {
		paths[i] = e.path
	}
}

// compareSteps orders paths with equal strings.
func compareSteps(a, b Path) int {
	if len(a) != len(b) {
		return len(b) - len(a)
	}
	for i := range a {
		if a[i] != b[i] {
			return cmp.Or(
				cmp.Compare(a[i:i+1].String(), b[i:i+1].String()),
				cmp.Compare(b[i].kind, a[i].kind), // indices, then keys, then fields
			)
		}
	}
	return 0
}
