package jsonscan

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
