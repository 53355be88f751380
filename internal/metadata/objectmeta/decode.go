package objectmeta

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// Options configure the decoding of metadata. The zero value ignores unknown fields.
type Options struct {
	// DropInvalid drops members that cannot be decoded, as kube-apiserver does when it
	// reads the store, instead of an error.
	DropInvalid bool
	// ReportUnknown returns the paths of fields that ObjectMeta lacks. They are dropped in
	// any case.
	ReportUnknown bool
}

// decode decodes raw through JSON into ObjectMeta. The paths of unknown fields are relative
// to the object, in the decoder's order.
func decode(raw any, o Options) (*metav1.ObjectMeta, []schema.Path, error) {
	meta := &metav1.ObjectMeta{}
	data, err := utiljson.Marshal(raw)
	if err != nil {
		return nil, nil, err
	}
	strict, err := unmarshal(data, meta, o.ReportUnknown)
	if err == nil {
		return meta, unknownPaths(raw, strict), nil
	}
	if !o.DropInvalid {
		return nil, nil, err
	}
	m, ok := raw.(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("invalid metadata: expected object, got %T", raw)
	}
	meta, unknown := decodeValidMembers(m, o)
	return meta, unknown, nil
}

func unmarshal(data []byte, into *metav1.ObjectMeta, strictly bool) (strict []error, err error) {
	if strictly {
		return kjson.UnmarshalStrict(data, into)
	}
	return nil, utiljson.Unmarshal(data, into)
}

func decodeValidMembers(m map[string]any, o Options) (*metav1.ObjectMeta, []schema.Path) {
	meta, scratch := &metav1.ObjectMeta{}, &metav1.ObjectMeta{}
	var unknown []schema.Path
	for _, name := range slices.Sorted(maps.Keys(m)) {
		single := map[string]any{name: m[name]}
		data, err := utiljson.Marshal(single)
		if err != nil || utiljson.Unmarshal(data, scratch) != nil {
			continue
		}
		// The same bytes were decoded into scratch, so there is no error.
		strict, _ := unmarshal(data, meta, o.ReportUnknown)
		unknown = append(unknown, unknownPaths(single, strict)...)
	}
	return meta, unknown
}

func encode(meta *metav1.ObjectMeta) (map[string]any, error) {
	return runtime.DefaultUnstructuredConverter.ToUnstructured(meta)
}

// A Decoded is metadata between [Decode] and [Decoded.Restore]. The zero Decoded is none.
//
// It may be the metadata that it was decoded from, which only pruning, null dropping and
// coercion may change before it is restored.
type Decoded struct {
	found    bool
	metadata map[string]any
	omits    bool // metadata has members that Restore removes
}

// Decode decodes the metadata of obj, which does not change. The paths of unknown fields,
// if o asks for them, are in the server's order: by name, elements in their order.
//
// The error has the text of kube-apiserver. With [Options.DropInvalid] there is one only if
// metadata is not an object, or not JSON.
func Decode(obj map[string]any, o Options) (Decoded, []schema.Path, error) {
	return decodeMetadata(obj, o, false)
}

// decodeMetadata is Decode. With copied, it never keeps the metadata of obj.
func decodeMetadata(obj map[string]any, o Options, copied bool) (Decoded, []schema.Path, error) {
	raw, found := obj["metadata"]
	if !found {
		return Decoded{}, nil, nil
	}
	if !copied {
		m := New()
		defer m.Release()
		if m.read(input{v: raw}) >= 0 {
			return Decoded{found: true, metadata: raw.(map[string]any), omits: m.omits}, nil, nil
		}
	}
	typed, unknown, err := decode(raw, o)
	if err != nil {
		return Decoded{}, nil, err
	}
	written, err := encode(typed)
	return Decoded{found: true, metadata: written}, unknown, err
}

// Restore writes the metadata back to obj as kube-apiserver does: without unknown fields
// and omitted members. It does nothing without metadata.
func (d Decoded) Restore(obj map[string]any) {
	if !d.found {
		return
	}
	if d.omits {
		maps.DeleteFunc(d.metadata, omitted)
	}
	obj["metadata"] = d.metadata
}

// omitted reports whether ObjectMeta omits a member: null, or most empty values.
func omitted(key string, v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case int64:
		return v == 0 && key == "generation"
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	default:
		return false
	}
}

// RepairGeneration sets a generation of 0 to 1, as kube-apiserver does for old stored
// objects.
func RepairGeneration(obj map[string]any) {
	m, _ := obj["metadata"].(map[string]any)
	if g, _ := m["generation"].(int64); m != nil && g == 0 {
		m["generation"] = int64(1)
	}
}

// KeepManaged sets the managed fields from which kube-apiserver goes on in an update: its
// own, unless there are none, some cannot be decoded, or the status is updated. Else it
// takes those of old, if they can be decoded. One empty entry stays; [Meta.PrepareUpdate]
// removes it.
func (m *Meta) KeepManaged(old *Meta, status bool) {
	switch {
	case !status && (m.resetsManaged() || m.decodesManaged()):
	case old.decodesManaged():
		m.setManaged(old.managed)
	default:
		m.setManaged(nil)
	}
}

func (m *Meta) setManaged(entries []managedEntry) {
	m.managed = append(m.managed[:0], entries...)
	m.changed.add(memberManagedFields)
}

// resetsManaged reports whether a client asks to remove all managed fields.
func (m *Meta) resetsManaged() bool {
	return len(m.managed) == 1 && m.managed[0].members == 0
}

// decodesManaged reports whether the server can decode all managed fields. Else it ignores
// them.
func (m *Meta) decodesManaged() bool {
	for i := range m.managed {
		if e := &m.managed[i]; !isOperation(e.operation) || e.apiVersion == "" || e.fieldsType != "FieldsV1" || !decodesFields(e.fields) {
			return false
		}
	}
	return len(m.managed) > 0
}

// decodesFields reports whether the server can decode a field set. Unknown types are
// ignored.
func decodesFields(v any) bool {
	m, ok := v.(map[string]any)
	for key, below := range m {
		if decodes, nested := decodesElement(key); !decodes || nested && !decodesFields(below) {
			return false
		}
	}
	return ok || v == nil
}

// decodesElement reports whether the server can decode a key of a field set, and decodes
// below it.
func decodesElement(key string) (decodes, below bool) {
	if key == "." {
		return true, false
	}
	if strings.HasPrefix(key, "f:") || strings.HasPrefix(key, "k:{") && jsonscan.SkipSorted(key, len("k:")) == len(key) {
		return true, true // without an allocation
	}
	_, err := fieldpath.DeserializePathElement(key)
	unknown := errors.Is(err, fieldpath.ErrUnknownPathElementType)
	return err == nil || unknown, !unknown
}
