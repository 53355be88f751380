package jsonscan

// serverDepth is how many objects and lists that are not empty may be nested in one another
// in a text of [Decode]. The decoder of the server reads one more, empty ones included.
const serverDepth = 9_999

// Decode returns the value of the JSON text s. White space may surround the value. It may be
// nested more deeply than [MaxDepth]: as deeply as the server reads it.
// Decode reports false if it declines s; the value is then unspecified.
func Decode(s string) (any, bool) {
	v, end := readValue(s, Space(s, 0), serverDepth)
	return v, end >= 0 && Space(s, end) == len(s)
}

// Value returns the value that begins at s[i] and the index after it. The index is
// -1 if Value declines the text; the value is then unspecified.
func Value(s string, i int) (any, int) { return readValue(s, i, MaxDepth) }

func readValue(s string, i, depth int) (any, int) {
	if i >= len(s) {
		return nil, -1
	}
	switch s[i] {
	case '{':
		return readObject(s, i+1, depth-1)
	case '[':
		return readList(s, i+1, depth-1)
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

func readList(s string, i, depth int) (any, int) {
	out := []any{}
	i = Space(s, i)
	if i < len(s) && s[i] == ']' {
		return out, i + 1
	}
	for more := depth >= 0; more; {
		v, end := readValue(s, i, depth)
		if end < 0 {
			return nil, -1
		}
		out = append(out, v)
		if i, more = Next(s, end, ']'); !more {
			return out, i
		}
	}
	return nil, -1
}

func readObject(s string, i, depth int) (any, int) {
	out := map[string]any{}
	i = Space(s, i)
	if i < len(s) && s[i] == '}' {
		return out, i + 1
	}
	for more := depth >= 0; more; {
		key, at := DecodedKey(s, i)
		if at < 0 {
			return nil, -1
		}
		v, end := readValue(s, at, depth)
		n := len(out)
		if out[key] = v; end < 0 || len(out) == n {
			return nil, -1
		}
		if i, more = Next(s, end, '}'); !more {
			return out, i
		}
	}
	return nil, -1
}
