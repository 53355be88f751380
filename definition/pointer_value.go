package definition

import (
	"encoding/json"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/schema"
)

// valuePointer writes the pointer of a field in a value, as far as the value has it. Names
// may contain any bytes, so the longest name that fits is taken.
func valuePointer(b *strings.Builder, raw []byte, rest string) {
	var v any
	if rest == "" || json.Unmarshal(raw, &v) != nil {
		return
	}
	for rest != "" {
		var step string
		switch value := v.(type) {
		case map[string]any:
			step, rest = longestName(value, rest)
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

// longestName returns the longest name of a member that rest can mean, "" if there is
// none, and the rest after it.
func longestName(obj map[string]any, rest string) (name, after string) {
	for candidate := range obj {
		if len(candidate) <= len(name) {
			continue
		}
		for _, spelled := range [...]string{"[" + candidate + "]", "." + candidate} {
			tail, ok := strings.CutPrefix(rest, spelled)
			if ok && (tail == "" || tail[0] == '.' || tail[0] == '[') {
				name, after = candidate, tail
			}
		}
	}
	return name, after
}

// metadataPointer extends a pointer to annotations, labels or finalizers to the one that
// has the value of the error. The server names no single one.
func metadataPointer(meta *metav1.ObjectMeta, pointer string, bad any) string {
	text, ok := bad.(string)
	if !ok {
		return pointer
	}
	switch pointer {
	case "/metadata/annotations":
		return pointer + keyPointer(meta.Annotations, text)
	case "/metadata/labels":
		return pointer + keyPointer(meta.Labels, text)
	case "/metadata/finalizers":
		for i, f := range meta.Finalizers {
			if f == text {
				return pointer + "/" + strconv.Itoa(i)
			}
		}
	}
	return pointer
}

// keyPointer returns the pointer to the key text, or to the first key with the value
// text.
func keyPointer(m map[string]string, text string) string {
	if _, ok := m[text]; ok {
		return "/" + schema.EscapePointer(text)
	}
	first, found := "", false
	for key, value := range m {
		if value == text && (!found || key < first) {
			first, found = key, true
		}
	}
	if !found {
		return ""
	}
	return "/" + schema.EscapePointer(first)
}
