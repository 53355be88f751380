package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// ReadTree reads the first document of a text that is an object, or the first that is a
// list if none is an object: as JSON if the text starts with a brace, and as YAML otherwise
// or if it is not JSON.
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

// node returns the node of a value, nil for a scalar.
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
	r.d.UseNumber() // so that no number is too large
	return &Tree{start: r.position(), root: r.readValue()}
}

// position returns the position of the next token.
func (r *jsonTreeReader) position() Position {
	at := int(r.d.InputOffset())
	for bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return r.lines.Position(at)
}

// readValue returns the node of the next value, nil for a scalar.
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

// yamlLines returns the positions at which the lines of YAML 1.1 start, which end not only
// with line feeds, and the position of the end of the text.
func yamlLines(text []byte) []Position {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	lines, counter, breaks := []Position{{1, 1}}, NewLineCounter(text), hasOtherBreaks(text)
	for at := 0; at < len(text); {
		at += lineSize(text[at:], breaks)
		lines = append(lines, counter.Position(at))
	}
	return lines
}

// position returns the position of a node. An omitted value at the end of the text has that of
// the last character.
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

// treeNode returns the node of a value, nil for a scalar.
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
		if key.Kind == yaml.ScalarNode { // other keys are no names
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
