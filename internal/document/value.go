package document

import (
	"strconv"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// DecodeYAML returns the value of a YAML text, as an object that a client sends is
// decoded: sigs.k8s.io/yaml converts the text to JSON, and integers of the JSON become
// int64. It declines the texts that [Tokenize] declines, JSON, in which YAML reads other
// numbers and escapes, and duplicate names. It also declines when the watch ends. The value
// may share memory with the text.
func DecodeYAML(text string, watch *interrupt.Watch) (any, bool) {
	if start := jsonscan.Space(text, 0); start < len(text) && text[start] == '{' {
		return nil, false
	}
	t, ok := tokenizeYAML(text, watch)
	if !ok {
		return nil, false
	}
	return t.decode(0, watch)
}

// decode returns the value of a token. It reports false for duplicate names, and when the
// watch ends.
func (t *Tokens) decode(i int, watch *interrupt.Watch) (any, bool) {
	if watch.Ended() {
		return nil, false
	}
	switch t.Kind(i) {
	case False:
		return false, true
	case True:
		return true, true
	case Number:
		n, err := strconv.ParseInt(t.Text(i), 10, 64)
		return n, err == nil
	case String:
		return t.Text(i), true
	case List:
		return t.decodeList(i, watch)
	case Object:
		return t.decodeObject(i, watch)
	}
	return nil, true
}

func (t *Tokens) decodeList(i int, watch *interrupt.Watch) (any, bool) {
	list := make([]any, t.Len(i))
	at, ok := i+1, true
	for k := range list {
		if list[k], ok = t.decode(at, watch); !ok {
			return nil, false
		}
		at = t.Next(at)
	}
	return list, true
}

func (t *Tokens) decodeObject(i int, watch *interrupt.Watch) (any, bool) {
	n := t.Len(i)
	object := make(map[string]any, n)
	for at, left := i+1, n; left > 0; at, left = t.Next(at+1), left-1 {
		v, ok := t.decode(at+1, watch)
		if !ok {
			return nil, false
		}
		object[t.Text(at)] = v
	}
	return object, len(object) == n
}
