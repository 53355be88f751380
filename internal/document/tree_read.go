package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// maxTreeDepth is the maximal nesting of a document. The server reads much
// less.
const maxTreeDepth = 10000

var errTooDeep = fmt.Errorf("nested deeper than %d", maxTreeDepth)

// ReadTree reads the first document of a text that is an object, or the first that is a
// list if none is an object: as JSON if the text starts with a brace, and as YAML otherwise
// or if it is not JSON.
func ReadTree(text []byte) (*Tree, error) {
	t, ok := readTreeFast(string(text))
	if !ok {
		var err error
		if t, err = readTreeReference(text); err != nil {
			return nil, err
		}
	}
	t.root.addIndexes(map[*node]bool{})
	return t, nil
}

// readTreeReference is the reference of ReadTree.
func readTreeReference(text []byte) (*Tree, error) {
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		if t, err := readJSONTree(text, len(text)-len(trimmed)); err == nil {
			return t, nil
		}
	}
	return readYAMLTree(text)
}

// A jsonTreeReader reads tokens of JSON and their offsets.
type jsonTreeReader struct {
	text []byte
	d    *json.Decoder
}

func readJSONTree(text []byte, start int) (*Tree, error) {
	r := &jsonTreeReader{text: text, d: json.NewDecoder(bytes.NewReader(text))}
	r.d.UseNumber()
	root, err := r.readValue(0)
	if err != nil {
		return nil, err
	}
	return &Tree{root: root, start: start}, nil
}

// nextOffset returns the offset of the next token without reading it.
func (r *jsonTreeReader) nextOffset() int {
	at := int(r.d.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsonTreeReader) readValue(depth int) (*node, error) {
	if depth > maxTreeDepth {
		return nil, errTooDeep
	}
	token, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil, nil
	}
	n := &node{list: delim == '['}
	for r.d.More() {
		m := member{at: r.nextOffset()}
		if !n.list {
			name, err := r.d.Token()
			if err != nil {
				return nil, err
			}
			m.name, _ = name.(string)
		}
		if m.value, err = r.readValue(depth + 1); err != nil {
			return nil, err
		}
		n.members = append(n.members, m)
	}
	_, err = r.d.Token()
	return n, err
}

// A yamlTreeReader converts nodes of the YAML library.
type yamlTreeReader struct {
	lines *yamlLines
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
	return &Tree{root: r.treeNode(root), start: r.lines.offset(root)}, nil
}

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
			n.members = append(n.members, member{at: r.lines.offset(e), value: r.treeNode(e)})
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
		at := r.lines.offset(key)
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
