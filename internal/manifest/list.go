package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/document"
)

const (
	listSuffix = "List"
	// maxListDepth is the maximal nesting of lists.
	maxListDepth = 8
)

var errListDepth = fmt.Errorf("lists are nested deeper than %d", maxListDepth)

// objectsOf returns the object of a document, or the objects of a list. It
// returns nil if the document has no object of Kubernetes and the caller did not
// name the file.
func (r *Reader) objectsOf(doc *Document, named bool) []*Object {
	if r.only != "" && !Mentions(doc.Text, r.only) {
		return nil
	}
	o := &Object{Document: doc, Text: doc.Text, YAML: doc.YAML}
	h, err := readHead(o.Text, o.YAML)
	switch {
	case err == nil:
		if !named && (!h.isObject() || isKustomize(h)) {
			return nil
		}
		return r.expand(o, h, 0)
	case !named && errors.Is(err, ErrNotObject):
		return nil
	}
	o.Err = err
	return []*Object{o}
}

// isKustomize reports whether a document is for kustomize, and not for a server.
func isKustomize(h *rawHead) bool {
	group, _, _ := strings.Cut(h.apiVersion, "/")
	return group == "kustomize.config.k8s.io"
}

// expand returns an object with its head, or the items of a list.
func (r *Reader) expand(o *Object, h *rawHead, depth int) []*Object {
	if o.Head, o.Err = h.head(); !r.isList(o.GroupVersionKind, h) {
		return []*Object{o}
	}
	o.Err = nil
	if depth == maxListDepth {
		o.Err = errListDepth
		return []*Object{o}
	}
	items, err := h.readItems()
	if err != nil {
		o.Err = err
		return []*Object{o}
	}
	all := []*Object{}
	for i, item := range items {
		child := &Object{Document: o.Document, Within: fmt.Sprintf("%s/items/%d", o.Within, i), Text: item}
		all = append(all, r.item(child, o.GroupVersionKind, depth)...)
	}
	return all
}

func (r *Reader) isList(gvk schema.GroupVersionKind, h *rawHead) bool {
	switch {
	case !h.hasItems || !strings.HasSuffix(h.kind, listSuffix):
		return false
	case h.kind == listSuffix:
		return true // with or without an apiVersion
	}
	return gvk.Version != "" && (r.IsKind == nil || !r.IsKind(gvk))
}

// item returns the objects of an item of a list.
func (r *Reader) item(o *Object, list schema.GroupVersionKind, depth int) []*Object {
	h, err := readHead(o.Text, false)
	if err != nil {
		o.Err = err
		return []*Object{o}
	}
	if kind := strings.TrimSuffix(list.Kind, listSuffix); kind != "" && !h.hasKind && !h.hasAPIVersion {
		h.kind, h.apiVersion = kind, list.GroupVersion().String()
		o.Text = withKind(o.Text, h.apiVersion, kind)
	}
	return r.expand(o, h, depth+1)
}

// withKind adds the fields to an object that has neither.
func withKind(object []byte, apiVersion, kind string) []byte {
	head, err := json.Marshal(map[string]string{"apiVersion": apiVersion, "kind": kind})
	if err != nil {
		return object // strings have an encoding
	}
	_, members, _ := strings.Cut(string(object), "{")
	separator := ","
	if strings.TrimLeft(members, " \t\r\n") == "}" {
		separator = ""
	}
	return []byte(strings.TrimSuffix(string(head), "}") + separator + members)
}

// itemsOfTokens returns the items of a list as JSON.
func itemsOfTokens(t *document.Tokens, list int, text []byte) ([]json.RawMessage, error) {
	if t.Kind(list) != document.List {
		return nil, nil
	}
	items := make([]json.RawMessage, 0, t.Len(list))
	at := list + 1
	for range t.Len(list) {
		item, ok := t.AppendJSON(nil, at)
		if !ok {
			return itemsOfYAML(text) // for its error
		}
		items = append(items, item)
		at = t.Next(at)
	}
	return items, nil
}

// itemsOfYAML returns the items of a list as JSON. A duplicate key anywhere in the
// list is an error.
func itemsOfYAML(text []byte) ([]json.RawMessage, error) {
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	return list.Items, nil
}
