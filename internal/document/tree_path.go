package document

import (
	"strconv"
	"strings"
)

// Pointer returns the JSON pointer of a path in the server's notation, such as
// "spec.versions[0].name", as far as the path leads to a value. A name may
// contain dots and brackets: of several names that the path can mean, Pointer
// takes the longest.
func (t *Tree) Pointer(path string) string {
	var b strings.Builder
	n, rest := t.root, "."+path
	for rest != "" && rest != "." {
		m, step, after := n.memberAtPath(rest)
		if m == nil {
			break
		}
		b.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1"))
		n, rest = m.value, after
	}
	return b.String()
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
	for i := range n.members {
		name := n.members[i].name
		if m != nil && len(name) <= len(step) {
			continue
		}
		for _, spelling := range [...]string{"." + name, "[" + name + "]"} {
			if rest, ok := strings.CutPrefix(path, spelling); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				m, step, after = &n.members[i], name, rest
			}
		}
	}
	return m, step, after
}
