package document

import (
	"strconv"
	"strings"
)

// Pointer returns the JSON Pointer that a path in the form of the server,
// "spec.versions[0].name", spells in the document, as far as it leads to
// something. Names may have dots and brackets in them, so that of those that the
// path can mean the longest is taken.
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

// memberAtPath returns the member that the beginning of a path names, the step to it,
// and what is after it.
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
