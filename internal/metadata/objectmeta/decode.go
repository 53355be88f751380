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
	// DropInvalid drops members that cannot be decoded, as kube-apiserver does when it reads the
	// store. Otherwise they are errors.
	DropInvalid bool
	// ReportUnknown returns the paths of fields that ObjectMeta does not have. They are dropped in
	// any case.
	ReportUnknown bool
}

// decode decodes raw through JSON into ObjectMeta. The paths of unknown fields begin with metadata,
// and are in the decoder's order.
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
		// This cannot fail: scratch was decoded from the same bytes.
		strict, _ := unmarshal(data, meta, o.ReportUnknown)
		unknown = append(unknown, unknownPaths(single, strict)...)
	}
	return meta, unknown
}

func encode(meta *metav1.ObjectMeta) (map[string]any, error) {
	return runtime.DefaultUnstructuredConverter.ToUnstructured(meta)
}

// A Decoded is the result of [Decode]. [Decoded.Restore] writes it back. The zero Decoded means
// that an object has no metadata.
//
// A Decoded may hold the metadata of the object itself. Until Restore only pruning, null dropping
// and coercion may change this metadata.
type Decoded struct {
	found    bool
	metadata map[string]any
	omits    bool // metadata has members that Restore removes
}

// Decode decodes the metadata of obj. obj does not change. If o asks for unknown fields, their
// paths are in the server's order: by name, and by index in lists.
//
// The error has the text of kube-apiserver. With [Options.DropInvalid] there is an error only if
// metadata is not an object, or cannot be written as JSON.
func Decode(obj map[string]any, o Options) (Decoded, []schema.Path, error) {
	return decodeMetadata(obj, o, false)
}

// decodeMetadata is Decode. If copied is true, the result never holds the metadata of obj.
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

// Restore writes the metadata back to obj as kube-apiserver does, without unknown fields and
// omitted members. If obj had no metadata, it does nothing.
func (d Decoded) Restore(obj map[string]any) {
	if !d.found {
		return
	}
	if d.omits {
		maps.DeleteFunc(d.metadata, omitted)
	}
	obj["metadata"] = d.metadata
}

// omitted reports whether ObjectMeta omits a member: null and most empty values.
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

// RepairGeneration changes a generation of 0 to 1, as kube-apiserver does for old stored objects.
func RepairGeneration(obj map[string]any) {
	m, _ := obj["metadata"].(map[string]any)
	if g, _ := m["generation"].(int64); m != nil && g == 0 {
		m["generation"] = int64(1)
	}
}

// KeepManaged sets the managed fields with which kube-apiserver starts an update. They are the
// managed fields of the new object if it has some, all can be decoded, and status is false.
// Otherwise they are the managed fields of old, or none if old's cannot be decoded. If status is
// false, m also keeps a single empty entry, and [Meta.PrepareUpdate] removes it.
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

// decodesManaged reports whether the server can decode all managed fields. If not, the server
// ignores them.
func (m *Meta) decodesManaged() bool {
	for i := range m.managed {
		if e := &m.managed[i]; !isOperation(e.operation) || e.apiVersion == "" || e.fieldsType != "FieldsV1" || !decodesFields(e.fields) {
			return false
		}
	}
	return len(m.managed) > 0
}

// decodesFields reports whether the server can decode a field set.
func decodesFields(v any) bool {
	m, ok := v.(map[string]any)
	for key, below := range m {
		if decodes, nested := decodesElement(key); !decodes || nested && !decodesFields(below) {
			return false
		}
	}
	return ok || v == nil
}

// decodesElement reports whether the server decodes a key of a field set, and the value of the key.
func decodesElement(key string) (decodes, value bool) {
	if key == "." {
		return true, false
	}
	if strings.HasPrefix(key, "f:") || strings.HasPrefix(key, "k:{") && jsonscan.SkipSorted(key, len("k:")) == len(key) {
		return true, true // common keys, without an allocation
	}
	_, err := fieldpath.DeserializePathElement(key)
	unknown := errors.Is(err, fieldpath.ErrUnknownPathElementType)
	return err == nil || unknown, !unknown
}
