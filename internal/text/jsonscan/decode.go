package jsonscan

// serverDepth is how many objects and lists that are not empty may be nested in one another
// in a text of [Decode]. The decoder of the server reads one more, empty ones included.
const serverDepth = 9_999

// Decode returns the value of the JSON text s. White space may surround the value. It may be
// nested more deeply than [MaxDepth]: as deeply as the server reads it.
// Decode reports false if it declines s; the value is then unspecified.
func Decode(s string) (any, bool) {
	v, end := read(s, Space(s, 0), serverDepth, valued)
	return v, end >= 0 && Space(s, end) == len(s)
}

// Value returns the value that begins at s[i] and the index after it. The index is
// -1 if Value declines the text; the value is then unspecified.
func Value(s string, i int) (any, int) { return read(s, i, MaxDepth, valued) }

// Skip returns the index after the value at s[i], or -1 if it declines the text.
// Unlike [Value] it accepts repeated keys and escapes of half a surrogate pair.
func Skip(s string, i int) int {
	_, end := read(s, i, MaxDepth, skipped)
	return end
}

// SkipSorted is [Skip], but declines objects whose keys are not in increasing order, and
// keys with escapes. So no key of a value that it accepts is repeated.
func SkipSorted(s string, i int) int {
	_, end := read(s, i, MaxDepth, sorted)
	return end
}

// A mode says how to read.
type mode int

const (
	valued  mode = iota // make the value
	skipped             // find its end only
	sorted              // the same, with keys in increasing order
)

// read returns the value at s[i] and the index after it, which is -1 if it declines the text.
// If it only finds the end, the value is unspecified. Objects and lists may be nested by depth.
func read(s string, i, depth int, as mode) (any, int) {
	if i >= len(s) || depth < 0 {
		return nil, -1
	}
	switch s[i] {
	case '{':
		return readObject(s, Space(s, i+1), depth-1, as)
	case '[':
		return readList(s, Space(s, i+1), depth-1, as)
	case '"':
		end, text := String(s, i+1)
		switch {
		case end < 0:
			return nil, -1
		case as != valued:
			return nil, end + 1
		case text&Escaped == 0:
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
	switch {
	case as != valued:
		return nil, end
	case n.IsFloat:
		return n.Float, end
	}
	return n.Int, end
}

func readList(s string, i, depth int, as mode) (any, int) {
	var out []any
	if as == valued {
		out = []any{}
	}
	if i < len(s) && s[i] == ']' {
		return out, i + 1
	}
	for more := true; more; {
		v, end := read(s, i, depth, as)
		if end < 0 {
			return nil, -1
		}
		if as == valued {
			out = append(out, v)
		}
		i, more = Next(s, end, ']')
	}
	return out, i
}

func readObject(s string, i, depth int, as mode) (any, int) {
	var out map[string]any
	if as == valued {
		out = map[string]any{}
	}
	if i < len(s) && s[i] == '}' {
		return out, i + 1
	}
	before := ""
	for first, more := true, true; more; first = false {
		var key string
		var text Text
		var at int
		if as == valued {
			key, at = DecodedKey(s, i)
		} else {
			key, text, at = anyKey(s, i)
		}
		if at < 0 || as == sorted && (text&Escaped != 0 || !first && key <= before) {
			return nil, -1
		}
		v, end := read(s, at, depth, as)
		if end < 0 {
			return nil, -1
		}
		if as == valued {
			n := len(out)
			if out[key] = v; len(out) == n {
				return nil, -1
			}
		}
		before = key
		i, more = Next(s, end, '}')
	}
	return out, i
}
