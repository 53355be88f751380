package objectmeta

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/schema"
)

// decode decodes raw, which is not absent, through JSON into ObjectMeta. The
// paths of unknown fields are relative to the object that has the metadata.
// They are in the order in which the decoder finds the fields.
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

// decodeValidMembers decodes the members of m one by one and skips those that
// cannot be decoded.
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

// encode returns the map that ObjectMeta is written as.
func encode(meta *metav1.ObjectMeta) (map[string]any, error) {
	return runtime.DefaultUnstructuredConverter.ToUnstructured(meta)
}
