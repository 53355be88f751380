package manifest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/text/document"
)

const (
	listSuffix   = "List"
	maxListDepth = 8
)

var errListDepth = fmt.Errorf("lists are nested deeper than %d", maxListDepth)

// A yielder is the caller's function for objects. It returns false if it wants no more.
type yielder func(*Object) bool

// objectsOf yields the object of a document, or the objects of a list. A document that is not
// an object is an error in a named file. In other files it is skipped, and isObject is false. more
// is false if the caller wants no more.
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

func isKustomize(h *rawHead) bool {
	group, _, _ := strings.Cut(h.apiVersion, "/")
	return group == "kustomize.config.k8s.io"
}

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
		return true // even without an apiVersion
	}
	return gvk.Version != "" && (r.IsKind == nil || !r.IsKind(gvk))
}

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

func withKind(object []byte, apiVersion, kind string) []byte {
	head, err := json.Marshal(map[string]string{"apiVersion": apiVersion, "kind": kind})
	if err != nil {
		return object // cannot happen with strings
	}
	_, members, _ := strings.Cut(string(object), "{")
	separator := ","
	if strings.TrimLeft(members, " \t\r\n") == "}" {
		separator = ""
	}
	return []byte(strings.TrimSuffix(string(head), "}") + separator + members)
}

// itemsOfYAML returns the items of a list as JSON. Any duplicate key is an error.
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

// itemsOfJSON returns the items of a valid list or of null. One item is in memory at a time.
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

// A kustomization names the patch files of a kustomization file. Patches look like objects.
//
// See https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/patches/.
type kustomization struct {
	Patches               []patchFile `json:"patches"`
	PatchesJSON6902       []patchFile `json:"patchesJson6902"`
	PatchesStrategicMerge []string    `json:"patchesStrategicMerge"` // names of files, or texts of patches
}

type patchFile struct {
	Path string `json:"path"`
}

// maxKustomization is how large a kustomization file may be to be searched for patches.
const maxKustomization = 1 << 20

func isKustomization(name string) bool {
	base := strings.TrimSuffix(name, filepath.Ext(name))
	return base == "kustomization" || base == "Kustomization"
}

// findPatches records the patches of a directory's kustomization file, if it can be read.
func (r *Reader) findPatches(ctx context.Context, dir string, entries []fs.DirEntry) {
	for _, e := range entries {
		name := r.join(dir, e.Name())
		if !isKustomization(e.Name()) || !r.modeOf(name, e).IsRegular() {
			continue
		}
		text, err := r.Content(ctx, name)
		if err != nil || len(text) > maxKustomization || document.CheckAliases(text) != nil {
			continue
		}
		var k kustomization
		if yaml.Unmarshal(text, &k) != nil {
			continue
		}
		for _, patch := range append(k.Patches, k.PatchesJSON6902...) {
			r.addPatch(dir, patch.Path)
		}
		for _, patch := range k.PatchesStrategicMerge {
			r.addPatch(dir, patch)
		}
	}
}

// addPatch records the file of a patch, relative to the directory of its kustomization.
func (r *Reader) addPatch(dir, name string) {
	if name == "" || strings.Contains(name, "\n") {
		return // the patch is inline
	}
	if r.patches == nil {
		r.patches = map[string]bool{}
	}
	r.patches[r.join(dir, name)] = true
}

const definitionKind = "CustomResourceDefinition"

// A Head has the fields that identify an object.
type Head struct {
	schema.GroupVersionKind
	Namespace, Name string
	// Defines is the kind that a definition defines, or zero.
	Defines schema.GroupKind
}

// IsDefinition reports whether the object has the kind CustomResourceDefinition.
func (h *Head) IsDefinition() bool { return h.Kind == definitionKind }

// A rawHead has the fields of a Head as in the text, and fields that tell what the document is.
type rawHead struct {
	apiVersion, kind       string
	namespace, name        string
	group, definedKind     string
	hasAPIVersion, hasKind bool // with any value
	hasMetadata            bool // an object
	hasItems               bool // a list
	readItems              func() (iter.Seq[json.RawMessage], error)
}

// ErrNotObject reports a document of a named file that is not an object of Kubernetes.
var ErrNotObject = errors.New("not an object")

// ErrIncomplete reports an object without an apiVersion or a kind. A server refuses it.
var ErrIncomplete = errors.New("no complete kind")

type missingError string

func (e missingError) Error() string { return string(e) + " is missing or is not a string" }

func (e missingError) Is(target error) bool { return target == ErrNotObject || target == ErrIncomplete }

func (h *rawHead) isObject() bool {
	return h.hasAPIVersion && h.hasKind || (h.hasAPIVersion || h.hasKind) && h.hasMetadata
}

// head returns the Head, or an error if the kind is not complete.
func (h *rawHead) head() (Head, error) {
	out := Head{Namespace: h.namespace, Name: h.name, GroupVersionKind: schema.GroupVersionKind{Kind: h.kind}}
	switch {
	case h.apiVersion == "":
		return out, missingError("apiVersion")
	case h.kind == "":
		return out, missingError("kind")
	}
	gv, err := schema.ParseGroupVersion(h.apiVersion)
	if err != nil {
		return out, err
	}
	out.GroupVersionKind = gv.WithKind(h.kind)
	if out.IsDefinition() && h.group != "" && h.definedKind != "" {
		out.Defines = schema.GroupKind{Group: h.group, Kind: h.definedKind}
	}
	return out, nil
}

func readHead(text []byte, isYAML bool) (*rawHead, error) {
	if !isYAML {
		return headOfJSON(text)
	}
	if data, ok := document.YAMLToJSON(string(text)); ok {
		return headOfJSON(data)
	}
	if err := document.CheckAliases(text); err != nil {
		return nil, err
	}
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	if err := document.CheckEnd(text); err != nil {
		return nil, err
	}
	h, err := headOfJSON(data)
	if h != nil {
		h.readItems = func() (iter.Seq[json.RawMessage], error) { return itemsOfYAML(text) }
	}
	return h, err
}

func headOfJSON(data []byte) (*rawHead, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, fmt.Errorf("%w: the document is a JSON %s", ErrNotObject, mismatch.Value)
		}
		return nil, err
	}
	if fields == nil {
		return nil, fmt.Errorf("%w: the document is null", ErrNotObject)
	}
	h := &rawHead{}
	h.apiVersion, h.hasAPIVersion = textOf(fields, "apiVersion")
	h.kind, h.hasKind = textOf(fields, "kind")
	if meta := objectOf(fields, "metadata"); meta != nil {
		h.hasMetadata = true
		h.namespace, _ = textOf(meta, "namespace")
		h.name, _ = textOf(meta, "name")
	}
	if h.kind == definitionKind {
		spec := objectOf(fields, "spec")
		h.group, _ = textOf(spec, "group")
		h.definedKind, _ = textOf(objectOf(spec, "names"), "kind")
	}
	if items, ok := fields["items"]; ok && strings.HasSuffix(h.kind, listSuffix) {
		first := bytes.TrimLeft(items, " \t\r\n")
		h.hasItems = len(first) > 0 && (first[0] == '[' || first[0] == 'n')
		h.readItems = func() (iter.Seq[json.RawMessage], error) { return itemsOfJSON(items), nil }
	}
	return h, nil
}

func textOf(fields map[string]json.RawMessage, name string) (string, bool) {
	raw, ok := fields[name]
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", ok
	}
	return s, ok
}

// objectOf returns the object that a member has, or nil for another value.
func objectOf(fields map[string]json.RawMessage, name string) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	if json.Unmarshal(fields[name], &out) != nil {
		return nil
	}
	return out
}
