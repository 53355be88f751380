package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

const (
	listSuffix = "List"
	// maxListDepth is the maximal nesting of lists.
	maxListDepth = 8
)

var errListDepth = fmt.Errorf("lists are nested deeper than %d", maxListDepth)

// A yielder is what a caller does with objects. It returns false if it wants no more.
type yielder func(*Object) bool

// objectsOf yields the object of a document, or the objects of a list. It reports
// isObject false if the document has no object of Kubernetes and the caller did not name
// the file, and more false if the caller wants no more.
func (r *Reader) objectsOf(doc *Document, named bool, yield yielder) (isObject, more bool) {
	if r.only != "" && !Mentions(doc.Text, r.only) {
		return false, true
	}
	o := &Object{Document: doc, Text: doc.Text, YAML: doc.YAML}
	h, err := readHead(o.Text, o.YAML)
	switch {
	case err == nil:
		if !named && (!h.isObject() || isKustomize(h)) {
			return false, true
		}
		return true, r.expand(o, h, 0, yield)
	case !named && errors.Is(err, ErrNotObject):
		return false, true
	}
	o.Err = err
	return true, yield(o)
}

// isKustomize reports whether a document is for kustomize, and not for a server.
func isKustomize(h *rawHead) bool {
	group, _, _ := strings.Cut(h.apiVersion, "/")
	return group == "kustomize.config.k8s.io"
}

// expand yields an object with its head, or the items of a list.
func (r *Reader) expand(o *Object, h *rawHead, depth int, yield yielder) bool {
	if o.Head, o.Err = h.head(); !r.isList(o.GroupVersionKind, h) {
		return yield(o)
	}
	if o.Err = nil; depth == maxListDepth {
		o.Err = errListDepth
		return yield(o)
	}
	items, err := h.readItems()
	if err != nil {
		o.Err = err
		return yield(o)
	}
	i := 0
	for item := range items {
		child := &Object{Document: o.Document, Within: o.Within + "/items/" + strconv.Itoa(i), Text: item}
		if !r.item(child, o.GroupVersionKind, depth, yield) {
			return false
		}
		i++
	}
	return true
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

// item yields the objects of an item of a list.
func (r *Reader) item(o *Object, list schema.GroupVersionKind, depth int, yield yielder) bool {
	h, err := readHead(o.Text, false)
	if err != nil {
		o.Err = err
		return yield(o)
	}
	if kind := strings.TrimSuffix(list.Kind, listSuffix); kind != "" && !h.hasKind && !h.hasAPIVersion {
		h.kind, h.apiVersion = kind, list.GroupVersion().String()
		o.Text = withKind(o.Text, h.apiVersion, kind)
	}
	return r.expand(o, h, depth+1, yield)
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

// itemsOfYAML returns the items of a list as JSON. A duplicate key anywhere in the
// list is an error.
func itemsOfYAML(text []byte) (iter.Seq[json.RawMessage], error) {
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	return itemsOfJSON(list.Items), nil
}

// itemsOfJSON returns the items of a valid list, or of null. Only one of them is in memory
// besides the list.
func itemsOfJSON(list json.RawMessage) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		d := json.NewDecoder(bytes.NewReader(list))
		if start, err := d.Token(); err != nil || start != json.Delim('[') {
			return // null
		}
		for d.More() {
			var item json.RawMessage
			if d.Decode(&item) != nil || !yield(item) {
				return
			}
		}
	}
}
