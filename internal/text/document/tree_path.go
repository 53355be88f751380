package document

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// maxPath is the length of the longest path that Pointer follows: finding its first
// name takes time in proportion to the square of the length.
const maxPath = 4096

// Pointer returns the JSON pointer of a path in the server's notation, such as
// "spec.versions[0].name", as far as the path leads to a value. A name may
// contain dots and brackets: of several names that the path can mean, Pointer
// takes the longest.
func (t *Tree) Pointer(path string) string {
	var b []byte
	n, rest := t.root, "."+path
	if n != nil && n.list {
		rest = path // "[0].name"
	}
	for rest != "" && rest != "." {
		m, step, after, ok := n.memberAtPath(rest)
		if !ok {
			break
		}
		b = pathstack.AppendToken(append(b, '/'), step)
		n, rest = m.value, after
	}
	return string(b)
}

// memberAtPath returns the member that the start of a path names, its name or
// index, and the rest of the path.
func (n *node) memberAtPath(path string) (m member, step, after string, ok bool) {
	if n == nil || !n.list && len(path) > maxPath {
		return member{}, "", "", false
	}
	if n.list {
		index, rest, closed := strings.Cut(strings.TrimPrefix(path, "["), "]")
		m, ok = n.find(index)
		i, _ := strconv.Atoi(index)
		return m, strconv.Itoa(i), rest, ok && closed
	}
	// The name ends where another step starts or the path ends. The longest one wins.
	for end := len(path); end > 0; end-- {
		if end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		name := path[1:end]
		if path[0] == '[' {
			inner, closed := strings.CutSuffix(name, "]")
			if !closed {
				continue
			}
			name = inner
		}
		if m, ok = n.fields[name]; ok {
			return m, name, path[end:], true
		}
	}
	return member{}, "", "", false
}
