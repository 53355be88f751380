package objectmeta

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/schema"
)

// A Meta is the metadata of an object between [Decode] and [Meta.Restore]. The
// zero Meta is that of an object without metadata.
//
// A Meta may refer to the metadata that it was decoded from. Until it is
// restored, only pruning, null dropping and the coercion of embedded resources
// may change that metadata. A Meta belongs to one goroutine.
type Meta struct {
	found bool
	// Exactly one of the two is set if the object has metadata.
	kept  map[string]any // the metadata itself; Restore removes its omitted members
	typed *metav1.ObjectMeta

	thin       bool // kept has omitted members
	generation int64
	repaired   bool // generation was set
}

// Decode decodes the metadata of obj. It does not change obj. If o asks for
// them, it returns the paths of unknown fields in the order in which the server
// reports them: by name, and elements of lists in their order.
//
// The error has the text of kube-apiserver for metadata that cannot be decoded.
// With [Options.DropInvalid] there is an error only if metadata is not an
// object or has a value that JSON does not have.
func Decode(obj map[string]any, o Options) (Meta, []schema.Path, error) {
	raw, found := obj["metadata"]
	if !found {
		return Meta{}, nil, nil
	}
	return decodeMeta(raw, o)
}

func decodeMeta(raw any, o Options) (Meta, []schema.Path, error) {
	if m, ok := raw.(map[string]any); ok && !o.Reference {
		if v := roundTripVerdict(m); v != verdictDeclined {
			return Meta{found: true, kept: m, thin: v == verdictThinned}, nil, nil
		}
	}
	typed, unknown, err := decode(raw, o)
	if err != nil {
		return Meta{}, nil, err
	}
	return Meta{found: true, typed: typed}, unknown, nil
}

// Generation returns metadata.generation, 0 if there is none.
func (m *Meta) Generation() int64 {
	switch {
	case m.repaired:
		return m.generation
	case m.typed != nil:
		return m.typed.Generation
	default:
		g, _ := m.kept["generation"].(int64)
		return g
	}
}

// SetGeneration sets the generation that [Meta.Restore] writes. It has no
// effect for an object without metadata.
func (m *Meta) SetGeneration(generation int64) {
	m.generation, m.repaired = generation, true
}

// RepairGeneration changes a generation of 0 to 1, as kube-apiserver does for
// objects that were stored before generations existed.
func (m *Meta) RepairGeneration() {
	if m.Generation() == 0 {
		m.SetGeneration(1)
	}
}

// Restore writes the metadata back to obj as kube-apiserver writes it: without
// unknown fields and without omitted members. It does nothing to an object
// without metadata.
func (m *Meta) Restore(obj map[string]any) error {
	if !m.found {
		return nil
	}
	written, err := m.written()
	if err != nil {
		return err
	}
	obj["metadata"] = written
	return nil
}

func (m *Meta) written() (map[string]any, error) {
	out := m.kept
	if m.typed != nil {
		var err error
		if out, err = encode(m.typed); err != nil {
			return nil, err
		}
	} else if m.thin {
		for name, v := range out {
			if memberOf(name).omitted(v) {
				delete(out, name)
			}
		}
	}
	if m.repaired {
		setGeneration(out, m.generation)
	}
	return out, nil
}

func setGeneration(metadata map[string]any, generation int64) {
	if generation == 0 {
		delete(metadata, "generation")
		return
	}
	metadata["generation"] = generation
}

// Coerce calls [Decode] and then [Meta.Restore].
func Coerce(obj map[string]any, o Options) ([]schema.Path, error) {
	m, unknown, err := Decode(obj, o)
	if err != nil {
		return nil, err
	}
	return unknown, m.Restore(obj)
}
