package jsonscan

// Skip returns the index after the value at s[i], or -1 if it declines the text.
// Unlike [Value] it accepts repeated keys and escapes of half a surrogate pair.
func Skip(s string, i int) int { return skip(s, i, MaxDepth, false) }

// SkipSorted is [Skip], but declines objects whose keys are not in increasing order, and
// keys with escapes. So no key of a value that it accepts is repeated.
func SkipSorted(s string, i int) int { return skip(s, i, MaxDepth, true) }

func skip(s string, i, depth int, sorted bool) int {
	if i >= len(s) || depth < 0 {
		return -1
	}
	switch s[i] {
	case '{':
		return skipObject(s, Space(s, i+1), depth-1, sorted)
	case '[':
		return skipList(s, Space(s, i+1), depth-1, sorted)
	case '"':
		end, _ := String(s, i+1)
		if end < 0 {
			return -1
		}
		return end + 1
	case 't':
		return Literal(s, i, "true")
	case 'f':
		return Literal(s, i, "false")
	case 'n':
		return Literal(s, i, "null")
	}
	end, _ := Number(s, i)
	return end
}

func skipList(s string, i, depth int, sorted bool) int {
	if i < len(s) && s[i] == ']' {
		return i + 1
	}
	for more := true; more; {
		if i = skip(s, i, depth, sorted); i < 0 {
			return -1
		}
		i, more = Next(s, i, ']')
	}
	return i
}

func skipObject(s string, i, depth int, sorted bool) int {
	if i < len(s) && s[i] == '}' {
		return i + 1
	}
	before := ""
	for first, more := true, true; more; first = false {
		if i >= len(s) || s[i] != '"' {
			return -1
		}
		end, text := String(s, i+1)
		if end < 0 {
			return -1
		}
		if sorted {
			key := s[i+1 : end]
			if text&Escaped != 0 || !first && key <= before {
				return -1
			}
			before = key
		}
		if i = Space(s, end+1); i >= len(s) || s[i] != ':' {
			return -1
		}
		if i = skip(s, Space(s, i+1), depth, sorted); i < 0 {
			return -1
		}
		i, more = Next(s, i, '}')
	}
	return i
}

// Lookup returns the text of a value in the object s, or "" if s has no such value.
// The first name selects a member of s, and each other name selects a member of the
// object before it. Lookup reports false if it declines s, or if a name needs an
// object and finds another value. If a key is repeated, it uses the first member.
// It does not read the text after the value that it returns.
func Lookup(s string, names ...string) (string, bool) {
	i := Space(s, 0)
	for _, name := range names {
		if i >= len(s) || s[i] != '{' {
			return "", false
		}
		var ok bool
		if i, ok = member(s, i, name); !ok || i < 0 {
			return "", ok
		}
	}
	end := Skip(s, i)
	if end < 0 {
		return "", false
	}
	return s[i:end], true
}

// member returns the index of the value of the named member of the object at s[i],
// or -1 if the object has no such member. It reports false if it declines the text.
func member(s string, i int, name string) (int, bool) {
	i = Space(s, i+1)
	if i < len(s) && s[i] == '}' {
		return -1, true
	}
	for more := true; more; {
		key, _, at := Key(s, i)
		if at < 0 {
			return -1, false
		}
		if key == name {
			return at, true
		}
		end := Skip(s, at)
		if end < 0 {
			return -1, false
		}
		if i, more = Next(s, end, '}'); i < 0 {
			return -1, false
		}
	}
	return -1, true
}
