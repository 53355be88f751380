package jsonscan

import (
	"slices"
	"strconv"
)

// maxDecoded is how many objects and lists that are not empty may be nested in one another
// in a text of [DecodeRepeated]. The decoder of the server reads one more, empty ones included.
const maxDecoded = 9_999

// maxRepeated is how many repeated members sigs.k8s.io/json names.
const maxRepeated = 100

// Decode returns the value of the JSON text s. White space may surround the value.
// Decode reports false if it declines s; the value is then unspecified.
func Decode(s string) (any, bool) {
	r := reader{s: s}
	return r.whole(MaxDepth)
}

// Value returns the value that begins at s[i] and the index after it. The index is
// -1 if Value declines the text; the value is then unspecified.
func Value(s string, i int) (any, int) {
	r := reader{s: s}
	return r.readValue(i, MaxDepth)
}

// DecodeRepeated is Decode for more texts: objects may repeat members, of which the
// last one counts, and values may be nested as deeply as the server reads them. It returns
// the paths of the repeated members as the server reports them: in their order, each once,
// and the first 100. It declines an object that repeats one of the members that once names.
// The objects in it may repeat them.
func DecodeRepeated(s string, once ...string) (v any, repeated []string, ok bool) {
	r := reader{s: s, repeats: true, once: once}
	v, ok = r.whole(maxDecoded)
	return v, r.repeated, ok
}

// A reader makes the values of a text.
type reader struct {
	s string

	// The other fields are for a reader that reads objects which repeat members.
	repeats  bool
	once     []string        // the outermost object must not repeat these
	path     []byte          // of the object or list that is being read
	steps    int             // of the path, which may be empty texts
	repeated []string        // paths
	seen     map[string]bool // those in repeated
}

func (r *reader) whole(depth int) (any, bool) {
	v, end := r.readValue(Space(r.s, 0), depth)
	return v, end >= 0 && Space(r.s, end) == len(r.s)
}

func (r *reader) readValue(i, depth int) (any, int) {
	s := r.s
	if i >= len(s) {
		return nil, -1
	}
	switch s[i] {
	case '{':
		return r.object(i+1, depth-1)
	case '[':
		return r.list(i+1, depth-1)
	case '"':
		end, text := String(s, i+1)
		if end < 0 {
			return nil, -1
		}
		if text&Escaped == 0 {
			return s[i+1 : end], end + 1
		}
		b, ok := Unescape(nil, s[i+1:end])
		if !ok {
			return nil, -1
		}
		return string(b), end + 1
	case 't':
		return true, Literal(s, i, "true")
	case 'f':
		return false, Literal(s, i, "false")
	case 'n':
		return nil, Literal(s, i, "null")
	}
	end, n := Number(s, i)
	if n.IsFloat {
		return n.Float, end
	}
	return n.Int, end
}

func (r *reader) list(i, depth int) (any, int) {
	out := []any{}
	i = Space(r.s, i)
	if i < len(r.s) && r.s[i] == ']' {
		return out, i + 1
	}
	for depth >= 0 {
		v, end := r.element(len(out), i, depth)
		if end < 0 {
			return nil, -1
		}
		out = append(out, v)
		next, more := Next(r.s, end, ']')
		if !more {
			return out, next
		}
		i = next
	}
	return nil, -1
}

// element reads the element of this index in a list. Its text begins at i.
func (r *reader) element(index, i, depth int) (any, int) {
	if !r.repeats || !opens(r.s, i) {
		return r.readValue(i, depth)
	}
	outer := len(r.path)
	r.path = append(strconv.AppendInt(append(r.path, '['), int64(index), 10), ']')
	r.steps++
	v, end := r.readValue(i, depth)
	r.leave(outer)
	return v, end
}

func (r *reader) object(i, depth int) (any, int) {
	out := map[string]any{}
	i = Space(r.s, i)
	if i < len(r.s) && r.s[i] == '}' {
		return out, i + 1
	}
	for depth >= 0 {
		key, at := DecodedKey(r.s, i)
		if at < 0 {
			return nil, -1
		}
		end := r.member(out, key, at, depth)
		if end < 0 {
			return nil, -1
		}
		next, more := Next(r.s, end, '}')
		if !more {
			return out, next
		}
		i = next
	}
	return nil, -1
}

// member reads the value of a member at i and sets it. It returns the index after the value,
// -1 if the reader declines it. The server reports a member before those in its value.
func (r *reader) member(out map[string]any, key string, i, depth int) int {
	if r.repeats && opens(r.s, i) {
		return r.nested(out, key, i, depth)
	}
	v, end := r.readValue(i, depth)
	if end < 0 {
		return -1
	}
	n := len(out)
	if out[key] = v; len(out) == n && !r.repeat(key) {
		return -1
	}
	return end
}

// nested is member for an object or a list.
func (r *reader) nested(out map[string]any, key string, i, depth int) int {
	if _, found := out[key]; found && !r.repeat(key) {
		return -1
	}
	outer := len(r.path)
	r.enter(key)
	v, end := r.readValue(i, depth)
	out[key] = v
	r.leave(outer)
	return end
}

// opens reports whether an object or a list begins at s[i].
func opens(s string, i int) bool { return i < len(s) && (s[i] == '{' || s[i] == '[') }

// enter adds a member to the path.
func (r *reader) enter(key string) {
	if r.steps > 0 {
		r.path = append(r.path, '.')
	}
	r.path = append(r.path, key...)
	r.steps++
}

// leave ends the last step, and with it the path after so many bytes.
func (r *reader) leave(outer int) {
	r.path = r.path[:outer]
	r.steps--
}

// repeat notes that the object at the path repeats a member. It reports false if the reader
// declines that.
func (r *reader) repeat(key string) bool {
	if !r.repeats || r.steps == 0 && slices.Contains(r.once, key) {
		return false
	}
	if len(r.repeated) == maxRepeated {
		return true
	}
	outer := len(r.path)
	r.enter(key)
	if !r.seen[string(r.path)] {
		if r.seen == nil {
			r.seen = map[string]bool{}
		}
		path := string(r.path)
		r.seen[path] = true
		r.repeated = append(r.repeated, path)
	}
	r.leave(outer)
	return true
}
