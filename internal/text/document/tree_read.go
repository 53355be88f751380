package document

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// maxTreeDepth is the maximal nesting of JSON. The server reads much less.
const maxTreeDepth = 10000

// ReadTree reads the first document of a text that is an object, or the first that is a
// list if none is an object: as JSON if the text starts with a brace, and as YAML otherwise
// or if it is not JSON.
func ReadTree(text []byte) (*Tree, error) {
	if t, ok := readTokenTree(string(text)); ok {
		return t, nil
	}
	return readYAMLTree(text)
}

// readTokenTree declines the texts that Tokenize declines, apart from JSON that is nested
// more deeply.
func readTokenTree(text string) (*Tree, bool) {
	t, ok := tokenize(text, maxTreeDepth)
	if !ok || t.Kind(0) != Object {
		return nil, false
	}
	return &Tree{root: t.node(0), start: t.Offset(0)}, true
}

// node returns the node of a value, nil for a scalar.
func (t *Tokens) node(i int) *node {
	kind := t.Kind(i)
	if kind != Object && kind != List {
		return nil
	}
	n := &node{list: kind == List, members: make([]member, t.Len(i))}
	at := i + 1
	for k := range n.members {
		m := &n.members[k]
		m.at = t.Offset(at)
		if !n.list {
			m.name = t.Text(at)
			at++
		}
		m.value = t.node(at)
		at = t.Next(at)
	}
	n.addIndex()
	return n
}

// A yamlTreeReader converts nodes of the YAML library.
type yamlTreeReader struct {
	lines *LineIndex
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
	r := &yamlTreeReader{lines: newYAMLLines(text), seen: map[*yaml.Node]*node{}}
	return &Tree{root: r.treeNode(root), start: r.offset(root)}, nil
}

func (r *yamlTreeReader) offset(y *yaml.Node) int { return r.lines.offset(y.Line, y.Column) }

// yamlRoot returns the value of the first document that is an object, or of the first
// that is a list if none is an object.
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
	n := &node{list: y.Kind == yaml.SequenceNode}
	if y.Anchor != "" {
		r.seen[y] = n
	}
	if n.list {
		n.members = make([]member, 0, len(y.Content))
		for _, e := range y.Content {
			n.members = append(n.members, member{at: r.offset(e), value: r.treeNode(e)})
		}
		return n
	}
	r.addMembers(n, y.Content)
	return n
}

func (r *yamlTreeReader) addMembers(n *node, content []*yaml.Node) {
	n.members = make([]member, 0, len(content)/2)
	for i := 0; i+1 < len(content); i += 2 {
		key, value := content[i], content[i+1]
		at := r.offset(key)
		v := r.treeNode(value)
		if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
			n.merge(v)
			continue
		}
		if key.Kind == yaml.AliasNode && key.Alias != nil {
			key = key.Alias
		}
		if key.Kind == yaml.ScalarNode { // other keys are no names
			n.members = append(n.members, member{name: key.Value, at: at, value: v})
		}
	}
	n.addIndex()
}

// merge records a mapping, or the mappings of a list, as merged into n.
func (n *node) merge(v *node) {
	switch {
	case v == nil:
	case !v.list:
		n.merged = append(n.merged, v)
	default:
		for _, m := range v.members {
			if m.value != nil && !m.value.list {
				n.merged = append(n.merged, m.value)
			}
		}
	}
}
