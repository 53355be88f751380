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
		m, step, after := n.memberAtPath(rest)
		if m == nil {
			break
		}
		b = pathstack.AppendToken(append(b, '/'), step)
		n, rest = m.value, after
	}
	return string(b)
}

// memberAtPath returns the member that the start of a path names, its name or
// index, and the rest of the path.
func (n *node) memberAtPath(path string) (m *member, step, after string) {
	if n == nil {
		return nil, "", ""
	}
	if n.list {
		number, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(number)
		if !ok || err != nil || i < 0 || i >= len(n.members) {
			return nil, "", ""
		}
		return &n.members[i], strconv.Itoa(i), rest
	}
	if len(path) > maxPath {
		return nil, "", ""
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
		if m = n.written(name); m != nil {
			return m, name, path[end:]
		}
	}
	return nil, "", ""
}
