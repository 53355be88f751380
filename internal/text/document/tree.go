package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// A Tree has the positions of the parts of a document.
type Tree struct {
	root  *node
	start Position // of the document's value
}

// A node is an object or a list. The node of a scalar is nil.
type node struct {
	list     bool
	elements []member          // for a list
	fields   map[string]member // for an object: the first member of each name
	merged   []*node           // mappings that are merged into this one; the first wins
}

func newNode(list bool) *node {
	if list {
		return &node{list: true}
	}
	return &node{fields: map[string]member{}}
}

func (n *node) add(name string, m member) {
	if n.list {
		n.elements = append(n.elements, m)
	} else if _, repeated := n.fields[name]; !repeated {
		n.fields[name] = m
	}
}

type member struct {
	at    Position // of the name, or of the element
	value *node    // nil for scalars
}

// Find returns the position of a JSON pointer (RFC 6901). If it leads to nothing, Find returns the
// position of the innermost part that exists, and false.
func (t *Tree) Find(pointer string) (at Position, exact bool) {
	n, at := t.root, t.start
	rest := pointer
	for rest != "" {
		var step string
		step, rest = cutPointer(rest)
		m, ok := n.find(step)
		if !ok {
			return at, false
		}
		n, at = m.value, m.at
	}
	return at, true
}

func cutPointer(pointer string) (step, rest string) {
	step = strings.TrimPrefix(pointer, "/")
	if end := strings.IndexByte(step, '/'); end >= 0 {
		step, rest = step[:end], step[end:]
	}
	return pathstack.Unescape(step), rest
}

func (n *node) find(step string) (member, bool) {
	if n == nil {
		return member{}, false
	}
	if n.list {
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(n.elements) {
			return member{}, false
		}
		return n.elements[i], true
	}
	if m, ok := n.fields[step]; ok {
		return m, true
	}
	for _, merged := range n.merged {
		// merged.find is not called, because a mapping can be merged into itself.
		if m, ok := merged.fields[step]; ok {
			return m, true
		}
	}
	return member{}, false
}

// maxPath is the longest path that Pointer follows. Finding a name takes quadratic time.
const maxPath = 4096

// Pointer returns the JSON pointer of a server's path, such as "spec.versions[0].name", up to the
// last part that exists. Names may contain dots and brackets; the longest existing name counts.
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

// memberAtPath returns the member at the first step of a path, the step, and the rest of the path.
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
	// A name ends before a dot or bracket, or at the end of the path. The longest existing name
	// counts.
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

// ReadTree reads the first document that is an object, or otherwise the first list. It reads JSON
// if the text starts with a brace. Otherwise, or if that fails, it reads YAML.
func ReadTree(text []byte) (*Tree, error) {
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed) {
		return readJSONTree(text), nil
	}
	if tokens, ok := Tokenize(string(text)); ok {
		lines := NewLineCounter(text)
		return &Tree{start: lines.Position(tokens.Offset(0)), root: tokens.node(0, lines)}, nil
	}
	return readYAMLTree(text)
}

func (t *Tokens) node(i int, lines *LineCounter) *node {
	kind := t.Kind(i)
	if kind < List {
		return nil
	}
	n := newNode(kind == List)
	for at, left := i+1, t.Len(i); left > 0; left-- {
		name, position := "", lines.Position(t.Offset(at))
		if kind == Object {
			name = t.Text(at)
			at++
		}
		n.add(name, member{position, t.node(at, lines)})
		at = t.Next(at)
	}
	return n
}

// A jsonTreeReader reads tokens of valid JSON and their positions.
type jsonTreeReader struct {
	text  []byte
	d     *json.Decoder
	lines *LineCounter
}

func readJSONTree(text []byte) *Tree {
	r := &jsonTreeReader{text: text, d: json.NewDecoder(bytes.NewReader(text)), lines: NewLineCounter(text)}
	r.d.UseNumber() // no number is then too large
	return &Tree{start: r.position(), root: r.readValue()}
}

func (r *jsonTreeReader) position() Position {
	at := int(r.d.InputOffset())
	for bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return r.lines.Position(at)
}

func (r *jsonTreeReader) readValue() *node {
	token, _ := r.d.Token()
	if _, ok := token.(json.Delim); !ok {
		return nil
	}
	n := newNode(token == json.Delim('['))
	for r.d.More() {
		at, name := r.position(), ""
		if !n.list {
			token, _ := r.d.Token()
			name, _ = token.(string)
		}
		n.add(name, member{at, r.readValue()})
	}
	_, _ = r.d.Token()
	return n
}

// A yamlTreeReader converts nodes of the YAML library.
type yamlTreeReader struct {
	lines []Position           // see yamlLines
	seen  map[*yaml.Node]*node // by anchored node
}

func readYAMLTree(text []byte) (*Tree, error) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, errors.New("UTF-16")
	}
	root, err := yamlRoot(text)
	if err != nil {
		return nil, err
	}
	r := &yamlTreeReader{lines: yamlLines(text), seen: map[*yaml.Node]*node{}}
	return &Tree{root: r.treeNode(root), start: r.position(root)}, nil
}

// yamlRoot returns the first document that is an object, or otherwise the first list.
func yamlRoot(text []byte) (*yaml.Node, error) {
	var list *yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF) && list != nil:
			return list, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("neither an object nor a list")
		case err != nil:
			return nil, err
		}
		if len(doc.Content) == 0 {
			continue
		}
		root := doc.Content[0]
		if root.Kind == yaml.MappingNode {
			return root, nil
		}
		if list == nil && root.Kind == yaml.SequenceNode {
			list = root
		}
	}
}

// yamlLines returns the positions of lines, as YAML 1.1 breaks them, and of the end of the text.
func yamlLines(text []byte) []Position {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	lines, counter, breaks := []Position{{1, 1}}, NewLineCounter(text), hasOtherBreaks(text)
	for at := 0; at < len(text); {
		at += lineSize(text[at:], breaks)
		lines = append(lines, counter.Position(at))
	}
	return lines
}

// position returns the position of a node. If the value is omitted at the end of the text, it is
// the position of the last character.
func (r *yamlTreeReader) position(y *yaml.Node) Position {
	if y.Line < 1 || y.Line > len(r.lines) {
		return Position{1, 1}
	}
	p := r.lines[y.Line-1]
	if p.Column += max(y.Column-1, 0); p == r.lines[len(r.lines)-1] {
		p.Column = max(p.Column-1, 1)
	}
	return p
}

func (r *yamlTreeReader) treeNode(y *yaml.Node) *node {
	if y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	if y == nil || y.Kind != yaml.MappingNode && y.Kind != yaml.SequenceNode {
		return nil
	}
	if n, ok := r.seen[y]; ok {
		return n
	}
	n := newNode(y.Kind == yaml.SequenceNode)
	if y.Anchor != "" {
		r.seen[y] = n
	}
	if n.list {
		for _, e := range y.Content {
			n.add("", member{at: r.position(e), value: r.treeNode(e)})
		}
		return n
	}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		m := member{at: r.position(key), value: r.treeNode(y.Content[i+1])}
		if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
			n.merge(m.value)
			continue
		}
		if key.Kind == yaml.AliasNode && key.Alias != nil {
			key = key.Alias
		}
		if key.Kind == yaml.ScalarNode { // other keys are not names
			n.add(key.Value, m)
		}
	}
	return n
}

// merge records a mapping, or the mappings of a list, as merged into n.
func (n *node) merge(v *node) {
	switch {
	case v == nil:
	case !v.list:
		n.merged = append(n.merged, v)
	default:
		for _, m := range v.elements {
			if m.value != nil && !m.value.list {
				n.merged = append(n.merged, m.value)
			}
		}
	}
}
