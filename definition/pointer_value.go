package definition

import (
	"encoding/json"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// valuePointer writes the pointer of a field in a value, as far as the value has it. Names
// may contain any bytes, so the longest name that fits is taken.
func (l *locator) valuePointer(b *strings.Builder, raw []byte, rest string) {
	if rest == "" || len(raw) == 0 {
		return
	}
	v := l.decoded(raw)
	for rest != "" {
		var step string
		switch value := v.(type) {
		case map[string]any:
			step, rest = l.longestName(value, rest)
			if step == "" {
				return
			}
			v = value[step]
		case []any:
			number, after := cutStep(strings.TrimPrefix(rest, "."))
			i, err := strconv.Atoi(number)
			if err != nil || i < 0 || i >= len(value) {
				return
			}
			step, rest, v = number, after, value[i]
		default:
			return
		}
		b.WriteString("/" + schema.EscapePointer(step))
	}
}

// decoded returns the value of a text that is not empty, nil if it is not JSON.
func (l *locator) decoded(raw []byte) any {
	v, ok := l.values[&raw[0]]
	if !ok {
		var simple bool
		if v, simple = jsonscan.DecodeUntil(string(raw), l.watch); !simple && json.Unmarshal(raw, &v) != nil {
			v = nil
		}
		l.values[&raw[0]] = v
	}
	return v
}

// longestName returns the longest name of a member that rest can mean, "" if there is
// none, and the rest after it. A name is spelled ".name" or "[name]".
func (l *locator) longestName(obj map[string]any, rest string) (name, after string) {
	closing := ""
	if rest[0] == '[' {
		closing = "]"
	}
	if len(obj) == 0 || rest[0] != '[' && rest[0] != '.' {
		return "", rest
	}
	name, ok := namesOf(l, obj).longest(rest[1:], func(text string) bool {
		tail, ok := strings.CutPrefix(text, closing)
		return ok && (tail == "" || tail[0] == '.' || tail[0] == '[')
	})
	if !ok || name == "" {
		return "", rest
	}
	return name, rest[1+len(name)+len(closing):]
}

// A metadataLocator finds annotations, labels and finalizers by the values of errors, as
// the server names no single one.
type metadataLocator struct {
	meta       *metav1.ObjectMeta
	keys       [2]map[string]string // of annotations and labels, by value; nil until the first use
	finalizers map[string]int
}

// extend extends a pointer to annotations, labels or finalizers to the one that has the
// value of the error.
func (m *metadataLocator) extend(pointer string, bad any) string {
	text, ok := bad.(string)
	if !ok {
		return pointer
	}
	switch pointer {
	case "/metadata/annotations":
		return pointer + keyPointer(m.meta.Annotations, &m.keys[0], text)
	case "/metadata/labels":
		return pointer + keyPointer(m.meta.Labels, &m.keys[1], text)
	case "/metadata/finalizers":
		if i, ok := m.finalizer(text); ok {
			return pointer + "/" + strconv.Itoa(i)
		}
	}
	return pointer
}

// finalizer returns the index of the first finalizer with this text.
func (m *metadataLocator) finalizer(text string) (int, bool) {
	if m.finalizers == nil {
		m.finalizers = make(map[string]int, len(m.meta.Finalizers))
		for i, f := range m.meta.Finalizers {
			if _, ok := m.finalizers[f]; !ok {
				m.finalizers[f] = i
			}
		}
	}
	i, ok := m.finalizers[text]
	return i, ok
}

// keyPointer returns the pointer to the key text of m, or to the first key with the value
// text. The first call that needs it fills keys, which has the first key of each value.
func keyPointer(m map[string]string, keys *map[string]string, text string) string {
	if _, ok := m[text]; ok {
		return "/" + schema.EscapePointer(text)
	}
	if *keys == nil {
		*keys = make(map[string]string, len(m))
		for key, value := range m {
			if first, ok := (*keys)[value]; !ok || key < first {
				(*keys)[value] = key
			}
		}
	}
	first, ok := (*keys)[text]
	if !ok {
		return ""
	}
	return "/" + schema.EscapePointer(first)
}
